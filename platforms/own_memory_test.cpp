#include "platforms/own_memory.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "platforms/pages.h"

using namespace holdfast::platforms;

TEST_CASE("own memory is read as far as it is mapped, and no further") {
  const std::size_t page = page_bytes();
  std::byte* const pages = reserve_pages(4 * page);
  REQUIRE(pages != nullptr);
  REQUIRE(commit_pages(pages, 2 * page));
  std::memset(pages, 0x5A, 2 * page);
  std::vector<std::byte> copy(4 * page);
  CHECK(read_own_memory(pages, copy.data(), page) == page);
  CHECK(copy[page - 1] == std::byte{0x5A});
  release_pages(pages + 2 * page, 2 * page);
  CHECK(read_own_memory(pages + 2 * page - 10, copy.data(), 100) == 10);
  CHECK(read_own_memory(nullptr, copy.data(), 100) == 0);
  CHECK(read_own_memory(pages, copy.data(), 0) == 0);
  release_pages(pages, 2 * page);
}
