#include "clrprofiler/heap/heap_graph.h"

#include <algorithm>

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kLookEvery = 1u << 16;  // objects between two looks at the cancel token

Error contradiction(std::uint64_t where) noexcept {
  return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(where));
}

}  // namespace

RootKind root_kind_of(const RecordedRoot& root) noexcept {
  switch (static_cast<EventRootKind>(root.kind)) {
    case EventRootKind::kStack:
      return RootKind::kStackLocal;
    case EventRootKind::kFinalizer:
      return RootKind::kFinalizer;
    case EventRootKind::kHandle:
      return (root.flags & kRootPinning) != 0 ? RootKind::kPinnedHandle : RootKind::kHandle;
    case EventRootKind::kSizedRef:
      return RootKind::kHandle;
    default:
      return RootKind::kOther;
  }
}

// -- read --

Result<HeapGraph> HeapGraph::read(HeapRecording& recording, std::span<const AddedObject> added,
                                  Arena& arena, const CancelToken& cancel) noexcept {
  if (!recording.whole()) return contradiction(recording.counts.edges);
  HeapGraph graph;
  graph.recording_ = &recording;
  graph.added_ = added;
  graph.arena_ = &arena;
  HF_CHECK_OK(graph.order_runs());
  HF_CHECK_OK(graph.find_spans());
  HF_CHECK_OK(graph.mark_all(cancel));
  HF_TRY(objects, graph.marks_.number());
  graph.objects_ = objects;
  return graph;
}

Result<void> HeapGraph::order_runs() noexcept {
  const std::size_t count = recording_->runs.size();
  HF_TRY(order, arena_->make<std::uint32_t>(count));
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
  const auto& runs = recording_->runs;
  std::sort(order.begin(), order.end(), [&runs](std::uint32_t a, std::uint32_t b) {
    return runs[a].start != runs[b].start ? runs[a].start < runs[b].start : a < b;
  });
  order_ = order;
  return {};
}

Result<void> HeapGraph::find_spans() noexcept {
  HF_TRY(spans, AddressSpans::make(*arena_));
  spans_ = spans;
  std::size_t next_added = 0;
  for (std::size_t i = 0; i <= order_.size(); ++i) {
    const std::uint64_t until = i < order_.size() ? run_in_order(i).start : UINT64_MAX;
    for (; next_added < added_.size() && added_[next_added].address < until; ++next_added)
      HF_CHECK_OK(
          spans_.extend(added_[next_added].address, added_[next_added].address + kUnitBytes));
    if (i < order_.size()) HF_CHECK_OK(spans_.extend(until, run_in_order(i).end));
  }
  HF_TRY(marks, GrowingMarkTable::make(*arena_, spans_.bytes()));
  marks_ = marks;
  return {};
}

Result<void> HeapGraph::mark_run(RecordedRun& run, RecordingReader& reader,
                                 const CancelToken& cancel) noexcept {
  reader.follow_with(*recording_, run);
  RecordedNode node;
  for (std::uint64_t i = 0; i < run.nodes; ++i) {
    if (!reader.next(node) || !reader.skip_edges(node.edges)) return contradiction(run.start);
    if (!mark(node.address)) ++duplicates_;
    if (i % kLookEvery == 0) HF_CHECK_OK(cancel.check());
  }
  return {};
}

Result<void> HeapGraph::mark_all(const CancelToken& cancel) noexcept {
  RecordingReader reader(*recording_, RecordedRun{});
  for (RecordedRun& run : recording_->runs.span()) HF_CHECK_OK(mark_run(run, reader, cancel));
  for (const AddedObject& object : added_) mark(object.address);
  if (marks_.failed()) return make_error(ErrorCode::kOutOfBudget);
  return {};
}

// -- fill --

// The second reading, in the order of addresses.
class GraphFill {
 public:
  GraphFill(HeapGraph& graph, const GraphNames& names, const CancelToken& cancel) noexcept
      : graph_(graph),
        recording_(*graph.recording_),
        names_(names),
        cancel_(cancel),
        ages_(names.ages),
        dependents_(recording_.dependents.span()) {}

  Result<void> run(CaptureMemory& memory) noexcept;
  SnapshotFill& sink() noexcept { return fill_; }

 private:
  struct Active {
    RecordingReader reader;
    RecordedNode node;
  };

  std::size_t overlapping_from(std::size_t first) const noexcept;
  Result<void> one_run(const RecordedRun& run) noexcept;
  Result<void> merged_runs(std::size_t first, std::size_t end) noexcept;
  Result<void> step(Active& active) noexcept;
  bool add_object(const RecordedNode& node, RecordingReader& reader) noexcept;
  void add_added_until(std::uint64_t address) noexcept;
  void add_reference(std::uint64_t target, RefLabel label) noexcept;
  void add_dependents(std::uint64_t key) noexcept;
  void add_tail() noexcept;
  bool is_repeated(std::size_t added) const noexcept {
    return added > 0 && graph_.added_[added - 1].address == graph_.added_[added].address;
  }
  ClassId class_of(std::uint32_t index) const noexcept {
    return index < names_.class_of.size() ? names_.class_of[index] : ClassId{};
  }

  HeapGraph& graph_;
  HeapRecording& recording_;
  const GraphNames& names_;
  const CancelToken& cancel_;
  AgeView ages_;
  std::span<RecordedDependent> dependents_;
  SnapshotFill fill_;
  std::size_t next_added_ = 0;
  std::size_t next_dependent_ = 0;
  std::uint64_t last_address_ = 0;
  std::uint64_t until_look_ = kLookEvery;
};

Result<void> GraphFill::run(CaptureMemory& memory) noexcept {
  const std::uint64_t references =
      recording_.counts.edges + dependents_.size() + names_.tail_references.size();
  HF_CHECK_OK(fill_.prepare(memory, std::uint64_t{graph_.objects_} + names_.tail.size(), references,
                            ages_.source()));
  std::sort(dependents_.begin(), dependents_.end(),
            [](const RecordedDependent& a, const RecordedDependent& b) {
              return a.key != b.key ? a.key < b.key : a.value < b.value;
            });
  for (std::size_t first = 0; first < graph_.order_.size();) {
    const std::size_t end = overlapping_from(first);
    HF_CHECK_OK(end == first + 1 ? one_run(graph_.run_in_order(first)) : merged_runs(first, end));
    first = end;
  }
  add_added_until(UINT64_MAX);
  fill_.losses().references_to_unknown += dependents_.size() - next_dependent_;
  add_tail();
  return {};
}

// The first run behind those that overlap with `first`, directly or through each other.
std::size_t GraphFill::overlapping_from(std::size_t first) const noexcept {
  std::uint64_t end = graph_.run_in_order(first).end;
  std::size_t next = first + 1;
  for (; next < graph_.order_.size() && graph_.run_in_order(next).start < end; ++next)
    end = std::max(end, graph_.run_in_order(next).end);
  return next;
}

Result<void> GraphFill::one_run(const RecordedRun& run) noexcept {
  Active active{RecordingReader(recording_, run), {}};
  while (active.reader.next(active.node)) HF_CHECK_OK(step(active));
  return active.reader.failed() ? Result<void>(contradiction(run.start)) : Result<void>();
}

// A heap of runs: the one with the lowest next address first.
Result<void> GraphFill::merged_runs(std::size_t first, std::size_t end) noexcept {
  ArenaScope scratch(*graph_.arena_);
  HF_TRY(active, graph_.arena_->make<Active>(end - first));
  HF_TRY(queue, graph_.arena_->make<std::uint32_t>(end - first));
  const auto later = [&active](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t of_a = active[a].node.address;
    const std::uint64_t of_b = active[b].node.address;
    return of_a != of_b ? of_a > of_b : a > b;
  };
  std::size_t size = 0;
  for (std::uint32_t i = 0; i < active.size(); ++i) {
    active[i] = Active{RecordingReader(recording_, graph_.run_in_order(first + i)), {}};
    if (active[i].reader.next(active[i].node)) queue[size++] = i;
  }
  std::make_heap(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(size), later);
  while (size > 0) {
    const auto back = queue.begin() + static_cast<std::ptrdiff_t>(size);
    std::pop_heap(queue.begin(), back, later);
    Active& lowest = active[queue[size - 1]];
    HF_CHECK_OK(step(lowest));
    if (lowest.reader.next(lowest.node))
      std::push_heap(queue.begin(), back, later);
    else
      --size;
    if (lowest.reader.failed()) return contradiction(lowest.node.address);
  }
  return {};
}

// The object in front, unless it was there before.
Result<void> GraphFill::step(Active& active) noexcept {
  if (--until_look_ == 0) {
    HF_CHECK_OK(cancel_.check());
    until_look_ = kLookEvery;
  }
  const bool fresh = active.node.address != last_address_;
  last_address_ = active.node.address;
  const bool read =
      fresh ? add_object(active.node, active.reader) : active.reader.skip_edges(active.node.edges);
  if (!read) return contradiction(active.node.address);
  return {};
}

bool GraphFill::add_object(const RecordedNode& node, RecordingReader& reader) noexcept {
  static constexpr EdgeNames kUnnamed{};
  add_added_until(node.address);
  fill_.begin_object(class_of(node.class_index), node.units * kUnitBytes,
                     ages_.age_at(node.address));
  const bool named = node.class_index < names_.edges.size();
  const RowNames row(named ? names_.edges[node.class_index] : kUnnamed, node.units, node.edges,
                     node.set);
  std::uint32_t k = 0;
  const bool read = reader.for_each_edge(
      node.edges, [&](std::uint64_t target) { add_reference(target, row.label(k++)); });
  add_dependents(node.address);
  return read;
}

// Those below the address; one that the walk told of itself is not added.
void GraphFill::add_added_until(std::uint64_t address) noexcept {
  for (; next_added_ < graph_.added_.size(); ++next_added_) {
    const AddedObject& object = graph_.added_[next_added_];
    if (object.address > address) return;
    if (object.address == address || is_repeated(next_added_)) continue;
    fill_.begin_object(object.class_id, object.shallow_bytes, ages_.age_at(object.address));
    add_dependents(object.address);
  }
}

void GraphFill::add_reference(std::uint64_t target, RefLabel label) noexcept {
  const ObjectId number = graph_.number_of(target);
  if (number.valid())
    fill_.add_reference(number, label);
  else
    ++fill_.losses().references_to_unknown;
}

// What dependent handles of this key keep alive. Keys that no object has are lost.
void GraphFill::add_dependents(std::uint64_t key) noexcept {
  for (; next_dependent_ < dependents_.size(); ++next_dependent_) {
    const RecordedDependent& edge = dependents_[next_dependent_];
    if (edge.key > key) return;
    if (edge.key == key)
      add_reference(edge.value, special(SpecialRef::kDependent));
    else
      ++fill_.losses().references_to_unknown;
  }
}

void GraphFill::add_tail() noexcept {
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < names_.tail.size(); ++i) {
    fill_.begin_object(names_.tail[i].class_id, names_.tail[i].shallow_bytes);
    for (; next < names_.tail_references.size() && names_.tail_references[next].from <= i; ++next)
      add_reference(names_.tail_references[next].target, names_.tail_references[next].label);
  }
}

Result<void> HeapGraph::fill(const GraphNames& names, CaptureMemory& memory, const Catalog& catalog,
                             std::span<const RootRecord> roots, const CancelToken& cancel,
                             Snapshot& out) noexcept {
  GraphFill fill(*this, names, cancel);
  HF_CHECK_OK(fill.run(memory));
  memory.shrink_column(kPlaceColumn, 0);  // the streams were read for the last time
  HF_CHECK_OK(fill.sink().finish(catalog, roots, out));
  return verify(out);
}

}  // namespace holdfast::clr
