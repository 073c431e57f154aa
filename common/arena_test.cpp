#include "common/arena.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "platforms/fault_points.h"
#include "platforms/pages.h"
#include "platforms/process.h"

using namespace holdfast;

namespace {

constexpr MemoryCategory kCategory = MemoryCategory::kAnalysis;

// Address space of a test's own, with an arena on it.
struct Ground {
  explicit Ground(std::size_t pages, std::uint64_t limit = UINT64_MAX)
      : bytes(pages * platforms::page_bytes()),
        start(platforms::reserve_pages(bytes)),
        ledger(limit),
        arena(start, bytes, ledger, kCategory) {}
  ~Ground() {
    arena.reset();
    platforms::release_pages(start, bytes);
  }
  std::uint64_t charged() const { return ledger.category_bytes(kCategory); }

  std::size_t bytes;
  std::byte* start;
  Ledger ledger;
  Arena arena;
};

bool all_zero(std::span<const std::uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0; });
}

}  // namespace

TEST_CASE(
    "a cap is kept while it lives, an inner one within the outer one, and takes nothing away") {
  Ground ground(16);
  REQUIRE(ground.arena.make<std::uint8_t>(100));
  {
    const ArenaCap cap(ground.arena, 1000);
    REQUIRE(ground.arena.make<std::uint8_t>(900));
    {
      const ArenaCap inner(ground.arena, UINT64_MAX);
      const auto refused = ground.arena.make<std::uint8_t>(100);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == ErrorCode::kOutOfBudget);
    }
    ground.arena.rewind(0);
    CHECK(ground.arena.make<std::uint8_t>(1100));
    CHECK_FALSE(ground.arena.make<std::uint8_t>(1));
  }
  CHECK(ground.arena.make<std::uint8_t>(5000));
}

TEST_CASE("the last array gives back what it does not need") {
  const std::size_t page = platforms::page_bytes();
  Ground ground(16);
  const auto first = ground.arena.make_filled<std::uint32_t>(8, 1);
  const auto last = ground.arena.make_filled<std::uint32_t>(page, 2);
  REQUIRE(first);
  REQUIRE(last);
  CHECK(ground.charged() == 5 * page);
  const auto kept = ground.arena.shrink_last(*last, 3);
  CHECK(ground.charged() == page);
  CHECK(kept.size() == 3);
  CHECK(kept[2] == 2);
  CHECK(first->back() == 1);
  const auto next = ground.arena.make_filled<std::uint32_t>(4, 3);
  REQUIRE(next);
  CHECK(kept[2] == 2);
  CHECK(ground.arena.shrink_last(*next, 0).empty());
}

TEST_CASE("arrays begin at 64 bytes, do not overlap, and cost whole pages") {
  const std::size_t page = platforms::page_bytes();
  Ground ground(16);
  const auto a = ground.arena.make<std::uint8_t>(1);
  const auto b = ground.arena.make<std::uint64_t>(3);
  REQUIRE(a);
  REQUIRE(b);
  CHECK(reinterpret_cast<std::uintptr_t>(a->data()) % 64 == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(b->data()) % 64 == 0);
  CHECK(reinterpret_cast<std::uint8_t*>(b->data()) >= a->data() + a->size());
  CHECK(ground.charged() == page);
  const auto c = ground.arena.make_filled<std::uint32_t>(page, 7);
  REQUIRE(c);
  CHECK(c->front() == 7);
  CHECK(c->back() == 7);
  CHECK(ground.charged() == 5 * page);
  CHECK(ground.charged() == ground.ledger.total_bytes());
}

TEST_CASE("rewinding gives whole pages back, exactly, and what comes back is fresh") {
  const std::size_t page = platforms::page_bytes();
  Ground ground(16);
  const auto kept = ground.arena.make_filled<std::uint8_t>(page + 10, 1);
  REQUIRE(kept);
  const Arena::Mark mark = ground.arena.mark();
  {
    ArenaScope scope(ground.arena);
    REQUIRE(ground.arena.make_filled<std::uint8_t>(6 * page, 0xFF));
    CHECK(ground.charged() == 8 * page);
  }
  CHECK(ground.arena.mark() == mark);
  CHECK(ground.charged() == 2 * page);
  CHECK(std::all_of(kept->begin(), kept->end(), [](std::uint8_t b) { return b == 1; }));
  const auto again = ground.arena.make<std::uint8_t>(6 * page);
  REQUIRE(again);
  // Behind the page that the kept array shares, nothing of the old contents is left.
  CHECK(all_zero(std::span(*again).subspan(page)));
  ground.arena.reset();
  CHECK(ground.charged() == 0);
  CHECK(ground.arena.used_bytes() == 0);
  ground.arena.rewind(5 * page);  // a mark that is no longer there
  CHECK(ground.arena.used_bytes() == 0);
}

TEST_CASE("what does not fit is refused and leaves everything as it was") {
  const std::size_t page = platforms::page_bytes();
  Ground ground(4, 3 * page);
  REQUIRE(ground.arena.make<std::uint8_t>(10));
  const Arena::Mark mark = ground.arena.mark();
  const auto too_long = ground.arena.make<std::uint8_t>(4 * page);
  REQUIRE_FALSE(too_long);
  CHECK(too_long.error().code == ErrorCode::kTooMany);
  CHECK(ground.arena.make<std::uint64_t>(SIZE_MAX / 8).error().code == ErrorCode::kTooMany);
  CHECK(ground.arena.make<std::uint64_t>(SIZE_MAX).error().code == ErrorCode::kTooMany);
  const auto too_dear = ground.arena.make<std::uint8_t>(3 * page);
  REQUIRE_FALSE(too_dear);
  CHECK(too_dear.error().code == ErrorCode::kOutOfBudget);
  CHECK(ground.arena.mark() == mark);
  CHECK(ground.charged() == page);
  CHECK(ground.arena.make<std::uint8_t>(2 * page));
}

#if defined(HF_FAULT_POINTS)
TEST_CASE("pages that the system refuses are not charged") {
  Ground ground(4);
  {
    const platforms::FaultScope fault(platforms::FaultPoint::kCommit);
    const auto refused = ground.arena.make<int>(1);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kOutOfMemory);
  }
  CHECK(ground.charged() == 0);
  CHECK(ground.arena.used_bytes() == 0);
  CHECK(ground.arena.make<int>(1));
}
#endif

TEST_CASE("the last byte of the address space can be used, and nothing is nothing") {
  Ground ground(2);
  CHECK(ground.arena.make<std::uint8_t>(ground.bytes));
  CHECK(ground.arena.make<std::uint8_t>(0));
  CHECK_FALSE(ground.arena.make<std::uint8_t>(1));
  Arena none;
  CHECK(none.make<int>(0));
  CHECK_FALSE(none.make<int>(1));
  none.reset();
}

TEST_CASE("a zeroed array is zero on fresh pages and on used ones") {
  const std::size_t page = platforms::page_bytes();
  Ground ground(64);
  for (const std::size_t used : {std::size_t{1}, page - 64, page, page + 1, 5 * page}) {
    for (const std::size_t wanted : {std::size_t{0}, std::size_t{1}, page, 7 * page + 3}) {
      ground.arena.reset();
      // The page that a rewound array shares with the mark stays committed, and dirty.
      REQUIRE(ground.arena.make_filled<std::uint8_t>(used, 0xFF));
      const Arena::Mark mark = ground.arena.mark();
      REQUIRE(ground.arena.make_filled<std::uint8_t>(9 * page, 0xFF));
      ground.arena.rewind(mark);
      const auto array = ground.arena.make_zeroed<std::uint8_t>(wanted);
      REQUIRE(array);
      CHECK(array->size() == wanted);
      CHECK(all_zero(*array));
    }
  }
}

TEST_CASE("a zeroed array does not touch fresh pages") {
  constexpr std::size_t kPages = 4096;
  const std::size_t page = platforms::page_bytes();
  Ground ground(kPages + 16);
  REQUIRE(ground.arena.make_filled<std::uint8_t>(10, 1));
  const std::uint64_t before = platforms::resident_bytes();
  const auto array = ground.arena.make_zeroed<std::uint8_t>(kPages * page);
  REQUIRE(array);
  const std::uint64_t grown = platforms::resident_bytes() - before;
  CHECK(static_cast<std::int64_t>(grown) < static_cast<std::int64_t>(kPages * page / 2));
  CHECK(array->back() == 0);
}

TEST_CASE("a zeroed array that does not fit is refused") {
  Ground ground(4, 2 * platforms::page_bytes());
  CHECK(ground.arena.make_zeroed<std::uint64_t>(SIZE_MAX / 8).error().code == ErrorCode::kTooMany);
  CHECK(ground.arena.make_zeroed<std::uint8_t>(3 * platforms::page_bytes()).error().code ==
        ErrorCode::kOutOfBudget);
}

TEST_CASE("an arena that moves takes its charge along; the one moved onto gives its own back") {
  Ground first(4), second(4);
  REQUIRE(first.arena.make<int>(1));
  REQUIRE(second.arena.make<int>(1));
  Arena taken(std::move(first.arena));
  CHECK(taken.used_bytes() == sizeof(int));
  CHECK(first.charged() == platforms::page_bytes());
  taken = std::move(second.arena);
  CHECK(first.charged() == 0);
  CHECK(second.charged() == platforms::page_bytes());
  Arena& same = taken;
  taken = std::move(same);
  CHECK(taken.used_bytes() == sizeof(int));
  taken.reset();
  CHECK(second.charged() == 0);
}

TEST_CASE("the peak is that since it was last asked for") {
  Ground ground(16);
  {
    ArenaScope scope(ground.arena);
    REQUIRE(ground.arena.make<std::uint8_t>(5000));
  }
  CHECK(ground.arena.take_peak_bytes() == 5000);
  CHECK(ground.arena.take_peak_bytes() == 0);
}

TEST_CASE(
    "random making and rewinding: arrays keep their contents, the ledger follows page by page") {
  const std::size_t page = platforms::page_bytes();
  Ground ground(64, 48 * page);
  std::mt19937 random(7);
  struct Made {
    Arena::Mark before;
    std::span<std::uint8_t> bytes;
    std::uint8_t value;
  };
  std::vector<Made> made;
  for (int round = 0; round < 5000; ++round) {
    if (random() % 4 == 0 && !made.empty()) {
      const std::size_t keep = random() % made.size();
      ground.arena.rewind(made[keep].before);
      made.resize(keep);
    } else {
      const Arena::Mark before = ground.arena.mark();
      const auto value = static_cast<std::uint8_t>(random());
      const auto array = ground.arena.make_filled<std::uint8_t>(random() % (3 * page), value);
      if (array)
        made.push_back({before, *array, value});
      else
        CHECK(ground.arena.mark() == before);
    }
    const std::size_t used = ground.arena.used_bytes();
    CHECK(ground.charged() == (used + page - 1) / page * page);
    if (round % 100 == 0)
      for (const Made& m : made)
        CHECK(std::all_of(m.bytes.begin(), m.bytes.end(),
                          [&](std::uint8_t b) { return b == m.value; }));
  }
}
