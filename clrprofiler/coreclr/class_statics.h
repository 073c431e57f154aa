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

// Which of a class's static fields are meant: one value for all, or one for each thread.
enum class StaticKind : std::uint8_t { kShared, kOfThread };

namespace class_statics {
inline constexpr std::uint32_t kHasStatics = 2, kMostFields = 1 << 16, kTokenBits = 24;
inline constexpr std::uint32_t kStatic = 1u << 24, kOfThread = 1u << 25, kOfImage = 1u << 26;
inline constexpr std::uint32_t kOffset = (1u << 27) - 1, kClass = 0x12, kStruct = 0x11;
}  // namespace class_statics

// visit(offset, token without its kind), of the fields of one kind that hold objects.
template <class Visit>
void for_each_static_field(const RuntimeLayout& layout, Address type, StaticKind which,
                           Visit visit) noexcept {
  using namespace class_statics;
  const SharedClass shared = shared_class(layout, type);
  const auto fields =
      shared.eeclass != 0 ? read_word(shared.eeclass + layout.shared_fields) : std::nullopt;
  if (!fields || *fields == 0) return;
  const std::uint32_t wanted = which == StaticKind::kOfThread ? kStatic | kOfThread : kStatic;
  for (std::uint32_t i = 0; i < kMostFields; ++i) {
    const Address field = *fields + 16 * std::uint64_t{i};
    const auto owner = read_word(field);
    const auto words = owner && *owner == shared.type ? read_word(field + 8) : std::nullopt;
    if (!words) return;
    const auto first = static_cast<std::uint32_t>(*words);
    const auto second = static_cast<std::uint32_t>(*words >> 32);
    const std::uint32_t kind = second >> 27;
    if ((first & (kStatic | kOfThread | kOfImage)) == wanted && (kind == kClass || kind == kStruct))
      visit(second & kOffset, first & ((1u << kTokenBits) - 1));
  }
}

inline bool has_statics(const RuntimeLayout& layout, Address type) noexcept {
  const auto flags = read_checked<std::uint32_t>(type + layout.class_flags2);
  return flags && (*flags & class_statics::kHasStatics) != 0;
}

// visit(slot, token): where the reference, or the box of a struct, is to be read.
template <class Visit>
void for_each_static_slot(const RuntimeLayout& layout, Address type, Visit visit) noexcept {
  if (!has_statics(layout, type)) return;
  const auto apart = read_word(type + layout.class_auxiliary);
  const auto told = apart
                        ? read_word(*apart - layout.statics_info_bytes + layout.statics_info_slots)
                        : std::nullopt;
  const Address slots = told ? *told & ~Address{1} : 0;  // bit 0: not initialised
  if (slots == 0) return;
  for_each_static_field(
      layout, type, StaticKind::kShared,
      [&](std::uint32_t offset, std::uint32_t token) { visit(slots + offset, token); });
}

// visit(place, offset, token): of a thread's own value of each [ThreadStatic] field. What a thread has is an array with one array
// for each class, at `place`, in which the value stands at `offset` from its start.
template <class Visit>
void for_each_thread_static(const RuntimeLayout& layout, Address type, Visit visit) noexcept {
  // Above these bits stands which array it is of: 0, this. The first two places are the runtime's own and have no element.
  constexpr std::uint32_t kPlace = (1u << 24) - 1, kOwnPlaces = 2;
  if (!has_statics(layout, type)) return;
  std::optional<std::uint32_t> place;
  for_each_static_field(
      layout, type, StaticKind::kOfThread, [&](std::uint32_t offset, std::uint32_t token) {
        if (!place) {  // a class without such fields has nothing there
          const auto apart = read_word(type + layout.class_auxiliary);
          place = apart ? read_checked<std::uint32_t>(*apart - layout.thread_info_bytes +
                                                      layout.thread_info_index)
                        : std::nullopt;
          if (!place) place = ~0u;
        }
        if (*place >= kOwnPlaces && *place <= kPlace) visit(*place - kOwnPlaces, offset, token);
      });
}

}  // namespace holdfast::clr
