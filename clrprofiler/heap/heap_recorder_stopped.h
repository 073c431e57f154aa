// Writes down what the runtime tells of its heap while the application stands still.
// Why so little: each nanosecond for an object is the user's pause, and no other thread may be waited for.
// Shape:  fed by events, or where the runtime has none by its calls, one for each object (object_walk.h). 10 to 15 ns an object, see
//         docs/decisions/068-clr-heap-recording.md; memory as in heap_recording.h. One thread at a time (with server GC another one than
//         the one that asked). Once something is full or damaged the streams stay as they are, and classes are counted on.
// Zone:   stopped.
// Errors: none to the caller; recording().trouble and filter().done() say afterwards what came of it.
#pragma once

#include "clrprofiler/heap/heap_events.h"
#include "clrprofiler/heap/heap_recording.h"
#include "clrprofiler/heap/walk_filter.h"

namespace holdfast::clr {

class HeapRecorder {
 public:
  // Whether the objects themselves are looked at, for which of their references are null: only where addresses are real.
  enum class Objects : std::uint8_t { kUnseen, kRead };

  // The recording is prepared, and stays where it is.
  explicit HeapRecorder(HeapRecording& recording, Objects objects = Objects::kUnseen) noexcept
      : recording_(recording), reads_objects_(objects == Objects::kRead) {}
  HeapRecorder(const HeapRecorder&) = delete;
  HeapRecorder& operator=(const HeapRecorder&) = delete;

  using Node = NodeRecord<kUnitBytes>;
  using RootEdge = RootEdgeRecord<kUnitBytes>;
  using Dependent = DependentRecord<kUnitBytes>;

  // An event of the runtime's own provider (the caller has looked). Events of other kinds are ignored.
  void on_event(std::uint32_t id, Payload payload) noexcept;

  // The same, one by one. What belongs to no walk of ours is ignored.
  void start(const GcStart& start) noexcept;
  void end(const GcEnd& end) noexcept;
  void add_object(const Node& node, const std::uintptr_t* targets) noexcept;  // [node.edges]
  void add_root(const RootEdge& root) noexcept;
  void add_dependent(const Dependent& edge) noexcept;

  // The caller could not bring an event here.
  void lose_event() noexcept {
    ++recording_.counts.missing_events;
    stop(RecordingTrouble::kDamaged);
  }
  const WalkFilter& filter() const noexcept { return filter_; }
  // The walk that was asked for is here; whether all of it was kept, its recording says.
  bool done() const noexcept { return filter_.done(); }

 private:
  static constexpr std::size_t kBulkKinds = 4;
  using Edge = EdgeRecord<kUnitBytes>;

  // Nodes on their way into the stream: in registers, because a store of a byte might change anything in memory.
  struct NodeStretch {
    std::uint8_t* at = nullptr;  // nullptr: nothing is written any more
    std::uint64_t end = 0;       // behind the object before
    std::uint64_t nodes = 0;     // since the run was last brought up to date
    std::uint64_t edges = 0;
  };

  void on_start(Payload payload) noexcept;
  void on_end(Payload payload) noexcept;
  void on_nodes(Payload payload) noexcept;
  void on_edges(Payload payload) noexcept;
  void on_roots(Payload payload) noexcept;
  void on_dependents(Payload payload) noexcept;
  void on_statics(Payload payload) noexcept;
  template <class Nodes>
  bool add_nodes(const Nodes& nodes, std::uint32_t first, std::uint32_t end) noexcept;
  template <class Edges>
  void add_edges(const Edges& edges, std::uint32_t edge_count) noexcept;
  static bool can_be(const Node& node, std::uint64_t units) noexcept;
  std::uint32_t count_node(const Node& node, std::uint64_t units) noexcept;
  void write_node(NodeStretch& stretch, const Node& node, std::uint64_t units,
                  std::uint32_t index) noexcept;
  std::uint64_t set_of(const Node& node, std::uint32_t index) noexcept;
  bool begin_run(NodeStretch& stretch, std::uint64_t address) noexcept;
  void close_stretch(NodeStretch& stretch) noexcept;
  bool push_static(const StaticVariableRecord& variable) noexcept;
  template <class Record>
  bool open(Payload payload, std::uint32_t id, BulkEvent<Record>& out) noexcept;
  void damage() noexcept;
  void stop(RecordingTrouble why) noexcept;
  bool recording_on() const noexcept { return recording_.trouble == RecordingTrouble::kNone; }

  HeapRecording& recording_;
  bool reads_objects_;
  WalkFilter filter_;
  std::uint64_t end_ = 0;            // behind the object before
  std::uint64_t target_before_ = 0;  // in units
  std::uint32_t next_index_[kBulkKinds] = {};
};

}  // namespace holdfast::clr
