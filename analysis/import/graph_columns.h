// The arrays of a snapshot's graph while a reader fills them, object by object.
// Shape:  12 B an object + 6 B a reference, the snapshot's own columns; row of an object: begin_object(), then its references.
// Zone:   offline.   Errors: ImportFailure (memory).
#pragma once

#include "analysis/import/growing_array.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::analysis {

struct GraphColumns {
  GraphColumns(std::uint64_t objects, std::uint64_t references, Ledger& ledger)
      : class_of(objects, ledger, MemoryCategory::kGraph),
        shallow_units(objects, ledger, MemoryCategory::kGraph),
        first_ref(objects + 1, ledger, MemoryCategory::kGraph),
        target(references, ledger, MemoryCategory::kGraph),
        label(references, ledger, MemoryCategory::kGraph) {}

  std::uint32_t next_object() const noexcept { return static_cast<std::uint32_t>(class_of.size()); }
  void begin_object(ClassId of, std::uint32_t units) {
    class_of.push(of);
    shallow_units.push(units);
    first_ref.push(static_cast<std::uint32_t>(target.size()));
  }
  void add_reference(std::uint32_t object, RefLabel as) {
    target.push(ObjectId{object});
    label.push(as);
  }
  void end() { first_ref.push(static_cast<std::uint32_t>(target.size())); }
  void show_in(Snapshot& snapshot, std::uint64_t unit_bytes) const noexcept {
    snapshot.class_of = class_of.span();
    snapshot.shallow_units = shallow_units.span();
    snapshot.first_ref = first_ref.span();
    snapshot.target = target.span();
    snapshot.label = label.span();
    snapshot.shallow_unit_bytes = unit_bytes;
  }

  GrowingArray<ClassId> class_of;
  GrowingArray<std::uint32_t> shallow_units;
  GrowingArray<std::uint32_t> first_ref;
  GrowingArray<ObjectId> target;
  GrowingArray<RefLabel> label;
};

}  // namespace holdfast::analysis
