// Counts what is allocated while the VM has its collector off for us: nothing, the application may be waiting for it.
#include <doctest/doctest.h>

#include "common/counted_allocations_for_test.h"
#include "jvmpi/heap/read_heap_fixture.h"

bool holdfast::may_not_allocate() { return jvmpi::FakeVm::ours; }

using namespace holdfast;
using namespace holdfast::jvmpi;

TEST_CASE("an allocation with GC off is seen by the counter") {
  FakeVm vm;
  counted_allocations = 0;
  vm.interface.DisableGC();
  void* volatile block = std::malloc(10);
  vm.interface.EnableGC();
  std::free(block);
  CHECK(counted_allocations == 1);
}

TEST_CASE(
    "with GC off nothing is allocated, whichever way a heap is read, and not when memory runs "
    "out") {
  for (const std::uint64_t memory : {std::uint64_t{1} << 20, std::uint64_t{16} << 20})
    for (const bool one_buffer : {true, false}) {
      ReadHeap bench(memory);
      const VmId object = bench.vm.add_class("java.lang.Object", 0).id;
      bench.vm.add_class("java.lang.Class", object);
      std::vector<std::uint64_t> ids;
      ids.reserve(20'000);
      for (int i = 0; i < 20'000; ++i) ids.push_back(bench.vm.add_instance(object, {}).id);
      bench.vm.add_object_array(object, ids);
      REQUIRE(bench.memory.begin_dump().ok());
      HeapReading heap(bench.requests, bench.memory);
      ReadingPlan plan;
      plan.one_buffer = one_buffer;
      counted_allocations = 0;
      const Result<void> read = heap.read(plan);
      CHECK(counted_allocations == 0);
      CHECK(read.ok() == (memory > (1u << 20)));
      CHECK(bench.vm.gc_off == 0);
    }
}

TEST_CASE("nor while objects are counted") {
  ReadHeap bench;
  const VmId object = bench.vm.add_class("java.lang.Object", 0).id;
  bench.vm.add_class("java.lang.Class", object);
  for (int i = 0; i < 1000; ++i) bench.vm.add_instance(object, {});
  REQUIRE(bench.memory.begin_dump().ok());
  HeapCount heap(bench.requests, bench.memory);
  counted_allocations = 0;
  REQUIRE(heap.count().ok());
  CHECK(counted_allocations == 0);
}
