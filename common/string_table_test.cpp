#include "common/string_table.h"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

#include "common/reservation.h"
#include "common/utf8.h"

using namespace holdfast;

namespace {

struct Ground {
  Ground() {
    REQUIRE(reservation.open(std::size_t{64} << 20).ok());
    auto taken = reservation.take_arena(std::size_t{64} << 20, ledger, MemoryCategory::kCatalog);
    arena = std::move(*taken);
  }
  StringTable table(std::uint32_t names, std::uint64_t bytes) {
    auto made = StringTable::make(arena, names, bytes);
    REQUIRE(made);
    return *made;
  }
  Ledger ledger{UINT64_MAX};
  Reservation reservation;
  Arena arena;
};

bool valid(std::string_view text) {
  while (!text.empty()) {
    const std::size_t step = utf8_step(text);
    if (step == 0) return false;
    text.remove_prefix(step);
  }
  return true;
}

}  // namespace

TEST_CASE("a name is stored once; the empty one is 0 and there from the start") {
  Ground ground;
  StringTable table = ground.table(10, 1000);
  CHECK(table.size() == 1);
  CHECK(table.intern("").value == 0);
  const StringId a = table.intern("shop.Session");
  CHECK(table.intern("shop.Session") == a);
  CHECK(table.intern("shop.Sessions") != a);
  CHECK(table.view(a) == "shop.Session");
  CHECK(table.size() == 3);
  CHECK(table.view(StringId{}).empty());
  CHECK(table.view(StringId{99}).empty());
}

TEST_CASE("against a map: random names, many of them equal") {
  Ground ground;
  StringTable table = ground.table(5000, 100'000);
  std::map<std::string, StringId> expected;
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = "n" + std::to_string(random() % 4000);
    const StringId id = table.intern(name);
    CHECK(expected.emplace(name, id).first->second == id);
  }
  CHECK(table.size() == expected.size() + 1);
  for (const auto& [name, id] : expected) CHECK(table.view(id) == name);
  CHECK(table.dropped() == 0);
}

TEST_CASE("a full table answers the empty name, counts it, and still knows the others") {
  Ground ground;
  StringTable few = ground.table(2, 1000);
  const StringId a = few.intern("a");
  CHECK(few.intern("b").value == 2);
  CHECK(few.intern("c").value == 0);
  CHECK(few.intern("d").value == 0);
  CHECK(few.intern("a") == a);
  CHECK(few.dropped() == 2);

  StringTable narrow = ground.table(100, 5);
  CHECK(narrow.intern("12345").value == 1);
  CHECK(narrow.intern("6").value == 0);
  CHECK(narrow.intern("12345").value == 1);
  CHECK(narrow.dropped() == 1);

  StringTable none;
  CHECK(none.intern("x").value == 0);
  CHECK(none.view(StringId{0}).empty());
}

TEST_CASE("bad bytes are replaced, so that equal bytes still are equal names") {
  Ground ground;
  StringTable table = ground.table(10, 1000);
  const StringId bad = table.intern(
      "a\xFF"
      "b\xC0\x80");
  CHECK(table.view(bad) ==
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(table.intern("a\xFF"
                     "b\xC0\x80") == bad);
  CHECK(table.intern(std::string_view("nul\0byte", 8)).valid());
}

TEST_CASE("a name that is too long keeps both its ends, whole code points, within the limit") {
  Ground ground;
  StringTable table = ground.table(1000, 8'000'000);
  for (const char* unit : {"x", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x90\x8C", "\xFF"}) {
    for (std::size_t shift = 0; shift < 5; ++shift) {
      std::string name(shift, 's');
      while (name.size() < 9000) name += unit;
      const std::string_view seen = table.view(table.intern(name + "end"));
      CHECK(seen.size() <= StringTable::kMaxNameBytes);
      CHECK(seen.size() > StringTable::kMaxNameBytes / 3);
      CHECK(valid(seen));
      CHECK(seen.substr(0, shift) == std::string(shift, 's'));
      CHECK(seen.find("\xE2\x80\xA6") != seen.npos);
      if (unit[0] != '\xFF') {
        CHECK(seen.substr(seen.size() - 3) == "end");
        CHECK(seen.find("\xEF\xBF\xBD") == seen.npos);  // the cut itself breaks nothing
      }
    }
  }
  const std::string just(StringTable::kMaxNameBytes, 'y');
  CHECK(table.view(table.intern(just)) == just);
}

TEST_CASE("its cost per name is what the header says") {
  Ground ground;
  const std::uint64_t before = ground.ledger.total_bytes();
  constexpr std::uint32_t kNames = 100'000;
  (void)ground.table(kNames, 0);
  const std::uint64_t cost = ground.ledger.total_bytes() - before;
  CHECK(cost >= 12u * kNames);
  CHECK(cost <= 20u * kNames + 8192);
}

TEST_CASE(
    "a copy has the same names under the same ids, no larger than they are, and takes no more in") {
  Ground ground;
  StringTable table = ground.table(1000, 100'000);
  const StringId cart = table.intern("shop.Cart");
  const StringId line = table.intern("shop.Line");
  const std::size_t before = ground.arena.used_bytes();
  auto copy = table.read_only_copy(ground.arena);
  REQUIRE(copy);
  CHECK(ground.arena.used_bytes() - before < 256);
  table.intern("shop.Later");
  CHECK(copy->view(cart) == "shop.Cart");
  CHECK(copy->view(line) == "shop.Line");
  CHECK(copy->view(StringId{0}).empty());
  CHECK(copy->size() == 3);
  CHECK(copy->text_bytes() == 18);
  CHECK(copy->intern("shop.Cart") == StringId{0});
  REQUIRE(StringTable().read_only_copy(ground.arena));
}
