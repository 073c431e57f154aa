// Counts what is allocated while a heap callback runs. Must be nothing, and the counter itself is tested.
#include <doctest/doctest.h>

#include "common/counted_allocations_for_test.h"
#include "jvmti/fake_capture.h"

bool holdfast::may_not_allocate() { return jvmti::in_stopped_zone; }

using namespace holdfast;
using namespace holdfast::jvmti;

TEST_CASE("an allocation in the stopped zone is seen by the counter") {
  counted_allocations = 0;
  in_stopped_zone = true;
  void* volatile block = std::malloc(10);
  in_stopped_zone = false;
  std::free(block);
  CHECK(counted_allocations == 1);
}

TEST_CASE("heap callbacks allocate nothing, not even when the memory runs out") {
  for (const bool by_address : {false, true})
    for (const std::uint64_t memory : {std::uint64_t{1} << 20, std::uint64_t{64} << 20}) {
      FakeVm vm;
      vm.shows_addresses = by_address;
      std::uint32_t before = vm.add_object(vm.object_class);
      vm.add_root({JVMTI_HEAP_REFERENCE_JNI_GLOBAL, before});
      for (int i = 0; i < 40'000; ++i) {
        const std::uint32_t next = vm.add_object(vm.object_class);
        vm.refer(before, JVMTI_HEAP_REFERENCE_FIELD, i % 7, next);
        before = next;
      }
      FakeCapture capture(vm, memory);
      capture.adapter().set_heap_range({FakeVm::kHeapStart, vm.addresses().back(), 8});
      counted_allocations = 0;
      REQUIRE(capture.run().ok());
      CHECK(capture.out.has_graph == (memory > (1u << 20)));
      CHECK(counted_allocations == 0);
      if (capture.out.has_graph) CHECK((vm.tagged_while_stopped == 0) == by_address);
    }
}
