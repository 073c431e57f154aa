// Writes objects and references, handed over in windows of any size, as blocks of full size; the one writer of both orders.
// Why two orders: a snapshot in memory is written objects first, which readers of 1.1 know and zstd likes a little better. Who has
//      no memory for the graph hands over each object's references with it, and the blocks are mixed.
// Shape:  objects first: add_objects() until all are there, then add_references(), both through the block writer's columns. Mixed:
//         add_references() of a window after its add_objects(); objects have columns of their own, kMaxColumnBytes more.
//         A block of references is written when it is full or the last, after the objects that it belongs to.
//         20 B a class; O(objects + references).   memory_bytes() is the sum.
// Zone:   worker, child.
// Errors: kInconsistent (detail: objects added so far) for what does not fit the counts, a class or a target that does not exist; kCancelled;
//         as block_writer.h.
#pragma once

#include "analysis/snapshot_file/block_writer.h"
#include "analysis/snapshot_file/graph_coding.h"
#include "analysis/snapshot_file/reference_coding.h"
#include "common/cancel.h"

namespace holdfast::analysis {

struct GraphCounts {
  std::uint64_t objects = 0;
  std::uint64_t references = 0;
};

// Objects in number order. rows[i + 1] - rows[i] references of object i; rows.size() == classes.size() + 1, or none for none.
struct ObjectWindow {
  std::span<const ClassId> classes;
  std::span<const std::uint32_t> units;
  std::span<const std::uint32_t> rows;
};

// Their references: object i has those from rows[i] - rows[0] on. Targets may be any object, also one that comes later.
struct ReferenceWindow {
  std::span<const ObjectId> targets;
  std::span<const RefLabel> labels;
};

class GraphWriter {
 public:
  static std::size_t memory_bytes(std::size_t classes, GraphOrder order) noexcept;

  // Writes the class codes. instances[classes + 1]: how many objects of each class there will be, the last for "unknown"; they
  // decide only how short the codes are. `out` and `cancel` stay where they are.
  Result<void> open(BlockWriter& out, const CancelToken& cancel, Arena& arena, GraphOrder order,
                    const GraphCounts& counts, std::span<const std::uint32_t> instances) noexcept;
  Result<void> add_objects(const ObjectWindow& window) noexcept;
  // Of a window whose objects were added, each window once and in order.
  Result<void> add_references(const ObjectWindow& window,
                              const ReferenceWindow& references) noexcept;
  bool complete() const noexcept {
    return objects_ == counts_.objects && references_ == counts_.references;
  }

 private:
  void rank_classes(std::span<const std::uint32_t> instances) noexcept;
  Result<void> write_class_codes() noexcept;
  Result<void> flush_objects() noexcept;
  Result<void> flush_references() noexcept;
  Error inconsistent() const noexcept {
    return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(objects_));
  }

  BlockWriter* out_ = nullptr;
  const CancelToken* cancel_ = nullptr;
  GraphOrder order_ = GraphOrder::kObjectsFirst;
  GraphCounts counts_;
  std::span<std::uint32_t> code_of_class_;  // [classes + 1], the last for "unknown"
  std::span<std::uint32_t> class_of_code_;
  std::span<ClassHabit> habits_;  // by code
  ColumnWriter object_columns_{std::span<std::byte>{}};
  ReferenceEncoder encoder_;
  std::uint64_t objects_ = 0;  // added, of which the pending ones are still in the columns
  std::uint64_t references_ = 0;
  std::size_t pending_objects_ = 0;
  std::size_t pending_references_ = 0;
  std::uint64_t rows_done_ = 0;  // objects whose references were added
};

}  // namespace holdfast::analysis
