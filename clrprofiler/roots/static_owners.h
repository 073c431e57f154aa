// Whose static fields the slots are that a collection told of: the runtime tells a slot, its object and the field's name, not the class.
// Why not GetClassFromToken: it loads what is not loaded yet, with everything that loading drags along (assemblies, handlers of the application).
//      Here a class is only asked by a ClassID that somebody has got already, so nothing is ever loaded, and nothing is initialised:
//      the heap's own classes, those of which the runtime told a load, their base classes, and those of compiled methods. What has
//      a value in a static field has run code that set it, so nearly every owner is among them.
// Shape:  1. fields of the classes that are given, and of their base classes: the one whose address is the slot is the owner.
//         2. the same for the classes of compiled methods, if slots are left.
//         3. a field name that only one class of all modules bears (and only one slot that is left) names its owner by elimination.
//         Generic classes are left out, their slots are not told; collectible modules too: they may go while they are asked.
//         O(classes + fields) for 1 and 2, O(all fields) for 3: 5 to 50 ms. 16 B a class, 64 B a module beside static_slots.h.
// Zone:   capture, on a thread that the runtime does not know or that has called ForceGC, application running.
// Errors: the runtime's, kOutOfBudget. Slots whose owner is not found have none.
#pragma once

#include "clrprofiler/profiler_info.h"
#include "clrprofiler/roots/static_slots.h"

namespace holdfast::clr {

enum class OwnerProof : std::uint8_t { kNone, kAddress, kElimination };

struct StaticOwner {
  ModuleID module = 0;
  mdTypeDef type = 0;
  ClassID class_id = 0;  // 0 by elimination
  OwnerProof proof = OwnerProof::kNone;
};

struct OwnerFigures {
  std::uint32_t by_address = 0;
  std::uint32_t by_elimination = 0;
  std::uint32_t unknown = 0;
  std::uint32_t classes_asked = 0;
  std::uint32_t collectible_modules = 0;
};

// owners[i] for slots[i], as long as `slots`. `classes` live: no collectible class among them may have gone.
Result<OwnerFigures> find_static_owners(ProfilerInfo& info, std::span<const StaticSlot> slots,
                                        std::span<const ClassID> classes,
                                        std::span<StaticOwner> owners, Arena& scratch) noexcept;

}  // namespace holdfast::clr
