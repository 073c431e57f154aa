// A recording becomes a snapshot: objects numbered by their addresses, references by the numbers of what they lead to.
// Why addresses: the runtime tells of one region after the other in an order of its own, and the numbers of a snapshot must be found
//      from an address alone; counting marks does both (growing_mark_table.h).
// Shape:  read(): once over the streams as they came, marks, numbers. fill(): once in the order of addresses, into a SnapshotFill.
//         Runs that overlap, which the runtime should never give, are merged; an object that came twice counts once.
//         O(nodes + edges + runs log runs). 3.2 % of the heap for marks, 52 B a run, beside the recording and the snapshot.
//         Numbers: objects of the recording and added ones by address, then the tail in its order.
// Zone:   capture, application running.
// Errors: read(): kInconsistent for a recording that is not whole or whose streams do not fit, kTooMany, kOutOfBudget, kCancelled.
#pragma once

#include <cstdint>
#include <span>

#include "clrprofiler/ages/age_view.h"
#include "clrprofiler/heap/address_spans.h"
#include "clrprofiler/heap/edge_names.h"
#include "clrprofiler/heap/heap_events.h"
#include "clrprofiler/heap/heap_recording.h"
#include "clrprofiler/heap/recording_reader.h"
#include "common/cancel.h"
#include "common/snapshot/growing_mark_table.h"
#include "common/snapshot/snapshot_fill.h"

namespace holdfast::clr {

// An object of which the walk did not tell, found by other means (frozen objects). Its references are not known.
struct AddedObject {
  std::uint64_t address = 0;
  std::uint64_t shallow_bytes = 0;
  ClassId class_id;
};

// An object that has no address: what stands for a class and its static variables.
struct TailObject {
  ClassId class_id;
  std::uint64_t shallow_bytes = 0;
};
struct TailReference {
  std::uint32_t from = 0;  // index of the tail object; they grow
  std::uint64_t target = 0;
  RefLabel label;
};

// What the streams do not say. Spans by class index (class_table.h) are empty or as long as the table.
struct GraphNames {
  std::span<const ClassId> class_of;
  std::span<const EdgeNames> edges;
  std::span<const TailObject> tail;
  std::span<const TailReference> tail_references;
  AgeView ages;  // not known: objects have none
};

class HeapGraph {
 public:
  // `added` in the order of addresses; it and the recording stay where they are. Marks and scratch come from `arena`.
  static Result<HeapGraph> read(HeapRecording& recording, std::span<const AddedObject> added,
                                Arena& arena, const CancelToken& cancel) noexcept;

  // Without the tail, whose numbers begin here.
  std::uint32_t object_count() const noexcept { return objects_; }
  std::uint64_t duplicate_objects() const noexcept { return duplicates_; }
  // Invalid when there is no such object.
  ObjectId number_of(std::uint64_t address) noexcept {
    const std::uint64_t place = spans_.place_of(address);
    if (place == AddressSpans::kNowhere || !marks_.marked(place)) return {};
    return ObjectId{marks_.number_of(place)};
  }

  // Once: the recording's streams are given back. `roots` lie at the start of the root column.
  Result<void> fill(const GraphNames& names, CaptureMemory& memory, const Catalog& catalog,
                    std::span<const RootRecord> roots, const CancelToken& cancel,
                    Snapshot& out) noexcept;

 private:
  Result<void> order_runs() noexcept;
  Result<void> find_spans() noexcept;
  Result<void> mark_run(RecordedRun& run, RecordingReader& reader,
                        const CancelToken& cancel) noexcept;
  Result<void> mark_all(const CancelToken& cancel) noexcept;
  bool mark(std::uint64_t address) noexcept { return marks_.mark(spans_.place_of(address)); }
  const RecordedRun& run_in_order(std::size_t i) const noexcept {
    return recording_->runs[order_[i]];
  }

  friend class GraphFill;

  HeapRecording* recording_ = nullptr;
  std::span<const AddedObject> added_;
  Arena* arena_ = nullptr;
  std::span<std::uint32_t> order_;  // of runs, by start
  AddressSpans spans_;
  GrowingMarkTable marks_;
  std::uint32_t objects_ = 0;
  std::uint64_t duplicates_ = 0;
};

// As the report calls them.
RootKind root_kind_of(const RecordedRoot& root) noexcept;

// Makes root records of the recorded roots, in place. describe(recorded, record) adds what else is known, of each in its turn. What leads nowhere is left
// out and counted in `lost`.
template <class Describe>
std::span<RootRecord> resolve_roots(HeapRecording& recording, HeapGraph& graph, std::uint64_t& lost,
                                    Describe describe) noexcept {
  static_assert(sizeof(RootRecord) <= sizeof(RecordedRoot));
  auto* records = reinterpret_cast<RootRecord*>(recording.roots.span().data());
  std::size_t count = 0;
  for (std::size_t i = 0; i < recording.roots.size(); ++i) {
    const RecordedRoot recorded = recording.roots[i];
    RootRecord record;
    record.object = graph.number_of(recorded.object);
    record.kind = root_kind_of(recorded);
    describe(recorded, record);
    if (record.object.valid())
      records[count++] = record;
    else
      ++lost;
  }
  return {records, count};
}

}  // namespace holdfast::clr
