#include "common/accounts/watched_accounts.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "common/reservation.h"

using namespace holdfast;

namespace {

constexpr std::uint64_t kMemory = std::uint64_t{4} << 20;

// Accounts by name, rows by hand.
class Figures {
 public:
  Figures() {
    REQUIRE(reservation_.open(kMemory).ok());
    auto arena = reservation_.take_arena(kMemory / 2, ledger_, MemoryCategory::kAccounts);
    REQUIRE(arena.ok());
    arena_ = std::move(*arena);
    auto strings = StringTable::make(arena_, 300, 60'000);
    REQUIRE(strings.ok());
    figures.strings = *strings;
    figures.mode = AccountMode::kSampled;
    figures.live_known = true;
    figures.began_utc_ms = 7;
  }
  void account(const std::string& name) { names_.push_back(figures.strings.intern(name)); }
  void row(AccountId account, std::uint64_t allocated, std::uint64_t live, double variance) {
    AccountRow row;
    row.account = account;
    row.allocated = {1, allocated, 0, variance};
    row.live = {1, live, 0, variance};
    rows_.push_back(row);
  }
  Result<WatchedAccounts> sums() {
    figures.accounts = names_;
    figures.rows = rows_;
    return sum_up(figures, arena_);
  }

  AccountFigures figures;

 private:
  Ledger ledger_{kMemory};
  Reservation reservation_;
  Arena arena_;
  std::vector<StringId> names_;
  std::vector<AccountRow> rows_;
};

}  // namespace

TEST_CASE(
    "watched accounts: rows add up account by account, variances too, the largest live first") {
  Figures made;
  for (const char* name : {kUnaccountedName, "shop.*", "idle.*"}) made.account(name);
  made.row(0, 900, 10, 0);
  made.row(1, 100, 40, 9);
  made.row(1, 200, 50, 16);
  made.row(9, 1, 1, 0);  // of no account
  const auto sums = made.sums();
  REQUIRE(sums.ok());
  CHECK(sums->on);
  CHECK_FALSE(sums->left_out);
  CHECK_FALSE(sums->exact);
  CHECK(sums->live_known);
  CHECK(sums->began_utc_ms == 7);
  CHECK(sums->total == 3);
  REQUIRE(sums->rows.size() == 3);
  CHECK(std::string(sums->rows[0].name) == "shop.*");
  CHECK(sums->rows[0].live.bytes == 90);
  CHECK(sums->rows[0].live.bytes_error == 5);
  CHECK(sums->rows[0].allocated.bytes == 300);
  CHECK(sums->rows[0].allocated.objects == 2);
  CHECK(std::string(sums->rows[2].name) == "idle.*");

  made.figures.live_known = false;
  CHECK(std::string(made.sums()->rows[0].name) == kUnaccountedName);  // it allocated most
}

TEST_CASE("watched accounts: at most so many, and of long names the telling end") {
  Figures made;
  for (std::uint32_t i = 0; i < 100; ++i) {
    made.account(i == 99 ? std::string(500, 'x') + ".Cart" : "a" + std::to_string(i));
    made.row(i, i, i, 0);
  }
  const auto sums = made.sums();
  REQUIRE(sums.ok());
  CHECK(sums->total == 100);
  REQUIRE(sums->rows.size() == kMaxWatchedAccounts);
  CHECK(std::string(sums->rows[0].name).ends_with(".Cart"));
  CHECK(std::string(sums->rows[63].name) == "a36");
}

TEST_CASE("watched accounts: no room, no rows") {
  Figures made;
  for (std::uint32_t i = 0; i < 200; ++i) made.account("a" + std::to_string(i));
  Arena none;
  made.sums().ok();
  CHECK_FALSE(sum_up(made.figures, none).ok());
}
