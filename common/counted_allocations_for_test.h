// Counts what is allocated while the code under test may not allocate. In one source of a test executable, since it replaces malloc there.
// Shape:  the test says when: may_not_allocate(); the counter is counted_allocations.   Zone: tests.   Errors: none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>

namespace holdfast {

inline std::atomic<int> counted_allocations{0};
// The test's own: whether the calling thread is where nothing may be allocated.
bool may_not_allocate();

inline void count_allocation() {
  if (may_not_allocate()) counted_allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace holdfast

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
    [](const volatile void*, std::size_t) { holdfast::count_allocation(); },
    [](const volatile void*) {});
}
#else
// glibc's own. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" void* __libc_malloc(std::size_t bytes);
// NOLINTNEXTLINE(misc-definitions-in-headers)
extern "C" void* malloc(std::size_t bytes) {
  holdfast::count_allocation();
  return __libc_malloc(bytes);
}
#endif
