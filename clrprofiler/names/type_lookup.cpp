#include "clrprofiler/names/type_lookup.h"

namespace holdfast::clr {

namespace {

constexpr mdToken kTableMask = 0xFF000000u;
constexpr std::size_t kMaxNesting = 4;

// The names of a typeref and of what it is nested in, the innermost first.
struct NestedName {
  char16_t levels[kMaxNesting][Metadata::kMaxUnits];
  std::size_t count = 0;
};

Result<void> read_name(const Metadata& metadata, mdTypeRef token, NestedName& out) noexcept {
  while ((token & kTableMask) == mdtTypeRef) {
    if (out.count == kMaxNesting) return make_error(ErrorCode::kUnsupported, token);
    HF_TRY(scope, metadata.type_ref(token, out.levels[out.count++]));
    token = scope;
  }
  return {};
}

Result<mdTypeDef> find_in(const Metadata& metadata, const NestedName& name) noexcept {
  mdTypeDef found = 0;
  for (std::size_t level = name.count; level > 0; --level) {
    HF_TRY(inner, metadata.find(name.levels[level - 1], found));
    found = inner;
  }
  return found;
}

}  // namespace

Result<TypePlace> find_type(Modules& modules, ModuleID from, mdToken token) noexcept {
  if ((token & kTableMask) == mdtTypeDef) return TypePlace{from, token};
  if ((token & kTableMask) != mdtTypeRef) return make_error(ErrorCode::kUnsupported, token);
  NestedName name;
  HF_CHECK_OK(read_name(modules.of(from).metadata, token, name));
  const Module& core = modules.core();
  if (const auto found = find_in(core.metadata, name)) return TypePlace{core.id, *found};
  for (const Module& module : modules.all())
    if (const auto found = find_in(module.metadata, name)) return TypePlace{module.id, *found};
  return make_error(ErrorCode::kUnsupported, token);
}

}  // namespace holdfast::clr
