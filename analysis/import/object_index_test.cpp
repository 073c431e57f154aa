#include "analysis/import/object_index.h"

#include <doctest/doctest.h>

#include <unordered_map>

#include "analysis/lab/random.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::Random;

namespace {

using Ids = std::vector<std::uint64_t>;
using Numbers = std::vector<std::uint32_t>;

// Every identifier finds its object, neighbours find nothing, repeated ones are told; the definition is a hash map.
void check(const Ids& ids, const Numbers& out_of_line = {}) {
  Ledger ledger(UINT64_MAX);
  {
    const ObjectIndex index(ids, out_of_line, ledger);
    std::unordered_map<std::uint64_t, std::uint32_t> expected;
    std::vector<bool> repeated(ids.size(), false);
    const auto add = [&](std::uint32_t i) {
      if (ids[i] == 0 || !expected.try_emplace(ids[i], i).second) repeated[i] = true;
    };
    std::vector<bool> early(ids.size(), false);
    for (const std::uint32_t i : out_of_line) early[i] = true, add(i);
    for (std::uint32_t i = 0; i < ids.size(); ++i)
      if (!early[i]) add(i);
    std::size_t wrong = 0;
    for (const std::uint64_t id : ids)
      for (const std::uint64_t probe : {id - 8, id - 1, id, id + 1, id + 4, id + 8}) {
        const auto at = expected.find(probe);
        const std::uint32_t wanted = at == expected.end() ? ObjectIndex::kNone : at->second;
        wrong += index.find(probe) == wanted ? 0 : 1;
      }
    CHECK(wrong == 0);
    CHECK(index.find(0) == ObjectIndex::kNone);
    CHECK((expected.contains(UINT64_MAX) || index.find(UINT64_MAX) == ObjectIndex::kNone));
    Numbers told(index.repeated().begin(), index.repeated().end()), wanted;
    for (std::uint32_t i = 0; i < ids.size(); ++i)
      if (repeated[i]) wanted.push_back(i);
    CHECK(told == wanted);
  }
  CHECK(ledger.total_bytes() == 0);
}

Ids rising(std::size_t count, std::uint64_t from, std::uint64_t unit, std::uint32_t most_units,
           std::uint64_t seed) {
  Random random(seed);
  Ids ids;
  for (std::size_t i = 0; i < count; ++i) {
    ids.push_back(from);
    from += unit * (1 + random.below(most_units));
  }
  return ids;
}

void shuffle(Ids& ids, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t i = ids.size() - 1; i > 0; --i) std::swap(ids[i], ids[random.below(i + 1)]);
}

}  // namespace

TEST_CASE("no object, one object, objects without identifier") {
  check({});
  check({0});
  check({0, 0, 0});
  check({1});
  check({UINT64_MAX});
  check({8, 0, 16, 0});
  check({1, UINT64_MAX});
}

TEST_CASE("dense, sparse, far apart") {
  check(rising(50'000, 0x7000'0000'0000, 8, 1, 1));
  check(rising(50'000, 0x7000'0000'0000, 8, 12, 2));
  check(rising(50'000, 0x10, 1, 1, 3));
  check(rising(50'000, 0x4, 4, 30, 4));
  check(rising(5'000, 0x1000, 8, 100'000, 5));
  check(rising(500, 1, 0x0080'0000'0000'0001, 2, 6));
}

TEST_CASE("in any order") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Ids ids = rising(4'000, 0x1000, 8, 1 + static_cast<std::uint32_t>(seed), seed);
    shuffle(ids, seed);
    check(ids);
  }
  Ids falling = rising(20'000, 0x1000, 8, 3, 9);
  std::ranges::reverse(falling);
  check(falling);
  // Two rising stretches laced into each other: half of them comes out of order.
  const Ids a = rising(10'000, 0x1000, 16, 1, 0), b = rising(10'000, 0x1008, 16, 1, 0);
  Ids laced(a);
  laced.insert(laced.end(), b.begin(), b.end());
  check(laced);
}

TEST_CASE("repeated identifiers are told, wherever they stand") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    Ids ids = rising(2'000, 0x1000, 8, 1 + random.below(40), seed);
    if (random.chance(50)) shuffle(ids, seed);
    for (std::uint32_t left = 100; left > 0; --left)
      ids[random.below(ids.size())] = random.chance(20) ? 0 : ids[random.below(ids.size())];
    check(ids);
  }
}

TEST_CASE("class objects stand apart, and win over others of their identifier") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    Ids ids = rising(3'000, 0x1000, 8, 4, seed);
    Numbers classes;
    for (std::uint32_t i = 0; i < ids.size(); i += 1 + random.below(60)) {
      classes.push_back(i);
      if (random.chance(30)) ids[i] = ids[random.below(ids.size())];
      if (random.chance(2)) ids[i] = 0;
    }
    check(ids, classes);
  }
}

TEST_CASE("an index costs what its header says") {
  Ids ids = rising(1'000'000, 0x7000'0000'0000, 8, 4, 1);
  Ledger ledger(UINT64_MAX);
  constexpr std::uint64_t kRounding = 4 * GrowingArray<std::uint64_t>::kStepBytes;
  { const ObjectIndex dense(ids, {}, ledger); }
  CHECK(ledger.peak_bytes() <= 16 * ids.size() + kRounding);
  shuffle(ids, 1);
  Ledger second(UINT64_MAX);
  { const ObjectIndex shuffled(ids, {}, second); }
  // The table doubles: while it moves, the old one is there, too.
  CHECK(second.peak_bytes() <= (32 + 16 + 24) * ids.size() + kRounding);
}

TEST_CASE("an index that does not fit is a failure, and gives everything back") {
  Ids ids = rising(100'000, 0x1000, 8, 100'000, 7);
  Ledger ledger(std::uint64_t{3} << 20);
  try {
    const ObjectIndex index(ids, {}, ledger);
    FAIL("it fitted");
  } catch (const ImportFailure& failure) {
    CHECK(failure.code == ErrorCode::kOutOfBudget);
  }
  CHECK(ledger.total_bytes() == 0);
}
