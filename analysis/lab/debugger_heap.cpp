#include "analysis/lab/debugger_heap.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>

namespace holdfast::analysis::lab {

namespace {

constexpr std::string_view kMagic = "HFDBGHP1";
constexpr std::uint64_t kSmallestObjectBytes = 24;

// Values from the front of a file; after the first that is not there, all are zero.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> file) : rest_(file) {}

  template <class T>
  T take() {
    T value{};
    if (const auto from = take_bytes(sizeof(T)); !from.empty())
      std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  std::string_view take_text(std::size_t size) {
    const auto from = take_bytes(size);
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }
  // A count of things of at least `bytes` each; more than the file can hold is damage.
  std::uint32_t take_count(std::size_t bytes) {
    const auto count = take<std::uint32_t>();
    if (count > rest_.size() / bytes) whole_ = false;
    return whole_ ? count : 0;
  }
  bool whole() const { return whole_; }
  bool ended() const { return whole_ && rest_.empty(); }

 private:
  std::span<const std::byte> take_bytes(std::size_t size) {
    if (size > rest_.size()) whole_ = false;
    if (!whole_) return {};
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }

  std::span<const std::byte> rest_;
  bool whole_ = true;
};

DebuggerHeap::Object take_object(Bytes& bytes) {
  DebuggerHeap::Object object;
  object.address = bytes.take<std::uint64_t>();
  object.type = bytes.take<std::uint32_t>();
  object.shallow_bytes = bytes.take<std::uint64_t>();
  object.reached = bytes.take<std::uint8_t>() != 0;
  object.referents.resize(bytes.take_count(sizeof(std::uint32_t)));
  for (std::uint32_t& referent : object.referents) referent = bytes.take<std::uint32_t>();
  return object;
}

bool numbers_are_sound(const DebuggerHeap& heap) {
  return std::all_of(heap.objects.begin(), heap.objects.end(), [&](const auto& object) {
    return object.type < heap.types.size() &&
           std::all_of(object.referents.begin(), object.referents.end(),
                       [&](std::uint32_t r) { return r < heap.objects.size(); });
  });
}

// What both sides are turned into.
struct Graph {
  std::vector<std::uint64_t> colour{};
  std::vector<std::uint32_t> first_ref{0};
  std::vector<std::uint32_t> target{};
};

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}

// No profiling interface tells what the pointers of an array point to.
std::string comparable_name(std::string_view name) {
  const std::size_t pointer = name.find("*[");
  return pointer == std::string_view::npos ? std::string(name)
                                           : "void" + std::string(name.substr(pointer));
}

// The empty string is 22 bytes to one reader and 24 to the other: sizes are compared as they lie in memory.
std::uint64_t first_colour(std::string_view class_name, std::uint64_t shallow_bytes) {
  const std::uint64_t bytes =
      std::max(kSmallestObjectBytes, shallow_units_of(shallow_bytes) * kShallowUnitBytes);
  return mixed(std::hash<std::string>{}(comparable_name(class_name)) + mixed(bytes));
}

std::string_view class_name_of(const Snapshot& s, std::uint32_t v) {
  const ClassId c = s.class_of[v];
  return c.valid() ? s.catalog.class_name(c) : "";
}

Graph graph_of(const Snapshot& s) {
  Graph graph;
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    graph.colour.push_back(first_colour(class_name_of(s, v), s.shallow_bytes(ObjectId{v})));
  graph.first_ref.assign(s.first_ref.begin(), s.first_ref.end());
  for (const ObjectId to : s.target) graph.target.push_back(to.value);
  return graph;
}

Graph graph_of(const DebuggerHeap& heap) {
  Graph graph;
  for (const auto& object : heap.objects) {
    graph.colour.push_back(first_colour(heap.types[object.type], object.shallow_bytes));
    graph.target.insert(graph.target.end(), object.referents.begin(), object.referents.end());
    graph.first_ref.push_back(static_cast<std::uint32_t>(graph.target.size()));
  }
  return graph;
}

void go_deeper(Graph& graph) {
  std::vector<std::uint64_t> next(graph.colour.size());
  for (std::size_t v = 0; v < next.size(); ++v) {
    std::uint64_t sum = graph.colour[v];  // a sum, because neither side tells the order of fields
    for (std::uint32_t i = graph.first_ref[v]; i < graph.first_ref[v + 1]; ++i)
      sum += mixed(graph.colour[graph.target[i]] + 1);
    next[v] = mixed(sum);
  }
  graph.colour.swap(next);
}

// Objects of one colour on both sides.
struct Meeting {
  std::vector<std::uint32_t> in_snapshot{};
  std::uint64_t reached = 0;
  std::vector<std::uint32_t> in_debugger{};
};

class Comparison {
 public:
  Comparison(const Snapshot& snapshot, const DebuggerHeap& debugger)
      : snapshot_(snapshot),
        debugger_(debugger),
        ours_(graph_of(snapshot)),
        theirs_(graph_of(debugger)) {}

  DebuggerComparison run() {
    compare();
    for (int depth = 0; depth < kDebuggerDepths; ++depth) {
      go_deeper(ours_);
      go_deeper(theirs_);
      compare();
    }
    return result_;
  }

 private:
  void compare() {
    std::unordered_map<std::uint64_t, Meeting> meetings;
    for (std::uint32_t v = 0; v < ours_.colour.size(); ++v)
      meetings[ours_.colour[v]].in_snapshot.push_back(v);
    for (std::uint32_t v = 0; v < theirs_.colour.size(); ++v) {
      Meeting& meeting = meetings[theirs_.colour[v]];
      meeting.in_debugger.push_back(v);
      meeting.reached += debugger_.objects[v].reached ? 1 : 0;
    }
    DebuggerComparison::Depth depth;
    std::map<std::string, std::uint64_t> differences;
    for (const auto& [colour, meeting] : meetings) add(meeting, depth, differences);
    if (result_.lines.empty()) tell(differences);
    result_.depths.push_back(depth);
  }

  void add(const Meeting& meeting, DebuggerComparison::Depth& depth,
           std::map<std::string, std::uint64_t>& differences) const {
    const std::uint64_t ours = meeting.in_snapshot.size();
    const std::uint64_t theirs = meeting.in_debugger.size();
    depth.alike += std::min(ours, theirs);
    if (ours > theirs) {
      depth.only_in_snapshot += ours - theirs;
      differences["only in the snapshot: " + our_name(meeting.in_snapshot.front())] +=
          ours - theirs;
    }
    // Of several that look alike the unreached ones are the ones without a counterpart.
    const std::uint64_t lone = theirs > ours ? theirs - ours : 0;
    const std::uint64_t reached = std::min(lone, meeting.reached - std::min(meeting.reached, ours));
    depth.only_reached += reached;
    depth.only_unreached += lone - reached;
    if (reached > 0)
      differences["only in the debugger: " + their_name(meeting.in_debugger.front())] += reached;
  }

  std::string our_name(std::uint32_t v) const {
    return std::string(class_name_of(snapshot_, v)) + ", " +
           std::to_string(snapshot_.shallow_bytes(ObjectId{v})) + " bytes";
  }
  std::string their_name(std::uint32_t v) const {
    const auto& object = debugger_.objects[v];
    return debugger_.types[object.type] + ", " + std::to_string(object.shallow_bytes) + " bytes";
  }

  void tell(const std::map<std::string, std::uint64_t>& differences) {
    for (const auto& [what, count] : differences)
      if (result_.lines.size() < kMostDebuggerLines)
        result_.lines.push_back(what + ": " + std::to_string(count));
  }

  const Snapshot& snapshot_;
  const DebuggerHeap& debugger_;
  Graph ours_;
  Graph theirs_;
  DebuggerComparison result_;
};

}  // namespace

std::optional<DebuggerHeap> read_debugger_heap(std::span<const std::byte> file) {
  Bytes bytes(file);
  if (bytes.take_text(kMagic.size()) != kMagic) return std::nullopt;
  DebuggerHeap heap;
  heap.types.resize(bytes.take_count(sizeof(std::uint32_t)));
  for (std::string& type : heap.types) type = bytes.take_text(bytes.take_count(1));
  constexpr std::size_t kObjectBytes = 8 + 4 + 8 + 1 + 4;
  heap.objects.resize(bytes.take_count(kObjectBytes));
  for (auto& object : heap.objects) object = take_object(bytes);
  for (std::uint32_t left = bytes.take_count(8); left > 0; --left) {
    const auto key = bytes.take<std::uint32_t>();
    const auto value = bytes.take<std::uint32_t>();
    if (key >= heap.objects.size()) return std::nullopt;
    heap.objects[key].referents.push_back(value);
  }
  if (!bytes.ended() || !numbers_are_sound(heap)) return std::nullopt;
  return heap;
}

std::uint64_t DebuggerComparison::most_different() const {
  std::uint64_t most = 0;
  for (const Depth& depth : depths)
    most = std::max(most, std::max(depth.only_in_snapshot, depth.only_reached));
  return most;
}

DebuggerComparison compare_with_debugger(const Snapshot& snapshot, const DebuggerHeap& debugger) {
  return Comparison(snapshot, debugger).run();
}

}  // namespace holdfast::analysis::lab
