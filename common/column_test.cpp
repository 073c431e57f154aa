#include "common/column.h"

#include <doctest/doctest.h>

#include <vector>

using namespace holdfast;

TEST_CASE("columns share one budget, draw it in steps, and stop at it unharmed") {
  using Small = Column<std::uint32_t>;
  constexpr std::size_t kCapacity = 4 * Small::kGrantCount;
  std::vector<std::uint32_t> first(kCapacity), second(kCapacity);
  GrantBudget budget{3 * Small::kGrantBytes, 0};
  Small a(first.data(), kCapacity, budget);
  Small b(second.data(), kCapacity, budget);
  CHECK(budget.drawn_bytes == 0);
  REQUIRE(a.push(1));
  CHECK(budget.drawn_bytes == Small::kGrantBytes);
  for (std::size_t i = 0; i < 2 * Small::kGrantCount; ++i)
    REQUIRE(b.push(static_cast<std::uint32_t>(i)));
  CHECK(budget.left_bytes == 0);
  CHECK_FALSE(b.push(7));
  CHECK(b.size() == 2 * Small::kGrantCount);
  CHECK(b[b.size() - 1] == b.size() - 1);
  while (a.size() < Small::kGrantCount) REQUIRE(a.push(2));  // its step is its own
  CHECK_FALSE(a.push(3));
  b.clear();
  CHECK(b.push(9));  // what was drawn stays drawn
  CHECK(budget.drawn_bytes == 3 * Small::kGrantBytes);
}

TEST_CASE("the last step is as long as the capacity, and no further") {
  using Small = Column<std::uint16_t>;
  constexpr std::size_t kCapacity = Small::kGrantCount + 5;
  std::vector<std::uint16_t> memory(kCapacity);
  GrantBudget budget{UINT64_MAX, 0};
  Small column(memory.data(), kCapacity, budget);
  for (std::size_t i = 0; i < kCapacity; ++i) REQUIRE(column.push(1));
  CHECK_FALSE(column.push(1));
  CHECK(column.span().size() == kCapacity);
  CHECK(budget.drawn_bytes == kCapacity * sizeof(std::uint16_t));
}

TEST_CASE("a column of nothing takes nothing") {
  Column<int> none;
  CHECK_FALSE(none.push(1));
  CHECK(none.size() == 0);
}
