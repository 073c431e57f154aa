#include "clrprofiler/heap/heap_recorder_stopped.h"

#include "clrprofiler/heap/reference_map_stopped.h"
#include "clrprofiler/heap/var_int.h"

namespace holdfast::clr {

namespace {

constexpr std::size_t kMaxNodeBytes = 5 * kMaxVarIntBytes;

// ClassTable::slots(): a number of references up to kMostSlots, or one of these.
constexpr std::uint8_t kNotExamined = 0;
constexpr std::uint8_t kMostSlots = 64;
constexpr std::uint8_t kVarying = 254;    // arrays
constexpr std::uint8_t kNotToldBy = 255;  // its map is none, or has contradicted the runtime
constexpr std::uint32_t kNodesAtOnce = 512;
constexpr std::uint32_t kEdgesAtOnce = 1024;

}  // namespace

void HeapRecording::restart() noexcept {
  nodes.clear();
  edges.clear();
  roots.clear();
  runs.clear();
  dependents.clear();
  statics.clear();
  names.clear();
  classes.restart_counts();
  counts = {};
  trouble = RecordingTrouble::kNone;
}

void HeapRecorder::on_event(std::uint32_t id, Payload payload) noexcept {
  if (done()) return;
  switch (id) {
    case kGcStart:
      return on_start(payload);
    case kGcEnd:
      return on_end(payload);
    case kBulkNode:
      return on_nodes(payload);
    case kBulkEdge:
      return on_edges(payload);
    case kBulkRootEdge:
      return on_roots(payload);
    case kBulkDependentEdge:
      return on_dependents(payload);
    case kBulkStaticVariable:
      return on_statics(payload);
    default:
      return;
  }
}

void HeapRecorder::stop(RecordingTrouble why) noexcept {
  if (recording_on()) recording_.trouble = why;
}

void HeapRecorder::damage() noexcept {
  ++recording_.counts.damaged_payloads;
  stop(RecordingTrouble::kDamaged);
}

void HeapRecorder::on_start(Payload payload) noexcept {
  GcStart start;
  if (!read_gc_start(payload, start)) return damage();
  this->start(start);
}

void HeapRecorder::start(const GcStart& start) noexcept {
  if (done() || filter_.start(start) == WalkFilter::AtStart::kIgnore) return;
  recording_.restart();
  end_ = target_before_ = 0;
  for (std::uint32_t& index : next_index_) index = 0;
}

void HeapRecorder::on_end(Payload payload) noexcept {
  GcEnd end;
  if (!read_gc_end(payload, end)) return damage();
  this->end(end);
}

void HeapRecorder::end(const GcEnd& end) noexcept { filter_.end(end); }

// A whole event of the walk that counts, in its turn.
template <class Record>
bool HeapRecorder::open(Payload payload, std::uint32_t id, BulkEvent<Record>& out) noexcept {
  if (!BulkEvent<Record>::read(payload, out)) return damage(), false;
  std::uint32_t& next = next_index_[id - kBulkRootEdge];
  if (out.index() != next) {
    ++recording_.counts.missing_events;
    stop(RecordingTrouble::kDamaged);
  }
  next = out.index() + 1;
  return true;
}

// -- nodes --

void HeapRecorder::on_nodes(Payload payload) noexcept {
  if (!filter_.nodes()) return;
  BulkEvent<Node> event;
  if (!open(payload, kBulkNode, event)) return;
  for (std::uint32_t first = 0; first < event.count(); first += kNodesAtOnce) {
    const std::uint32_t left = event.count() - first;
    if (!add_nodes(event, first, first + (left < kNodesAtOnce ? left : kNodesAtOnce)))
      return damage();
  }
}

// False at an object that cannot be.
template <class Nodes>
bool HeapRecorder::add_nodes(const Nodes& nodes, std::uint32_t first, std::uint32_t end) noexcept {
  NodeStretch stretch;
  stretch.end = end_;
  if (recording_on()) stretch.at = recording_.nodes.room((end - first) * kMaxNodeBytes);
  if (stretch.at == nullptr) stop(RecordingTrouble::kNodesFull);
  bool possible = true;
  std::uint64_t bytes = 0;
  std::uint32_t i = first;
  for (; i < end && possible; ++i) {
    const Node node = nodes.record(i);
    const std::uint64_t units = units_of(node.bytes);
    possible = can_be(node, units);
    if (!possible) break;
    bytes += units * kUnitBytes;
    const std::uint32_t index = count_node(node, units);
    if (stretch.at != nullptr) write_node(stretch, node, units, index);
  }
  recording_.counts.nodes += i - first;
  recording_.counts.shallow_bytes += bytes;
  if (stretch.at != nullptr) close_stretch(stretch);
  return possible;
}

bool HeapRecorder::can_be(const Node& node, std::uint64_t units) noexcept {
  return units != 0 && units <= kMaxObjectUnits && node.edges <= kMaxObjectEdges &&
         node.address != 0 && node.address % kUnitBytes == 0 &&
         node.address <= UINT64_MAX - units * kUnitBytes;
}

// Answers the class's index.
std::uint32_t HeapRecorder::count_node(const Node& node, std::uint64_t units) noexcept {
  bool fresh = false;
  const std::uint32_t index = recording_.classes.index_of(node.type, fresh);
  CountedType& row = recording_.classes.row(index);
  if (fresh) {
    row.usual_units = units < UINT32_MAX ? static_cast<std::uint32_t>(units) : 0;
    row.usual_edges = static_cast<std::uint32_t>(node.edges);
  }
  ++row.instances;
  row.shallow_bytes += units * kUnitBytes;
  return index;
}

// Which references are set, where the runtime's number of them does not say it; 0: it does, or nothing is known. The object has to
// bear out its class's map each time: as many references as the runtime tells, or one less (a collectible class's LoaderAllocator).
std::uint64_t HeapRecorder::set_of(const Node& node, std::uint32_t index) noexcept {
  if (!reads_objects_ || node.edges == 0 || node.edges > kMostSlots + 1u) return 0;
  std::uint8_t& slots = recording_.classes.slots(index);
  if (slots == kNotToldBy || index == ClassTable::kUnknown) return 0;
  if (slots <= kMostSlots && slots != kNotExamined && node.edges == slots) return 0;
  std::uint64_t set = 0;
  const std::uint32_t all = references_set(node.address, node.type, node.bytes, set);
  const std::uint32_t found = count_set(set);
  if (all == 0 || (found != node.edges && found + 1 != node.edges)) {
    if (!ReferenceMap::has_components(node.type)) slots = kNotToldBy;
    return 0;
  }
  if (slots == kNotExamined)
    slots = ReferenceMap::has_components(node.type) ? kVarying : static_cast<std::uint8_t>(all);
  return found == all ? 0 : set;
}

void HeapRecorder::write_node(NodeStretch& stretch, const Node& node, std::uint64_t units,
                              std::uint32_t index) noexcept {
  std::uint64_t gap = (node.address - stretch.end) / kUnitBytes;  // of a lower address: huge
  if (gap > kMaxGapUnits || recording_.runs.size() == 0) {
    if (!begin_run(stretch, node.address)) return;
    gap = 0;
  }
  const CountedType& row = recording_.classes.row(index);
  const std::uint64_t set = set_of(node, index);
  const std::uint32_t flags =
      (gap != 0 ? kNodeHasGap : 0u) | (units != row.usual_units ? kNodeHasUnits : 0u) |
      (node.edges != row.usual_edges ? kNodeHasEdges : 0u) | (set != 0 ? kNodeHasSet : 0u);
  std::uint8_t* at = put_var_int(stretch.at, (std::uint64_t{index} << kNodeFlagBits) | flags);
  if ((flags & kNodeHasGap) != 0) at = put_var_int(at, gap);
  if ((flags & kNodeHasUnits) != 0) at = put_var_int(at, units);
  if ((flags & kNodeHasEdges) != 0) at = put_var_int(at, node.edges);
  if (set != 0) at = put_var_int(at, set);
  stretch.at = at;
  stretch.end = node.address + units * kUnitBytes;
  stretch.edges += node.edges;
  ++stretch.nodes;
}

// False, and the stretch is at its end, when there is no room for another run.
bool HeapRecorder::begin_run(NodeStretch& stretch, std::uint64_t address) noexcept {
  close_stretch(stretch);
  RecordedRun run;
  run.start = run.end = address;
  run.node_offset = recording_.nodes.size();
  if (recording_.runs.push(run)) return true;
  stop(RecordingTrouble::kRunsFull);
  stretch.at = nullptr;
  return false;
}

// What was written belongs to the last run.
void HeapRecorder::close_stretch(NodeStretch& stretch) noexcept {
  recording_.nodes.advance(stretch.at);
  recording_.counts.announced_edges += stretch.edges;
  end_ = stretch.end;
  if (recording_.runs.size() != 0) {
    RecordedRun& run = recording_.runs[recording_.runs.size() - 1];
    run.nodes += stretch.nodes;
    run.end = stretch.end;
  }
  stretch.nodes = stretch.edges = 0;
}

// -- edges --

void HeapRecorder::on_edges(Payload payload) noexcept {
  if (!filter_.inside()) return;
  BulkEvent<Edge> event;
  if (open(payload, kBulkEdge, event)) add_edges(event, event.count());
}

template <class Edges>
void HeapRecorder::add_edges(const Edges& edges, std::uint32_t edge_count) noexcept {
  std::uint64_t before = target_before_;
  std::uint64_t all_bits = 0;
  for (std::uint32_t first = 0; first < edge_count && recording_on(); first += kEdgesAtOnce) {
    const std::uint32_t left = edge_count - first;
    const std::uint32_t count = left < kEdgesAtOnce ? left : kEdgesAtOnce;
    std::uint8_t* at = recording_.edges.room(count * kMaxVarIntBytes);
    if (at == nullptr) return stop(RecordingTrouble::kEdgesFull);
    for (std::uint32_t i = first; i < first + count; ++i) {
      const std::uint64_t address = edges.record(i).target;
      const std::uint64_t target = address / kUnitBytes;
      all_bits |= address;
      at = put_var_int(at, zig_zag(target - before));
      before = target;
    }
    recording_.edges.advance(at);
    recording_.counts.edges += count;
  }
  target_before_ = before;
  if (all_bits % kUnitBytes != 0) damage();
}

void HeapRecorder::add_object(const Node& node, const std::uintptr_t* targets) noexcept {
  struct Alone {
    const Node& node;
    const Node& record(std::uint32_t) const noexcept { return node; }
  };
  struct Targets {
    const std::uintptr_t* at;
    Edge record(std::uint32_t i) const noexcept { return {at[i]}; }
  };
  if (!filter_.nodes()) return;
  if (!add_nodes(Alone{node}, 0, 1)) return damage();
  add_edges(Targets{targets}, static_cast<std::uint32_t>(node.edges));
}

// -- roots, dependent handles, static variables --

void HeapRecorder::on_roots(Payload payload) noexcept {
  if (!filter_.inside()) return;
  BulkEvent<RootEdge> event;
  if (!open(payload, kBulkRootEdge, event)) return;
  for (std::uint32_t i = 0; i < event.count(); ++i) add_root(event.record(i));
}

void HeapRecorder::add_root(const RootEdge& root) noexcept {
  if (!filter_.inside() || !recording_on()) return;
  if (root.object == 0) {
    ++recording_.counts.null_roots;
  } else if ((root.flags & kRootWeak) != 0) {
    ++recording_.counts.weak_roots;
  } else if (!recording_.roots.push({root.object, root.id, root.flags, root.kind})) {
    stop(RecordingTrouble::kRootsFull);
  }
}

void HeapRecorder::on_dependents(Payload payload) noexcept {
  if (!filter_.inside()) return;
  BulkEvent<Dependent> event;
  if (!open(payload, kBulkDependentEdge, event)) return;
  for (std::uint32_t i = 0; i < event.count(); ++i) add_dependent(event.record(i));
}

void HeapRecorder::add_dependent(const Dependent& edge) noexcept {
  if (!filter_.inside() || !recording_on() || edge.key == 0 || edge.value == 0) return;
  if (!recording_.dependents.push({edge.key, edge.value})) stop(RecordingTrouble::kDependentsFull);
}

bool HeapRecorder::push_static(const StaticVariableRecord& variable) noexcept {
  RecordedStatic record;
  record.slot = variable.slot;
  record.object = variable.object;
  record.type = variable.type;
  record.flags = variable.flags;
  record.name_at = static_cast<std::uint32_t>(recording_.names.size());
  record.name_units = variable.name_units;
  for (std::uint32_t i = 0; i < variable.name_units; ++i)
    if (!recording_.names.push(read_at<char16_t>(variable.name + 2 * std::size_t{i}))) return false;
  return recording_.statics.push(record);
}

void HeapRecorder::on_statics(Payload payload) noexcept {
  if (!filter_.inside()) return;
  StaticVariables variables;
  if (!StaticVariables::read(payload, variables)) return damage();
  StaticVariableRecord variable;
  while (variables.left() > 0 && recording_on()) {
    if (!variables.next(variable)) return damage();
    if (!push_static(variable)) stop(RecordingTrouble::kStaticsFull);
  }
}

}  // namespace holdfast::clr
