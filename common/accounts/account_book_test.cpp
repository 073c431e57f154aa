#include "common/accounts/account_book.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "common/accounts/account_fixture.h"
#include "platforms/process.h"

using namespace holdfast;

namespace {

const AccountRow* row_of(const AccountFigures& figures, AccountId account, std::string_view name) {
  for (const AccountRow& row : figures.rows)
    if (row.account == account && figures.strings.view(row.class_name) == name) return &row;
  return nullptr;
}

constexpr AccountRoom kSmall{4, 8, 32, 1024};

}  // namespace

TEST_CASE("with every allocation sampled the amounts are exact, and their errors nothing") {
  TestBook test(sampled_by(0));
  std::vector<AccountBook::LiveTag> tags;
  for (int i = 0; i < 100; ++i) tags.push_back(test.book.sampled(test.key(1, "shop.Cart"), 24));
  test.book.sampled(test.key(2, "pay.Card", 1), 4000);
  test.book.sampled(test.key(kUnaccounted, "x.Y"), 16);
  for (int i = 0; i < 30; ++i) test.book.died(tags[static_cast<std::size_t>(i)]);
  const AccountFigures figures = test.read();
  CHECK(figures.mode == AccountMode::kSampled);
  CHECK(figures.live_known);
  CHECK(figures.began_utc_ms != 0);
  CHECK(figures.last_report_utc_ms == 0);
  REQUIRE(figures.accounts.size() == 3);
  CHECK(figures.strings.view(figures.accounts[0]) == "(unaccounted)");
  CHECK(figures.strings.view(figures.accounts[2]) == "pay.*");
  REQUIRE(figures.rows.size() == 3);
  const AccountRow* const cart = row_of(figures, 1, "shop.Cart");
  REQUIRE(cart != nullptr);
  CHECK(cart->allocated.objects == 100);
  CHECK(cart->allocated.bytes == 2400);
  CHECK(cart->allocated.objects_variance == 0);
  CHECK(cart->allocated.bytes_variance == 0);
  CHECK(cart->since_report.objects == 100);
  CHECK(cart->live.objects == 70);
  CHECK(cart->live.bytes == 1680);
  CHECK(cart->samples == 100);
  const AccountRow* const card = row_of(figures, 2, "pay.Card");
  REQUIRE(card != nullptr);
  CHECK(card->principal == 1);
  CHECK(card->live.bytes == 4000);
}

TEST_CASE("rows are told apart by every part of their key, and by nothing else") {
  TestBook test(sampled_by(0));
  const StringId name = test.book.name("shop.Cart");
  const StringId other = test.book.name("shop.Line");
  const AllocationKey keys[] = {{1, 0, name},
                                {2, 0, name},
                                {1, 2, name},
                                {1, 0, other},
                                {1, 0, name, other},
                                {1, 0, name, name, other},
                                {1, 0, name, other, name}};
  for (int round = 0; round < 3; ++round)
    for (const AllocationKey& key : keys) test.book.sampled(key, 8);
  const AccountFigures figures = test.read();
  CHECK(figures.rows.size() == std::size(keys));
  for (const AccountRow& row : figures.rows) CHECK(row.samples == 3);
}

TEST_CASE("since the last report: from the read that became one, not from its end") {
  TestBook test(sampled_by(0));
  const AllocationKey cart = test.key(1, "shop.Cart");
  test.book.sampled(cart, 100);
  CHECK(test.read().rows[0].since_report.bytes == 100);
  test.book.sampled(cart, 10);  // while the report is made
  test.book.reported(1234);
  AccountFigures figures = test.read();
  CHECK(figures.last_report_utc_ms == 1234);
  CHECK(figures.rows[0].since_report.bytes == 10);
  CHECK(figures.rows[0].allocated.bytes == 110);
  test.book.sampled(cart, 1);
  CHECK(test.read().rows[0].since_report.bytes == 11);  // that read became no report
  test.book.reported(2000);
  CHECK(test.read().rows[0].since_report.objects == 0);
}

TEST_CASE("since the last report is a variance of its own, too") {
  TestBook test(sampled_by(1000));
  const AllocationKey cart = test.key(1, "shop.Cart");
  for (int i = 0; i < 10; ++i) test.book.sampled(cart, 100);
  const double first = test.read().rows[0].since_report.bytes_variance;
  CHECK(first > 0);
  test.book.reported(1);
  CHECK(test.read().rows[0].since_report.bytes_variance == 0);
  for (int i = 0; i < 20; ++i) test.book.sampled(cart, 100);
  const AccountFigures figures = test.read();
  CHECK(figures.rows[0].since_report.bytes_variance == doctest::Approx(2 * first));
  CHECK(figures.rows[0].allocated.bytes_variance == doctest::Approx(3 * first));
}

TEST_CASE(
    "when the rows are full the rest goes to its account's row without class, and is counted") {
  TestBook test(sampled_by(0), "shop.*+pay.*", kSmall);
  std::vector<AccountBook::LiveTag> tags;
  for (int i = 0; i < 10; ++i) test.book.sampled(test.key(1, "shop.C" + std::to_string(i)), 10);
  AccountBook::LiveTag last = 0;
  for (int i = 0; i < 5; ++i) last = test.book.sampled(test.key(2, "pay.Card", 1), 100);
  test.book.sampled(test.key(1, "shop.C0"), 10);  // has its row
  AccountFigures figures = test.read();
  CHECK(figures.losses.rows_full == 11);
  CHECK(figures.rows.size() == 4 + 2);
  const AccountRow* rest = row_of(figures, 1, "(other classes)");
  REQUIRE(rest != nullptr);
  CHECK(rest->allocated.objects == 6);
  CHECK(rest->allocated.bytes == 60);
  rest = row_of(figures, 2, "(other classes)");
  REQUIRE(rest != nullptr);
  CHECK(rest->principal == kUnaccounted);
  CHECK(rest->allocated.bytes == 500);
  CHECK(row_of(figures, 1, "shop.C0")->allocated.bytes == 20);
  std::uint64_t live = 0;
  for (const AccountRow& row : figures.rows) live += row.live.objects;
  const double kept = static_cast<double>(live);
  CHECK(kept > 4);
  test.book.died(last);
  test.book.reported(1);
  figures = test.read();
  CHECK(row_of(figures, 2, "(other classes)")->since_report.bytes == 0);
}

TEST_CASE("names without room: the class is one of the others, a method is \"(other)\"") {
  TestBook test(sampled_by(0), "shop.*", AccountRoom{64, 8, 6, 1024});
  for (int i = 0; i < 10; ++i) test.book.name("filler" + std::to_string(i));
  AllocationKey key{1, 0, test.book.name("shop.Unknown")};
  CHECK(key.class_name == test.book.name("shop.AlsoUnknown"));
  test.book.sampled(key, 8);
  key = {1, 0, test.book.name("filler0"), test.book.name("unknown.method")};
  test.book.sampled(key, 8);
  const AccountFigures figures = test.read();
  CHECK(figures.losses.rows_full == 1);
  REQUIRE(row_of(figures, 1, "(other classes)") != nullptr);
  const AccountRow* const known = row_of(figures, 1, "filler0");
  REQUIRE(known != nullptr);
  CHECK(figures.strings.view(known->method) == "(other)");
  CHECK(test.book.name("") == StringId{0});
}

TEST_CASE("exact mode: rounds of counts, live ones from samples") {
  TestBook test({AccountMode::kExact, kByMethod, 1000}, "shop.*", kSmall);
  const AllocationKey cart = test.key(1, "shop.Cart");
  test.book.begin_counts();
  test.book.counted(cart, 10, 240);
  test.book.counted(cart, 5, 120);  // of another thread
  const AccountBook::LiveTag tag = test.book.sampled(cart, 1'000'000);
  CHECK(tag != 0);
  AccountFigures figures = test.read();
  REQUIRE(figures.rows.size() == 1);
  CHECK(figures.rows[0].allocated.objects == 15);
  CHECK(figures.rows[0].allocated.bytes == 360);
  CHECK(figures.rows[0].allocated.bytes_variance == 0);
  CHECK(figures.rows[0].samples == 0);
  CHECK(figures.rows[0].live.objects == 1);
  test.book.reported(1);
  test.book.begin_counts();
  test.book.counted(cart, 20, 480);
  figures = test.read();
  CHECK(figures.rows[0].allocated.bytes == 480);
  CHECK(figures.rows[0].since_report.objects == 5);
  // What the rest takes is counted anew in each round, too.
  for (int round = 0; round < 3; ++round) {
    test.book.begin_counts();
    for (int i = 0; i < 9; ++i) test.book.counted(test.key(1, "shop.C" + std::to_string(i)), 1, 8);
  }
  figures = test.read();
  CHECK(figures.losses.rows_full == 6);
  CHECK(row_of(figures, 1, "(other classes)")->allocated.objects == 6);
  CHECK(figures.rows[0].allocated.objects == 0);
}

TEST_CASE("a sample stands for what the interval says that it was taken at") {
  constexpr std::uint64_t kInterval = std::uint64_t{64} << 10;
  TestBook test(sampled_by(kInterval));
  const AllocationKey cart = test.key(1, "shop.Cart");
  test.book.sampled(cart, 24, {0});
  test.book.sampled(cart, 24, {3});
  const AccountFigures figures = test.read();
  const double stands_for = sample_weight(24, kInterval) + sample_weight(24, kInterval << 3);
  REQUIRE(figures.rows.size() == 1);
  CHECK(figures.rows[0].allocated.objects == static_cast<std::uint64_t>(std::llround(stands_for)));
  CHECK(figures.rows[0].live.objects == figures.rows[0].allocated.objects);
  CHECK(figures.rows[0].samples == 2);
}

TEST_CASE("exact-live: objects one by one, and what lives of them") {
  TestBook test({AccountMode::kExactLive, kByThread, 1000}, "shop.*", kSmall);
  AllocationKey cart = test.key(1, "shop.Cart");
  cart.thread = test.book.name("till 1");
  const std::uint32_t row = test.book.allocated(cart, 24);
  for (int i = 0; i < 9; ++i) CHECK(test.book.allocated(cart, 24) == row);
  const std::uint32_t none = test.book.allocated(test.key(99, "shop.Lost"), 8);
  test.book.begin_live();
  for (int i = 0; i < 3; ++i) test.book.lives(row, 24, 0);
  test.book.lives(row, 24, 2);  // one of four
  test.book.lives(1'000'000, 8, 0);
  AccountFigures figures = test.read();
  CHECK(figures.mode == AccountMode::kExactLive);
  CHECK(figures.sample_interval_bytes == 0);
  const AccountRow* told = row_of(figures, 1, "shop.Cart");
  REQUIRE(told != nullptr);
  CHECK(told->allocated.objects == 10);
  CHECK(told->allocated.bytes == 240);
  CHECK(told->allocated.bytes_variance == 0);
  CHECK(told->live.objects == 7);
  CHECK(told->live.bytes == 168);
  CHECK(told->live.objects_variance == 12);
  CHECK(figures.strings.view(told->thread) == "till 1");
  CHECK(row_of(figures, kUnaccounted, "shop.Lost")->allocated.objects == 1);
  test.book.reported(1);
  test.book.allocated(cart, 24);
  test.book.begin_live();
  test.book.lives(none, 8, 0);
  figures = test.read();
  told = row_of(figures, 1, "shop.Cart");
  CHECK(told->allocated.objects == 11);
  CHECK(told->since_report.objects == 1);
  CHECK(told->live.objects == 0);
  CHECK(row_of(figures, kUnaccounted, "shop.Lost")->live.objects == 1);
}

TEST_CASE("exact-live: what finds no row lives in its account's rest") {
  TestBook test({AccountMode::kExactLive, 0, 0}, "shop.*", kSmall);
  std::uint32_t last = 0;
  for (int i = 0; i < 9; ++i)
    last = test.book.allocated(test.key(1, "shop.C" + std::to_string(i)), 8);
  test.book.begin_live();
  test.book.lives(last, 8, 0);
  test.book.lives(0, 8, 0);
  const AccountFigures figures = test.read();
  const AccountRow* const rest = row_of(figures, 1, "(other classes)");
  REQUIRE(rest != nullptr);
  CHECK(rest->live.objects == 1);
  CHECK(figures.rows[0].live.objects == 1);
  CHECK(figures.losses.rows_full > 0);
}

TEST_CASE("what cannot be accounted is dropped and counted; a closed book takes nothing") {
  TestBook test(sampled_by(1000));
  CHECK(test.book.sampled({99, 0, StringId{0}}, 8) == 0);
  CHECK(test.book.sampled({1, 0, StringId{0}}, 0) == 0);
  test.book.lose(&AccountLosses::stacks_cut);
  test.book.lose(&AccountLosses::methods_left_alone, 7);
  const AccountFigures figures = test.read();
  CHECK(figures.rows.empty());
  CHECK(figures.losses.samples_dropped == 2);
  CHECK(figures.losses.stacks_cut == 1);
  CHECK(figures.losses.methods_left_alone == 7);
  AccountBook closed;
  CHECK_FALSE(closed.is_open());
  CHECK(closed.name("x") == StringId{0});
  CHECK(closed.sampled({}, 8) == 0);
  closed.died(1);
  closed.counted({}, 1, 1);
}

TEST_CASE("where the VM does not tell who died, nothing is followed") {
  TestBook test(sampled_by(0));
  test.book.set_live_known(false);
  CHECK(test.book.sampled(test.key(1, "shop.Cart"), 8) == 0);
  const AccountFigures figures = test.read();
  CHECK_FALSE(figures.live_known);
  CHECK(figures.rows[0].allocated.objects == 1);
  CHECK(figures.rows[0].live.objects == 0);
}

TEST_CASE("a tag dies once, and an old one is nobody's") {
  TestBook test(sampled_by(0));
  const AllocationKey cart = test.key(1, "shop.Cart");
  const AccountBook::LiveTag first = test.book.sampled(cart, 8);
  CHECK(first != 0);
  test.book.died(first);
  test.book.died(first);
  const AccountBook::LiveTag second = test.book.sampled(cart, 8);
  CHECK(second != first);
  test.book.died(first);  // its slot is somebody else's now
  test.book.died(0);
  test.book.died(UINT64_MAX);
  test.book.died(5);
  CHECK(test.read().rows[0].live.objects == 1);
  test.book.died(second);
  CHECK(test.read().rows[0].live.objects == 0);
}

TEST_CASE("a read without room fails whole, gives everything back, and spoils nothing") {
  TestBook test(sampled_by(0));
  for (int i = 0; i < 1000; ++i) test.book.sampled(test.key(1, "shop.C" + std::to_string(i)), 8);
  TestArena little(std::uint64_t{128} << 10);
  CHECK_FALSE(test.book.read(little.arena()));
  CHECK(little.arena().used_bytes() == 0);
  CHECK(little.ledger().total_bytes() == 0);
  CHECK(test.read().rows.size() == 1000);
}

TEST_CASE(
    "the room of a book: what the formula says, an eighth of the memory, untouched until used") {
  const AccountRoom full;
  CHECK(full.book_bytes(1, 0) < 16u << 20);
  CHECK(AccountRoom::within(std::uint64_t{1} << 30).rows == full.rows);
  for (const std::uint64_t memory : {16u << 20, 64u << 20, 100u << 20, 128u << 20}) {
    const AccountRoom room = AccountRoom::within(memory);
    CHECK(room.book_bytes(1, 0) <= memory / 8);
    CHECK(room.rows >= 4096);
  }
  CHECK(AccountRoom::within(0).rows == 1024);
  const std::uint64_t before = platforms::resident_bytes();
  TestBook test(sampled_by(0));
  const std::uint64_t after = platforms::resident_bytes();
  CHECK(test.charged_bytes() <= full.book_bytes(3, 64) + (16u << 10));
  CHECK(test.charged_bytes() > full.book_bytes(3, 64) * 9 / 10);
  MESSAGE("an empty book: " << (test.charged_bytes() >> 10) << " KB charged, "
                            << ((after - before) >> 10) << " KB more resident");
}

TEST_CASE("a full book's figures fit the formula") {
  const AccountRoom room{1 << 12, 1 << 10, 1 << 12, 100'000};
  TestBook test(sampled_by(0), "shop.*+pay.*", room);
  for (int i = 0; i < 10'000; ++i)
    test.book.sampled(test.key(static_cast<AccountId>(i % 3), "shop.C" + std::to_string(i)), 8);
  TestArena figures(room.figures_bytes(3, 64) + 4096);
  const auto read = test.book.read(figures.arena());
  REQUIRE(read);
  CHECK(read->rows.size() >= 1 << 12);
  CHECK(read->losses.rows_full > 5000);
}
