// The heap's picture: sealed, immutable, the same for every VM and for imported dumps.
// Shape:  n objects, m references (CSR). class_of[n], shallow_units[n], first_ref[n+1], target[m], label[m], roots[r].
//         first_ref[0] == 0, first_ref[n] == m, non-decreasing; target[i] < n; class_of[v] < classes or invalid (unknown).
//         12 B an object (13 with ages) + 6 B a reference + 24 B a root. n < 2^31, m < 2^32.
//         The reference from an object to its own class object is not stored: it is implied by class_of (implied_class_object).
//         Objects are numbered in the order in which the capture visited them, so a depth-first pass reads memory forward.
// Zone:   worker, offline; child later.
// Errors: verify() answers kInconsistent with the index at fault.
#pragma once

#include <cstdint>
#include <span>

#include "common/ages/object_age.h"
#include "common/result.h"
#include "common/snapshot/catalog.h"
#include "common/snapshot/kinds.h"
#include "common/typed_index.h"

namespace holdfast {

inline constexpr std::uint32_t kMaxObjects = 0x7FFFFFF0u;
inline constexpr std::uint64_t kShallowUnitBytes =
    8;  // of every capture; imported dumps may have finer sizes

// In units of kShallowUnitBytes, saturated.
constexpr std::uint32_t shallow_units_of(std::uint64_t shallow_bytes) noexcept {
  const std::uint64_t units = (shallow_bytes + kShallowUnitBytes - 1) / kShallowUnitBytes;
  return units < 0xFFFFFFFFu ? static_cast<std::uint32_t>(units) : 0xFFFFFFFFu;
}

struct RootRecord {
  ObjectId object;
  ThreadId thread;             // stack and JNI locals, threads
  MethodId method;             // frame of a local; class and name of a static field
  std::uint32_t location = 0;  // bytecode index or IL offset
  std::uint16_t depth = 0;     // 0 is the top frame
  std::uint16_t slot = 0;
  RootKind kind = RootKind::kOther;
};

// What the capture could not keep. Nothing is dropped without a count here.
struct CaptureLosses {
  std::uint64_t objects_unknown_class = 0;  // their class was loaded while the dump ran
  std::uint64_t roots_dropped =
      0;  // held objects are still roots, only thread and frame are missing
  std::uint64_t references_to_unknown = 0;
  std::uint64_t names_dropped = 0;
  bool input_damaged =
      false;  // imported dumps: part of the file could not be read; the notes say what
};

struct Snapshot {
  Catalog catalog;
  std::span<const ClassId> class_of;
  std::span<const std::uint32_t> shallow_units;
  std::span<const std::uint32_t> first_ref;
  std::span<const ObjectId> target;
  std::span<const RefLabel> label;
  std::span<const RootRecord> roots;
  std::span<const AgeCode> ages;  // [n], or empty: ages are not told (common/ages/object_age.h)
  AgeSource age_source = AgeSource::kNone;
  CaptureLosses losses;
  std::uint64_t shallow_unit_bytes = kShallowUnitBytes;
  bool roots_alike = false;  // Eclipse MAT's rules: a local holds as much as a static field

  Lifespan lifespan(const RootRecord& root) const noexcept {
    return roots_alike ? Lifespan::kDurable : lifespan_of(root.kind);
  }
  std::uint32_t object_count() const noexcept {
    return static_cast<std::uint32_t>(class_of.size());
  }
  std::uint64_t reference_count() const noexcept { return target.size(); }
  std::uint64_t shallow_bytes(ObjectId v) const noexcept {
    return std::uint64_t{shallow_units[v.value]} * shallow_unit_bytes;
  }
  // The class object that `v` keeps alive through being an instance; invalid when the class has none or is `v` itself.
  ObjectId implied_class_object(ObjectId v) const noexcept {
    const ClassId c = class_of[v.value];
    if (!c.valid()) return ObjectId{};
    const ObjectId mirror = catalog.classes[c.value].mirror;
    return mirror == v ? ObjectId{} : mirror;
  }
};

// Checks every index and every equation above. O(n + m).
Result<void> verify(const Snapshot& snapshot) noexcept;

}  // namespace holdfast
