#include "clrprofiler/names/metadata.h"

#include <algorithm>

#include "clrprofiler/names/runtime_text.h"

namespace holdfast::clr {

namespace {

constexpr Error no_metadata(std::uint32_t line = __builtin_LINE()) noexcept {
  return make_error(ErrorCode::kUnsupported, 0, line);
}

using Units = RuntimeText<Metadata::kMaxUnits>;

}  // namespace

Result<TypeDef> Metadata::type_def(mdTypeDef token, NameText& name) const noexcept {
  if (import_ == nullptr) return no_metadata();
  Units units;
  TypeDef found;
  HF_CHECK_OK(check(import_->GetTypeDefProps(token, units.data(), units.size(), units.out_count(),
                                             &found.flags, &found.extends)));
  units.append_to(name);
  return found;
}

Result<std::span<const mdTypeDef>> Metadata::nesting(
    mdTypeDef token, std::span<mdTypeDef, kMaxNesting> room) const noexcept {
  if (import_ == nullptr) return no_metadata();
  std::size_t first = room.size();
  while (first > 0) {
    room[--first] = token;
    mdTypeDef outer = 0;
    const HRESULT answer = import_->GetNestedClassProps(token, &outer);
    if (answer == CLDB_E_RECORD_NOTFOUND) break;
    HF_CHECK_OK(check(answer));
    token = outer;
  }
  return std::span<const mdTypeDef>(room.subspan(first));
}

Result<mdTypeDef> Metadata::method(mdMethodDef token, NameText& name) const noexcept {
  if (import_ == nullptr) return no_metadata();
  Units units;
  mdTypeDef owner = 0;
  HF_CHECK_OK(
      check(import_->GetMethodProps(token, &owner, units.data(), units.size(), units.out_count(),
                                    nullptr, nullptr, nullptr, nullptr, nullptr)));
  units.append_to(name);
  return owner;
}

Result<FieldDef> Metadata::field(mdFieldDef token, NameText& name) const noexcept {
  if (import_ == nullptr) return no_metadata();
  Units units;
  FieldDef found;
  PCCOR_SIGNATURE signature = nullptr;
  ULONG signature_bytes = 0;
  HF_CHECK_OK(check(import_->GetFieldProps(token, &found.owner, units.data(), units.size(),
                                           units.out_count(), &found.flags, &signature,
                                           &signature_bytes, nullptr, nullptr, nullptr)));
  if (signature != nullptr) found.signature = {signature, signature_bytes};
  units.append_to(name);
  return found;
}

Result<std::span<const mdFieldDef>> Metadata::fields(mdTypeDef token,
                                                     std::span<mdFieldDef> room) const noexcept {
  if (import_ == nullptr) return no_metadata();
  HCORENUM cursor = nullptr;
  std::size_t used = 0;
  HRESULT answer = S_OK;
  while (used < room.size()) {
    ULONG got = 0;
    const auto left = static_cast<ULONG>(room.size() - used);
    answer = import_->EnumFields(&cursor, token, room.data() + used, left, &got);
    if (!succeeded(answer) || got == 0) break;
    used += std::min(got, left);
  }
  if (cursor != nullptr) import_->CloseEnum(cursor);
  HF_CHECK_OK(check(answer));
  return std::span<const mdFieldDef>(room.first(used));
}

Result<mdTypeDef> Metadata::find(const char16_t* name, mdTypeDef outer) const noexcept {
  if (import_ == nullptr) return no_metadata();
  mdTypeDef found = 0;
  HF_CHECK_OK(check(import_->FindTypeDefByName(name, outer, &found)));
  return found;
}

Result<mdToken> Metadata::type_ref(mdTypeRef token,
                                   std::span<char16_t, kMaxUnits> name) const noexcept {
  if (import_ == nullptr) return no_metadata();
  mdToken scope = 0;
  ULONG count = 0;
  name.front() = u'\0';
  HF_CHECK_OK(check(import_->GetTypeRefProps(token, &scope, name.data(),
                                             static_cast<ULONG>(name.size()), &count)));
  name.back() = u'\0';
  return scope;
}

}  // namespace holdfast::clr
