// Inside a VM the writer may take nothing from the heap: neither we nor flatbuffers may reach malloc or operator new.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "analysis/report/reader.h"
#include "analysis/report/report_fixture.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define HF_COUNTS_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HF_COUNTS_MALLOC 0
#else
#define HF_COUNTS_MALLOC 1
#endif
#else
#define HF_COUNTS_MALLOC 1
#endif

namespace {
std::atomic<std::uint64_t> allocations{0};
}

#if HF_COUNTS_MALLOC
// operator new of libstdc++ ends here as well.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* malloc(std::size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  ++allocations;
  return __libc_realloc(memory, bytes);
}
}

using namespace holdfast::analysis;

TEST_CASE("the meter counts") {
  const std::uint64_t before = allocations;
  auto object = std::make_unique<int>(1);
  void* volatile block = std::malloc(10);
  std::free(block);
  CHECK(allocations == before + 2);
}

TEST_CASE("writing and checking a report allocates nothing") {
  ReportFixture small;
  ReportFixture simple({.graph = false});
  ReportFixture large({.classes = 4000, .loaders = 600, .packages = 600, .threads = 600, .objects = 20000, .tree = 2000,
                       .tops = 50, .suspects = 20, .path_steps = 64, .name_bytes = 600, .graph = true});
  for (ReportFixture* fixture : {&small, &simple, &large}) {
    const std::uint64_t before = allocations;
    const bool written = fixture->write().ok();
    const std::uint64_t after = allocations;
    CHECK(written);
    CHECK(after == before);
  }
}
#endif
