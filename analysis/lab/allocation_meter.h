// Counts every malloc, calloc and realloc of a test executable, those of operator new included.
// Why: code that runs inside a VM promises to take nothing from the heap, and so do the libraries that it uses.
// Shape:  defines malloc and its like: include it in one file of an executable only. HF_COUNTS_MALLOC is 0, and there is nothing,
//         under sanitizers, which have a malloc of their own, and with C libraries other than glibc.
// Zone:   tests.   Errors: none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define HF_COUNTS_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define HF_COUNTS_MALLOC 0
#else
#define HF_COUNTS_MALLOC 1
#endif
#else
#define HF_COUNTS_MALLOC 1
#endif

namespace holdfast::analysis::lab {
inline std::atomic<std::uint64_t> allocations{0};
}

#if HF_COUNTS_MALLOC
// operator new of libstdc++ ends here as well.
// One file of an executable only. NOLINTBEGIN(misc-definitions-in-headers,readability-identifier-naming)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* malloc(std::size_t bytes) {
  ++holdfast::analysis::lab::allocations;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  ++holdfast::analysis::lab::allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  ++holdfast::analysis::lab::allocations;
  return __libc_realloc(memory, bytes);
}
}
// NOLINTEND(misc-definitions-in-headers,readability-identifier-naming)
#endif
