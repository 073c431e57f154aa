// The capture sink: what a heap walk appends to while the VM is stopped, and its sealing into a Snapshot afterwards.
// Why: the walk must only append to memory that is there already; order, checks and compaction come later.
// Shape:  objects are numbered by add_object(), the first `preassigned` (class objects, then threads) exist from the start but
//         count only once they are reached. References come grouped by referrer: begin_row(referrer), then add_reference().
//         A walk may append numbers of its own, if it rename()s them before seal().
//         While capturing: 16 B an object (class, units, row owner, row start) + 6 B a reference + 32 B a root.
//         Sealed: 12 B + 6 B + 24 B; seal() renumbers in row order and needs 8 B an object of scratch.
// Zone:   methods in builder_stopped.cpp: stopped. make(), seal(): capture.
// Errors: add_* answer false (or an invalid id) when the memory is used up; overflowed() says so. seal(): kInconsistent when
//         a VM gave references of one object in two places, kOutOfBudget.
#pragma once

#include <cstdint>
#include <span>

#include "common/capture_memory.h"
#include "common/column.h"
#include "common/result.h"
#include "common/snapshot/snapshot.h"

namespace holdfast {

// A root as the walk sees it: the method is still the VM's own handle.
struct RawRoot {
  ObjectId object;
  ThreadId thread;
  std::uint64_t method = 0;  // jmethodID or FunctionID; 0 none
  std::uint32_t location = 0;
  std::uint16_t depth = 0;
  std::uint16_t slot = 0;
  RootKind kind = RootKind::kOther;
};

class SnapshotBuilder {
 public:
  SnapshotBuilder() = default;
  SnapshotBuilder(const SnapshotBuilder&) = delete;
  SnapshotBuilder& operator=(const SnapshotBuilder&) = delete;

  // Before the pause. Commits the columns and creates `preassigned` objects, not yet reached.
  Result<void> prepare(CaptureMemory& memory, std::uint32_t preassigned) noexcept;

  // -- stopped zone (builder_stopped.cpp) --
  ObjectId add_object(ClassId class_id, std::uint64_t shallow_bytes) noexcept;
  void reach_preassigned(ObjectId id, ClassId class_id, std::uint64_t shallow_bytes) noexcept;
  bool reached(ObjectId id) const noexcept { return class_of_[id.value].value != kNotReached; }
  // One object more that exists but counts only once it is reached; invalid when the memory is used up.
  ObjectId preassign() noexcept;
  bool begin_row(ObjectId referrer) noexcept;
  bool add_reference(ObjectId referent, RefLabel label) noexcept;
  bool add_root(const RawRoot& root) noexcept;
  bool overflowed() const noexcept { return overflowed_; }
  CaptureLosses& losses() noexcept { return losses_; }

  // -- after the pause --
  std::span<const RawRoot> raw_roots() const noexcept { return roots_.span(); }
  // What a root is, where only the whole heap tells.
  std::span<RawRoot> raw_roots() noexcept { return roots_.span(); }
  // Row k is of object owner[k]; its references begin at start[k] and end where the next row begins.
  struct Rows {
    std::span<const std::uint32_t> owner;
    std::span<const std::uint32_t> start;
    std::span<const ObjectId> target;
    std::span<const ObjectId> referents(std::size_t row) const noexcept {
      const std::size_t end = row + 1 < start.size() ? start[row + 1] : target.size();
      return target.subspan(start[row], end - start[row]);
    }
  };
  Rows rows() const noexcept { return {row_owner_.span(), row_start_.span(), target_.span()}; }
  ClassId class_of(ObjectId id) const noexcept { return class_of_[id.value]; }
  std::uint32_t object_count() const noexcept {
    return static_cast<std::uint32_t>(class_of_.size());
  }
  std::uint64_t reference_count() const noexcept { return target_.size(); }
  std::uint64_t shallow_bytes_total() const noexcept { return shallow_bytes_total_; }
  // For a walk that appended numbers of its own: each owner, referent and root becomes the object id_of(its number).
  template <class IdOf>
  void rename(IdOf id_of) noexcept {
    for (std::uint32_t& owner : row_owner_.span()) owner = id_of(owner);
    for (ObjectId& target : target_.span()) target = ObjectId{id_of(target.value)};
    for (RawRoot& root : roots_.span()) root.object = ObjectId{id_of(root.object.value)};
  }
  // For a walk that named objects which turned out not to be there: references to what was never reached, and roots of it, are left out;
  // how many references.
  std::uint64_t drop_unreached() noexcept;
  // For a walk that numbered classes before it knew them all: class c becomes new_id[c].
  void rename_classes(std::span<const ClassId> new_id) noexcept;
  // Resolves a raw root's method; called once per root by seal().
  using MethodOf = MethodId (*)(void* context, std::uint64_t raw_method);
  // Makes `out` from the columns and the catalog (whose mirror and object ids are renumbered in place). Preassigned objects
  // that were never reached are left out. The columns shrink to what the snapshot uses.
  Result<void> seal(Catalog& catalog, MethodOf method_of, void* context, Snapshot& out) noexcept;

 private:
  static constexpr std::uint32_t kNotReached = 0xFFFFFFFEu;

  Result<void> number_rows(std::span<std::uint32_t> new_id) noexcept;
  void permute_objects(std::span<std::uint32_t> scratch) noexcept;
  Result<void> rename_references(std::span<const std::uint32_t> new_id, Catalog& catalog) noexcept;
  Result<std::span<RootRecord>> resolve_roots(MethodOf method_of, void* context) noexcept;
  void shrink_columns(std::size_t objects) noexcept;

  CaptureMemory* memory_ = nullptr;
  Column<ClassId> class_of_;
  Column<std::uint32_t> shallow_units_;
  Column<std::uint32_t> row_owner_;
  Column<std::uint32_t> row_start_;
  Column<ObjectId> target_;
  Column<RefLabel> label_;
  Column<RawRoot> roots_;
  std::uint64_t shallow_bytes_total_ = 0;
  bool overflowed_ = false;
  CaptureLosses losses_{};
};

}  // namespace holdfast
