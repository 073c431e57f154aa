// What a heap costs an object, read in one buffer and object by object; and what of that is the
// fake VM's own, which is asked the same and not listened to. The part of a real VM is in
// docs/decisions/047-jvmpi-one-buffer-or-objects.md.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>

#include "jvmpi/heap/read_heap_fixture.h"

using namespace holdfast;
using namespace holdfast::jvmpi;

namespace {

constexpr std::uint32_t kObjects = 1'000'000;
constexpr int kRounds = 3;

template <class Run>
double ns_an_object(Run run) {
  double best = 1e18;
  for (int round = 0; round < kRounds; ++round) {
    const auto began = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
    best = std::min(best, took.count() / kObjects);
  }
  return best;
}

void read(ReadHeap& bench, bool one_buffer) {
  bench.memory.end_dump();
  REQUIRE(bench.memory.begin_dump().ok());
  HeapReading heap(bench.requests, bench.memory);
  ReadingPlan plan;
  plan.one_buffer = one_buffer;
  REQUIRE(heap.read(plan).ok());
}

void ask_for_level(VmRequests& requests, jint number) {
  JVMPI_HeapDumpArg level{number};
  requests.ask(kHeapDump, &level, [](const JVMPI_Event&) {});
}

}  // namespace

TEST_CASE("a heap of a million objects") {
  ReadHeap bench(std::uint64_t{512} << 20);
  fill_at_random(bench.vm, kObjects);
  const double whole = ns_an_object([&] { read(bench, true); });
  const double single = ns_an_object([&] { read(bench, false); });
  const double level_2 = ns_an_object([&] { ask_for_level(bench.requests, kDumpValues); });
  const double requests = ns_an_object([&] {
    const GcOff off(bench.requests);
    for (const jint level : {kDumpIds, kDumpReferences}) ask_for_level(bench.requests, level);
    for (const VmId id : bench.vm.all_ids())
      bench.requests.ask(kObjectDump, id, [](const JVMPI_Event&) {});
  });
  std::printf("one buffer:  %5.0f ns an object, %5.0f of them ours\n", whole, whole - level_2);
  std::printf("each object: %5.0f ns an object, %5.0f of them ours\n", single, single - requests);
}
