#include <cstring>

#include "clrprofiler/held_contexts.h"

namespace holdfast::clr {

namespace {

constexpr std::uintptr_t kMarkBits = 7;  // a collector's own, in the first word

}  // namespace

BOOL HF_COM find_object_stopped(ObjectID object, void* search) noexcept {
  auto& wanted = *static_cast<ObjectSearch*>(search);
  std::uintptr_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(object), sizeof word);
  if ((word & ~kMarkBits) != wanted.wanted) return 1;
  if (wanted.count < wanted.found.size()) wanted.found[wanted.count] = object;
  ++wanted.count;
  return 1;
}

}  // namespace holdfast::clr
