// Counts what is allocated while a heap callback runs. Must be nothing, and the counter itself is tested.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>

#include "jvmti/fake_capture.h"

namespace {

std::atomic<int> stopped_allocations{0};

void count_allocation() {
  if (holdfast::jvmti::in_stopped_zone) stopped_allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HF_TEST_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HF_TEST_SANITIZED 1
#endif

#ifdef HF_TEST_SANITIZED
// g++ has the function but not its header.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void*,
                                                                           std::size_t),
                                                         void (*freed)(const volatile void*));
namespace {
const int hooks_installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { count_allocation(); }, [](const volatile void*) {});
}
#else
// glibc's own. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* malloc(std::size_t bytes) {
  count_allocation();
  return __libc_malloc(bytes);
}
#endif

using namespace holdfast;
using namespace holdfast::jvmti;

TEST_CASE("an allocation in the stopped zone is seen by the counter") {
  stopped_allocations = 0;
  in_stopped_zone = true;
  void* volatile block = std::malloc(10);
  in_stopped_zone = false;
  std::free(block);
  CHECK(stopped_allocations == 1);
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
      stopped_allocations = 0;
      REQUIRE(capture.run().ok());
      CHECK(capture.out.has_graph == (memory > (1u << 20)));
      CHECK(stopped_allocations == 0);
      if (capture.out.has_graph) CHECK((vm.tagged_while_stopped == 0) == by_address);
    }
}
