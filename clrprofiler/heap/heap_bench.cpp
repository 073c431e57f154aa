// What a recording costs in the pause and afterwards, per object and per byte, with memcpy of the same events as the peer: the table
// in docs/decisions/068-clr-heap-recording.md. CPU time, median of kRuns runs. HF_BENCH_OBJECTS=N measures one size only.
// The heap: analysis/lab/heap_like, laid out in regions of 4 MiB whose order is shuffled; and the same with objects shuffled.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "analysis/lab/heap_like.h"
#include "clrprofiler/heap/fake_recording.h"
#include "clrprofiler/heap/heap_graph.h"
#include "clrprofiler/heap/var_int.h"
#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::clr;
using analysis::lab::LabGraph;
using analysis::lab::ObjectOrder;

namespace {

constexpr std::uint64_t kSeed = 20261122;
constexpr int kRuns = 3;
constexpr std::uint64_t kBase = 0x7E8A'0000'0000;
constexpr std::uint64_t kRegionBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kMemory = std::uint64_t{3} << 30;
constexpr std::uint32_t kNodesAtOnce = 2000;
constexpr std::uint32_t kEdgesAtOnce = 5300;

std::vector<std::uint64_t> addresses_of(const LabGraph& graph) {
  std::vector<std::uint64_t> offsets;
  std::uint64_t at = 0;
  for (const std::uint32_t units : graph.shallow_units) {
    offsets.push_back(at);
    at += std::uint64_t{units} * 8;
  }
  std::vector<std::uint64_t> regions(at / kRegionBytes + 1);
  std::iota(regions.begin(), regions.end(), std::uint64_t{0});
  std::mt19937_64 random(kSeed);
  std::shuffle(regions.begin(), regions.end(), random);
  for (std::uint64_t& offset : offsets)
    offset = kBase + regions[offset / kRegionBytes] * kRegionBytes + offset % kRegionBytes;
  return offsets;
}

// The events of a walk, made one at a time: a heap of 10 million objects has 600 MB of them.
class Walk {
 public:
  explicit Walk(const LabGraph& graph) : graph_(graph), addresses_(addresses_of(graph)) {}

  template <class Visit>
  void for_each_event(Visit visit) const {
    visit(fake_forced_start(1));
    std::size_t nodes = 0;
    std::size_t edges = 0;
    std::uint32_t index[2] = {};
    while (nodes < addresses_.size() || edges < graph_.target.size()) {
      if (nodes < addresses_.size()) visit(node_event(nodes, index[0]++));
      const std::size_t known = graph_.first_ref[nodes];
      while (edges + kEdgesAtOnce <= known || (nodes == addresses_.size() && edges < known))
        visit(edge_event(edges, index[1]++));
    }
    visit(fake_gc_end(1));
  }
  const std::vector<std::uint64_t>& addresses() const { return addresses_; }

 private:
  FakeEvent node_event(std::size_t& at, std::uint32_t index) const {
    const std::size_t end = std::min<std::size_t>(at + kNodesAtOnce, addresses_.size());
    EventBytes bytes;
    bytes.put(index).put(static_cast<std::uint32_t>(end - at)).put(std::uint16_t{0});
    for (; at < end; ++at) {
      bytes.put(addresses_[at]).put(std::uint64_t{graph_.shallow_units[at]} * 8);
      bytes.put(std::uint64_t{0x7E00000000} + 264 * std::uint64_t{graph_.class_of[at].value + 1});
      bytes.put(std::uint64_t{graph_.first_ref[at + 1] - graph_.first_ref[at]});
    }
    return bytes.event(kBulkNode);
  }
  FakeEvent edge_event(std::size_t& at, std::uint32_t index) const {
    const std::size_t end = std::min<std::size_t>(at + kEdgesAtOnce, graph_.target.size());
    EventBytes bytes;
    bytes.put(index).put(static_cast<std::uint32_t>(end - at)).put(std::uint16_t{0});
    for (; at < end; ++at) bytes.put(addresses_[graph_.target[at].value]).put(std::uint32_t{0});
    return bytes.event(kBulkEdge);
  }

  const LabGraph& graph_;
  std::vector<std::uint64_t> addresses_;
};

struct Figures {
  std::vector<double> copy_ns;
  std::vector<double> record_ns;
  std::vector<double> read_ns;
  std::vector<double> fill_ns;
  double node_bytes = 0;
  double edge_bytes = 0;
  double scratch_bytes = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class Work>
double cpu_ns(Work work) {
  const std::uint64_t began = platforms::thread_cpu_ns();
  work();
  return static_cast<double>(platforms::thread_cpu_ns() - began);
}

// The peer: the events as they are, into memory that was touched before and is larger than any cache.
double copy_all(const Walk& walk) {
  static std::vector<std::uint8_t> ring(std::size_t{192} << 20, std::uint8_t{1});
  double ns = 0;
  std::size_t at = 0;
  walk.for_each_event([&](const FakeEvent& event) {
    if (at + event.bytes.size() > ring.size()) at = 0;
    ns += cpu_ns([&] { std::memcpy(ring.data() + at, event.bytes.data(), event.bytes.size()); });
    at += event.bytes.size();
  });
  return ns;
}

double record_all(const Walk& walk, FakeRecording& bench) {
  double ns = 0;
  walk.for_each_event([&](const FakeEvent& event) {
    ns += cpu_ns([&] { bench.recorder().on_event(event.id, event.payload()); });
  });
  return ns;
}

void run_once(const LabGraph& graph, const Walk& walk, Figures& out) {
  const double objects = graph.object_count();
  out.copy_ns.push_back(copy_all(walk) / objects);
  FakeRecording bench(kMemory);
  out.record_ns.push_back(record_all(walk, bench) / objects);
  HeapRecording& recording = bench.recording();
  REQUIRE(recording.whole());
  out.node_bytes = static_cast<double>(recording.nodes.size()) / objects;
  out.edge_bytes =
      static_cast<double>(recording.edges.size()) / static_cast<double>(graph.target.size());

  const CancelToken cancel;
  Arena& arena = bench.memory().work_arena();
  arena.take_peak_bytes();
  const std::size_t before = arena.used_bytes();
  HeapGraph heap;
  out.read_ns.push_back(cpu_ns([&] {
                          auto made = HeapGraph::read(recording, {}, arena, cancel);
                          REQUIRE(made.ok());
                          heap = *made;
                        }) /
                        objects);
  Snapshot snapshot;
  out.fill_ns.push_back(
      cpu_ns([&] { REQUIRE(heap.fill({}, bench.memory(), Catalog{}, {}, cancel, snapshot)); }) /
      objects);
  out.scratch_bytes = static_cast<double>(arena.take_peak_bytes() - before) / objects;
  REQUIRE(snapshot.object_count() == graph.object_count());
  REQUIRE(snapshot.reference_count() == graph.target.size());
}

std::size_t var_int_bytes(std::uint64_t value) {
  std::uint8_t bytes[kMaxVarIntBytes];
  return static_cast<std::size_t>(put_var_int(bytes, value) - bytes);
}

// What edges would take if they were coded as distances from their own object.
double bytes_from_referrer(const LabGraph& graph, const std::vector<std::uint64_t>& addresses) {
  std::uint64_t bytes = 0;
  for (std::uint32_t v = 0; v < graph.object_count(); ++v)
    for (std::uint32_t r = graph.first_ref[v]; r < graph.first_ref[v + 1]; ++r)
      bytes += var_int_bytes(zig_zag(addresses[graph.target[r].value] / 8 - addresses[v] / 8));
  return static_cast<double>(bytes) / static_cast<double>(graph.target.size());
}

void measure(std::uint32_t objects, ObjectOrder order) {
  const LabGraph graph = analysis::lab::heap_like(objects, kSeed, order);
  const Walk walk(graph);
  Figures figures;
  for (int i = 0; i < kRuns; ++i) run_once(graph, walk, figures);
  std::printf("| %.0f | %s | %.2f | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f (%.2f) | %.1f |\n",
              objects / 1e6, order == ObjectOrder::kCapture ? "near" : "shuffled",
              static_cast<double>(graph.target.size()) / objects, median(figures.copy_ns),
              median(figures.record_ns), median(figures.read_ns), median(figures.fill_ns),
              figures.node_bytes, figures.edge_bytes, bytes_from_referrer(graph, walk.addresses()),
              figures.scratch_bytes);
  std::fflush(stdout);
}

}  // namespace

TEST_CASE("recording and graph") {
  std::printf(
      "\nns an object of CPU time, B an object or an edge (from the referrer), seed %llu\n"
      "| million objects | order | edges each | memcpy | record | read | fill | node B | edge B | "
      "scratch B |\n|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
      static_cast<unsigned long long>(kSeed));
  std::vector<std::uint32_t> sizes{1'000'000, 5'000'000, 10'000'000};
  if (const char* one = std::getenv("HF_BENCH_OBJECTS"))
    sizes = {static_cast<std::uint32_t>(std::strtoul(one, nullptr, 10))};
  for (const std::uint32_t objects : sizes) measure(objects, ObjectOrder::kCapture);
  measure(sizes.front(), ObjectOrder::kShuffled);
}
