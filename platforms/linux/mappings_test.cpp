#include "platforms/mappings.h"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <cstddef>
#include <initializer_list>

using namespace holdfast::platforms;

TEST_CASE("private and shared mappings are told apart") {
  constexpr std::size_t kBytes = 1 << 16;
  for (const bool shared : {false, true}) {
    void* start = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                         MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE), -1, 0);
    REQUIRE(start != MAP_FAILED);
    CHECK(mappings_are_private(start, kBytes) == !shared);
    CHECK(mappings_are_private(static_cast<std::byte*>(start) + kBytes / 2, 1) == !shared);
    ::munmap(start, kBytes);
    CHECK_FALSE(mappings_are_private(start, kBytes));  // nothing there
  }
}

TEST_CASE("what cannot be read is told without a signal") {
  constexpr std::size_t kBytes = 1 << 13;
  void* start = ::mmap(nullptr, kBytes, PROT_READ, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
  REQUIRE(start != MAP_FAILED);
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  CHECK(is_readable(address));
  CHECK(is_readable(address + kBytes - 8));
  ::mprotect(start, kBytes, PROT_NONE);
  CHECK_FALSE(is_readable(address));
  ::munmap(start, kBytes);
  CHECK_FALSE(is_readable(address));
  CHECK_FALSE(is_readable(0));
}
