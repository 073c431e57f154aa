// A recording read back: objects one after the other, each with its references, from any run on.
// Why from any run: the runtime tells of regions in an order of its own, the snapshot wants addresses to grow.
// Shape:  next(), then either for_each_edge() or skip_edges(), in turn. O(bytes). A reader is 64 B.
// Zone:   capture.
// Errors: next() and the edges answer false at the end of the run and when the streams do not fit each other; failed() tells them
//         apart.
#pragma once

#include "clrprofiler/heap/heap_recording.h"
#include "clrprofiler/heap/var_int.h"

namespace holdfast::clr {

struct RecordedNode {
  std::uint64_t address = 0;
  std::uint64_t units = 0;
  std::uint32_t class_index = 0;
  std::uint32_t edges = 0;
  std::uint64_t set =
      0;  // which of its references are not null; 0: all of them, or it is not known
};

class RecordingReader {
 public:
  RecordingReader() = default;
  RecordingReader(const HeapRecording& recording, const RecordedRun& run) noexcept
      : classes_(recording.classes.rows()), end_(run.start), nodes_left_(run.nodes) {
    node_end_ = recording.nodes.span().data() + recording.nodes.size();
    node_at_ = recording.nodes.span().data() + run.node_offset;
    edge_begin_ = recording.edges.span().data();
    edge_end_ = edge_begin_ + recording.edges.size();
    edge_at_ = edge_begin_ + run.edge_offset;
    target_ = run.target_before;
  }

  bool next(RecordedNode& out) noexcept {
    if (nodes_left_ == 0 || failed_) return false;
    std::uint64_t head = 0;
    std::uint64_t gap = 0;
    if (!take_var_int(node_at_, node_end_, head)) return fail();
    const std::uint64_t index = head >> kNodeFlagBits;
    if (index >= classes_.size()) return fail();
    const CountedType& row = classes_[static_cast<std::size_t>(index)];
    std::uint64_t units = row.usual_units;
    std::uint64_t edges = row.usual_edges;
    if ((head & kNodeHasGap) != 0 && !take_var_int(node_at_, node_end_, gap)) return fail();
    if ((head & kNodeHasUnits) != 0 && !take_var_int(node_at_, node_end_, units)) return fail();
    if ((head & kNodeHasEdges) != 0 && !take_var_int(node_at_, node_end_, edges)) return fail();
    out.set = 0;
    if ((head & kNodeHasSet) != 0 && !take_var_int(node_at_, node_end_, out.set)) return fail();
    out.address = end_ + gap * kUnitBytes;
    out.units = units;
    out.class_index = static_cast<std::uint32_t>(index);
    out.edges = static_cast<std::uint32_t>(edges);
    end_ = out.address + units * kUnitBytes;
    --nodes_left_;
    return true;
  }

  // visit(address) for the next `count` edges.
  template <class Visit>
  bool for_each_edge(std::uint32_t count, Visit visit) noexcept {
    for (std::uint32_t i = 0; i < count; ++i) {
      std::uint64_t coded = 0;
      if (!take_var_int(edge_at_, edge_end_, coded)) return fail();
      target_ += un_zig_zag(coded);
      visit(target_ * kUnitBytes);
    }
    return true;
  }
  bool skip_edges(std::uint32_t count) noexcept {
    return for_each_edge(count, [](std::uint64_t) {});
  }

  // Goes on with another run, whose edges follow those of this one.
  void follow_with(const HeapRecording& recording, RecordedRun& run) noexcept {
    run.edge_offset = static_cast<std::uint64_t>(edge_at_ - edge_begin_);
    run.target_before = target_;
    *this = RecordingReader(recording, run);
  }
  bool failed() const noexcept { return failed_; }

 private:
  bool fail() noexcept {
    failed_ = true;
    return false;
  }

  std::span<const CountedType> classes_;
  const std::uint8_t* node_at_ = nullptr;
  const std::uint8_t* node_end_ = nullptr;
  const std::uint8_t* edge_at_ = nullptr;
  const std::uint8_t* edge_begin_ = nullptr;
  const std::uint8_t* edge_end_ = nullptr;
  std::uint64_t end_ = 0;  // behind the object before
  std::uint64_t target_ = 0;
  std::uint64_t nodes_left_ = 0;
  bool failed_ = false;
};

}  // namespace holdfast::clr
