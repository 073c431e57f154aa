#include "jvmpi/heap/id_table.h"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <vector>

#include "common/arena_for_test.h"
#include "jvmpi/heap/dangling_ids.h"

using namespace holdfast;
using namespace holdfast::jvmpi;

namespace {

void check_ids(const std::vector<VmId>& ids) {
  TestArena memory;
  auto made = IdTable::make(memory.arena(), ids.size());
  REQUIRE(made.ok());
  IdTable& table = *made;
  for (const VmId id : ids) CHECK(table.add(id));
  table.sort();
  std::set<VmId> distinct(ids.begin(), ids.end());
  distinct.erase(0);
  REQUIRE(table.size() == distinct.size());
  std::uint32_t number = 0;
  for (const VmId id : distinct) {
    REQUIRE(table.find(id) == number);
    REQUIRE(table.id(number++) == id);
    if (!distinct.contains(id + 1)) REQUIRE(table.find(id + 1) == IdTable::kNone);
    if (!distinct.contains(id - 1)) REQUIRE(table.find(id - 1) == IdTable::kNone);
  }
  CHECK(table.find(0) == IdTable::kNone);
  CHECK(table.find(~VmId{0} >> (sizeof(void*) == 4 ? 32 : 0)) == IdTable::kNone);
}

}  // namespace

TEST_CASE("ids are found by their place, however they lie") {
  check_ids({});
  check_ids({0, 0});
  check_ids({8});
  check_ids({8, 8, 8, 16});
  check_ids({1, 0x7fffffff});
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<VmId> ids;
    const VmId base = random() % 0x40000000u;
    for (unsigned i = 0; i < random() % 3000; ++i)
      // Dense, in clusters, and one far away.
      ids.push_back(base + (i % 50 == 0 ? random() % 0x20000000u : random() % 40000u) / 8 * 8);
    check_ids(ids);
  }
}

TEST_CASE("more ids than there is room for are refused") {
  TestArena memory;
  auto made = IdTable::make(memory.arena(), 2);
  REQUIRE(made.ok());
  CHECK(made->add(8));
  CHECK(made->add(16));
  CHECK_FALSE(made->add(24));
  CHECK(made->add(0));  // no id
}

TEST_CASE("dangling ids keep the place at which they were met, through every growth") {
  TestArena memory;
  auto made = DanglingIds::make(memory.arena(), 3);
  REQUIRE(made.ok());
  bool fresh = false;
  for (std::uint32_t i = 0; i < 100; ++i) {
    CHECK(made->find_or_add(8 * (i + 1), fresh) == i);
    CHECK(fresh);
  }
  for (std::uint32_t i = 0; i < 100; ++i) {
    CHECK(made->find_or_add(8 * (i + 1), fresh) == i);
    CHECK_FALSE(fresh);
    CHECK(made->find(8 * (i + 1)) == i);
    CHECK(made->id(i) == 8 * (i + 1));
  }
  CHECK(made->find(4) == DanglingIds::kNone);
  CHECK(made->size() == 100);
}

TEST_CASE("where memory ends no further dangling id is taken") {
  TestArena memory(std::uint64_t{64} << 10);
  auto made = DanglingIds::make(memory.arena(), 16);
  REQUIRE(made.ok());
  bool fresh = false;
  std::uint32_t taken = 0;
  while (made->find_or_add(8 * (taken + 1), fresh) != DanglingIds::kNone) ++taken;
  CHECK(taken >= 512);
  CHECK(made->size() == taken);
  for (std::uint32_t i = 0; i < taken; ++i) CHECK(made->find(8 * (i + 1)) == i);
}
