// Any events between the start and the end of a forced collection: nothing is read behind its end, and what calls itself whole makes
// a sound snapshot with every object that was told of.
// Input:  events, each an id (1 byte), a length (2 bytes) and that many bytes, or as many as are left.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "clrprofiler/heap/heap_graph.h"
#include "clrprofiler/heap/heap_recorder_stopped.h"
#include "clrprofiler/heap/random_clr_heap_fixture.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

constexpr std::uint64_t kMemory = std::uint64_t{16} << 20;
constexpr RecordingLimits kLimits{16, 32, 16, 8, 200};

void check(bool right) {
  if (!right) std::abort();
}

class Ground {
 public:
  Ground() {
    check(reservation_.open(CaptureMemory::address_space_bytes(kMemory)).ok());
    check(memory_.open(reservation_, ledger_).ok());
  }
  CaptureMemory& begin() {
    check(memory_.begin_dump().ok());
    return memory_;
  }
  void end() {
    memory_.end_dump();
    check(ledger_.total_bytes() == 0);
  }

 private:
  Ledger ledger_{kMemory};
  Reservation reservation_;
  CaptureMemory memory_;
};

void play(HeapRecorder& recorder, const std::uint8_t* data, std::size_t size) {
  const FakeEvent start = fake_forced_start(1);
  recorder.on_event(start.id, start.payload());
  for (std::size_t at = 0; at + 3 <= size;) {
    const std::size_t wanted = read_at<std::uint16_t>(data + at + 1);
    const std::size_t bytes = std::min(wanted, size - at - 3);
    const auto copy = std::make_unique<std::uint8_t[]>(bytes);  // so that a sanitizer sees its end
    std::copy_n(data + at + 3, bytes, copy.get());
    recorder.on_event(data[at], Payload{copy.get(), bytes});
    at += 3 + bytes;
  }
  const FakeEvent end = fake_gc_end(1);
  recorder.on_event(end.id, end.payload());
}

void check_counts(const HeapRecording& recording) {
  std::uint64_t instances = 0;
  for (const CountedType& row : recording.classes.rows()) instances += row.instances;
  check(instances == recording.counts.nodes);
}

void build(HeapRecording& recording, CaptureMemory& memory) {
  const CancelToken cancel;
  auto graph = HeapGraph::read(recording, {}, memory.work_arena(), cancel);
  if (!graph) return check(graph.error().code != ErrorCode::kInconsistent);
  check(graph->object_count() + graph->duplicate_objects() == recording.counts.nodes);
  Snapshot snapshot;
  std::uint64_t lost = 0;
  const auto roots =
      resolve_roots(recording, *graph, lost, [](const RecordedRoot&, RootRecord&) {});
  const auto filled = graph->fill({}, memory, Catalog{}, roots, cancel, snapshot);
  if (!filled) return check(filled.error().code != ErrorCode::kInconsistent);
  check(snapshot.object_count() == graph->object_count());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Ground ground;
  CaptureMemory& memory = ground.begin();
  {
    HeapRecording recording;
    check(recording.prepare(memory, kLimits).ok());
    HeapRecorder recorder(recording);
    play(recorder, data, size);
    check_counts(recording);
    if (recorder.done() && recording.whole()) build(recording, memory);
  }
  ground.end();
  return 0;
}

extern "C" std::size_t hf_fuzz_seed(std::uint8_t* out, std::size_t capacity) {
  RandomHeapShape shape;
  shape.objects = 40;
  shape.regions = 3;
  shape.types = 6;
  std::vector<std::uint8_t> bytes;
  for (const FakeEvent& event : fake_walk(RandomClrHeap(shape, 8).make(), {12, 30, 2})) {
    bytes.push_back(static_cast<std::uint8_t>(event.id));
    bytes.push_back(static_cast<std::uint8_t>(event.bytes.size()));
    bytes.push_back(static_cast<std::uint8_t>(event.bytes.size() >> 8));
    bytes.insert(bytes.end(), event.bytes.begin(), event.bytes.end());
  }
  if (bytes.size() > capacity) return 0;
  std::memcpy(out, bytes.data(), bytes.size());
  return bytes.size();
}
