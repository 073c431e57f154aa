// Where a class keeps the static fields that hold objects, those of a generic type's instantiation included.
// Shape:  a class that has some has, in front of what it keeps apart, where its slots begin. From the EEClass that it shares come 16 bytes for each
//         field: {class, token 24 bits | static 1 | of a thread 1 | at an address of the image's 1, offset 27 bits | type 5}. They have no count: those that belong to the
//         class stand one behind the other. O(fields), checked reads.
// Zone:   capture, child (inline).
// Errors: none; a class without such fields, or whose fields cannot be read, has no slots.
// Source: dotnet/runtime, vm/methodtable.h (DynamicStaticsInfo), vm/field.h;
//         measured on 9 and 10 (docs/decisions/065-clr-heap-as-memory.md).
#pragma once

#include "clrprofiler/coreclr/known_classes.h"

namespace holdfast::clr {

// visit(slot, token without its kind): where the reference, or the box of a struct, is to be read.
template <class Visit>
void for_each_static_slot(const RuntimeLayout& layout, Address type, Visit visit) noexcept {
  constexpr std::uint32_t kHasStatics = 2, kMostFields = 1 << 16, kTokenBits = 24;
  constexpr std::uint32_t kStatic = 1u << 24, kNotHere = 6u << 24;
  constexpr std::uint32_t kOffset = (1u << 27) - 1, kClass = 0x12, kStruct = 0x11;
  const auto flags = read_checked<std::uint32_t>(type + layout.class_flags2);
  if (!flags || (*flags & kHasStatics) == 0) return;
  const auto apart = read_word(type + layout.class_auxiliary);
  const auto told = apart
                        ? read_word(*apart - layout.statics_info_bytes + layout.statics_info_slots)
                        : std::nullopt;
  const Address slots = told ? *told & ~Address{1} : 0;  // bit 0: not initialised
  const SharedClass shared = shared_class(layout, type);
  const auto fields =
      shared.eeclass != 0 ? read_word(shared.eeclass + layout.shared_fields) : std::nullopt;
  if (slots == 0 || !fields || *fields == 0) return;
  for (std::uint32_t i = 0; i < kMostFields; ++i) {
    const Address field = *fields + 16 * std::uint64_t{i};
    const auto owner = read_word(field);
    const auto words = owner && *owner == shared.type ? read_word(field + 8) : std::nullopt;
    if (!words) return;
    const auto first = static_cast<std::uint32_t>(*words);
    const auto second = static_cast<std::uint32_t>(*words >> 32);
    const std::uint32_t kind = second >> 27;
    if ((first & kStatic) != 0 && (first & kNotHere) == 0 && (kind == kClass || kind == kStruct))
      visit(slots + (second & kOffset), first & ((1u << kTokenBits) - 1));
  }
}

}  // namespace holdfast::clr
