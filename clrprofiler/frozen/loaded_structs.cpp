#include "clrprofiler/frozen/loaded_structs.h"

#include <algorithm>

#include "clrprofiler/coreclr/loaded_instantiations.h"
#include "clrprofiler/coreclr/loaded_types.h"
#include "clrprofiler/names/field_type.h"

namespace holdfast::clr {

namespace {

constexpr std::uint32_t kRowShift = 8;  // in a class's second flags
constexpr mdTypeDef kRowBits = 0x00FFFFFF;

}  // namespace

template <class Visit>
void LoadedStructs::for_each_instance(Visit visit) const noexcept {
  for (const Address module : modules_)
    for_each_instantiation(layout_, module, [&](Address type) {
      const auto home = read_word(type + layout_.class_module);
      const auto flags = read_checked<std::uint32_t>(type + layout_.class_flags2);
      if (home && flags) visit(Instance{*home, *flags >> kRowShift, type});
    });
}

// The application loads more meanwhile: those have no place.
Result<void> LoadedStructs::list(Arena& arena) noexcept {
  std::size_t count = 0, used = 0;
  for_each_instance([&](const Instance&) { ++count; });
  HF_TRY(instances, arena.make<Instance>(count));
  for_each_instance([&](const Instance& instance) {
    if (used < count) instances[used++] = instance;
  });
  instances_ = instances.first(used);
  std::sort(instances_.begin(), instances_.end(), &Instance::before);
  return {};
}

bool LoadedStructs::fits(Address type, std::span<const ClassID> arguments) noexcept {
  ModuleID module = 0;
  mdTypeDef token = 0;
  ClassID parent = 0;
  ULONG32 count = 0;
  ClassID own[FieldType::kMaxArguments] = {};
  const HRESULT answer = reader_.info()->GetClassIDInfo2(
      static_cast<ClassID>(type), &module, &token, &parent, std::size(own), &count, own);
  if (!succeeded(answer) || count != arguments.size()) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (own[i] != arguments[i] &&
        (reader_.read(own[i]).value_type || reader_.read(arguments[i]).value_type))
      return false;
  return true;
}

ClassID LoadedStructs::find(ModuleID module, mdTypeDef token,
                            std::span<ClassID> arguments) noexcept {
  if (arguments.empty()) return static_cast<ClassID>(loaded_type(layout_, module, token));
  const std::uint32_t row = token & kRowBits;
  auto at = std::lower_bound(instances_.begin(), instances_.end(), Instance{module, row, 0},
                             &Instance::before);
  for (; at != instances_.end() && at->module == module && at->row == row; ++at)
    if (fits(at->type, arguments)) return static_cast<ClassID>(at->type);
  return 0;
}

}  // namespace holdfast::clr
