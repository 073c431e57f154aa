#include "platforms/pages.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "platforms/fault_points.h"

using namespace holdfast::platforms;

namespace {

std::size_t resident_pages(std::byte* start, std::size_t pages) {
  std::vector<unsigned char> state(pages);
  if (::mincore(start, pages * page_bytes(), state.data()) != 0) return SIZE_MAX;
  std::size_t count = 0;
  for (const unsigned char s : state) count += s & 1u;
  return count;
}

// In a child: touching inaccessible memory ends it.
bool readable(const std::byte* at) {
  int pipe_ends[2];
  REQUIRE(::pipe(pipe_ends) == 0);
  const bool could = ::write(pipe_ends[1], at, 1) == 1;
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
  return could;
}

}  // namespace

TEST_CASE(
    "reserved pages cost nothing, committed ones nothing until written, decommitted are gone") {
  constexpr std::size_t kPages = 64;
  const std::size_t page = page_bytes();
  std::byte* const start = reserve_pages(kPages * page);
  REQUIRE(start != nullptr);
  CHECK_FALSE(readable(start));
  CHECK(commit_pages(start, 4 * page));
  CHECK(readable(start + 4 * page - 1));
  CHECK_FALSE(readable(start + 4 * page));
  CHECK(resident_pages(start, kPages) <= 1);  // `readable` looked at one
  std::memset(start, 7, 4 * page);
  CHECK(resident_pages(start, kPages) == 4);
  decommit_pages(start + page, 3 * page);
  CHECK(resident_pages(start, kPages) == 1);
  CHECK_FALSE(readable(start + page));
  CHECK(commit_pages(start + page, page));
  CHECK(start[page] == std::byte{0});
  CHECK(start[0] == std::byte{7});
  advise_huge_pages(start, page);
  release_pages(start, kPages * page);
}

TEST_CASE("nothing asked for is nothing done") {
  CHECK(commit_pages(nullptr, 0));
  decommit_pages(nullptr, 0);
  release_pages(nullptr, 0);
  advise_huge_pages(nullptr, 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a limit on address space is an answer") {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{std::size_t{1} << 30, std::size_t{1} << 30};
    ::setrlimit(RLIMIT_AS, &limit);
    ::_exit(reserve_pages(std::size_t{4} << 30) == nullptr ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 0);
}
#endif

#if defined(HF_FAULT_POINTS)
TEST_CASE("contents go even where the system has no mappings left") {
  const std::size_t page = page_bytes();
  std::byte* const start = reserve_pages(2 * page);
  REQUIRE(commit_pages(start, 2 * page));
  std::memset(start, 7, 2 * page);
  const FaultScope fault(FaultPoint::kDecommit);
  decommit_pages(start, page);
  CHECK(resident_pages(start, 2) == 1);
  CHECK_FALSE(readable(start));
  CHECK(commit_pages(start, page));
  CHECK(start[0] == std::byte{0});
  release_pages(start, 2 * page);
}

TEST_CASE("refusals can be forced") {
  const FaultScope reserve(FaultPoint::kReserve);
  CHECK(reserve_pages(page_bytes()) == nullptr);
  std::byte* const start = reserve_pages(page_bytes());
  const FaultScope commit(FaultPoint::kCommit);
  CHECK_FALSE(commit_pages(start, page_bytes()));
  release_pages(start, page_bytes());
}
#endif
