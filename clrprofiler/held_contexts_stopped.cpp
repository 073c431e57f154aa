#include <cstring>

#include "clrprofiler/heap/reference_map_stopped.h"
#include "clrprofiler/held_contexts.h"

namespace holdfast::clr {

namespace {

std::uintptr_t word_at(std::uintptr_t address) noexcept {
  std::uintptr_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
  return word;
}

ClassID class_of(ObjectID object) noexcept {
  constexpr std::uintptr_t kMarkBits = 7;  // a collector's own, in the first word
  return word_at(object) & ~kMarkBits;
}

}  // namespace

BOOL HF_COM find_context_stopped(ObjectID object, void* context) noexcept {
  auto& search = *static_cast<ContextSearch*>(context);
  const ClassID type = class_of(object);
  if (type == search.scout) ++search.scouts;
  if (type != search.allocator) return 1;
  if (search.count < search.found.size()) search.found[search.count] = object;
  ++search.count;
  return 1;
}

bool has_scout_stopped(ObjectID allocator, ClassID scout) noexcept {
  const ClassID type = class_of(allocator);
  bool found = false;
  ReferenceMap(type).for_each(ReferenceMap::base_bytes(type), [&](std::uint64_t offset) noexcept {
    const ObjectID held = word_at(allocator + offset);
    found = held != 0 && class_of(held) == scout;
    return !found;
  });
  return found;
}

}  // namespace holdfast::clr
