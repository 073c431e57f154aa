#include "analysis/accounts/account_findings.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/lab/test_heap.h"
#include "analysis/square_root.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

constexpr std::uint64_t kMega = 1024 * 1024;

// A book of rows, and what a dump counted, by name.
class Book {
 public:
  Book() {
    auto strings = StringTable::make(memory_.arena(), 20'000, 400'000);
    REQUIRE(strings.ok());
    figures.strings = *strings;
    auto names = StringTable::make(memory_.arena(), 10'000, 200'000);
    REQUIRE(names.ok());
    catalog.strings = *names;
    figures.mode = AccountMode::kSampled;
    figures.live_known = true;
    account(kUnaccountedName);
  }

  AccountId account(const std::string& name) {
    accounts_.push_back(figures.strings.intern(name));
    figures.accounts = accounts_;
    return static_cast<AccountId>(accounts_.size() - 1);
  }
  struct Where {
    AccountId account = kUnaccounted, principal = kUnaccounted;
    std::string class_name = {}, method = {}, thread = {};
  };
  AccountRow& row(const Where& where, std::uint64_t allocated, std::uint64_t live) {
    AccountRow& row = rows_.emplace_back();
    row.account = where.account;
    row.principal = where.principal;
    row.class_name = figures.strings.intern(where.class_name);
    row.method = figures.strings.intern(where.method);
    row.thread = figures.strings.intern(where.thread);
    row.allocated = {allocated / 100, allocated, 1.0, static_cast<double>(allocated)};
    row.since_report = {allocated / 200, allocated / 2, 1.0, 4.0};
    row.live = {live / 100, live, 1.0, 9.0};
    row.samples = 1;
    figures.rows = rows_;
    return row;
  }
  void counted(const std::string& name, std::uint64_t instances, std::uint64_t bytes,
               std::uint64_t unheld_instances = 0, std::uint64_t unheld_bytes = 0) {
    ClassRow& row = classes_.emplace_back();
    row.name = catalog.strings.intern(name);
    catalog.classes = classes_;
    ClassFigures& f = counts_.emplace_back();
    f.instances = instances;
    f.shallow_bytes = bytes;
    f.unheld_instances = unheld_instances;
    f.unheld_bytes = unheld_bytes;
  }
  AccountFindings find() {
    counts_.resize(classes_.size() + 1);  // the last: objects of unknown class
    auto found = find_accounts(figures, catalog, counts_, memory_.arena(), cancel_);
    REQUIRE(found.ok());
    return *found;
  }
  std::string name(StringId id) const { return std::string(figures.strings.view(id)); }
  Arena& arena() { return memory_.arena(); }

  AccountFigures figures;
  Catalog catalog;

 private:
  lab::TestArena memory_{64 * kMega};
  std::vector<StringId> accounts_;
  std::vector<AccountRow> rows_;
  std::vector<ClassRow> classes_;
  std::vector<ClassFigures> counts_;
  CancelToken cancel_;
};

bool same(const AccountAmount& a, const AccountAmount& b) {
  const auto near = [](double x, double y) { return std::abs(x - y) <= 1e-6 * (1 + x + y); };
  return a.objects == b.objects && a.bytes == b.bytes &&
         near(a.objects_variance, b.objects_variance) && near(a.bytes_variance, b.bytes_variance);
}
bool same(const AccountSums& a, const AccountSums& b) {
  return same(a.allocated, b.allocated) && same(a.since_report, b.since_report) &&
         same(a.live, b.live) && a.calibrated.objects == b.calibrated.objects &&
         a.calibrated.bytes == b.calibrated.bytes && a.samples == b.samples;
}

AccountSums sum(std::span<const AccountGroup> groups, AccountSums start = {}) {
  for (const AccountGroup& group : groups) add(start, group.sums);
  return start;
}

}  // namespace

TEST_CASE("accounts are summed by account, pair, class, method and thread") {
  Book book;
  const AccountId shop = book.account("shop.*");
  const AccountId db = book.account("db.*");
  book.account("never");
  book.figures.dimensions = kByMethod | kByThread;
  book.row({shop, kUnaccounted, "shop.Cart", "shop.Main.make", "main"}, 1000, 100);
  book.row({shop, db, "shop.Cart", "shop.Main.make", "worker"}, 2000, 300);
  book.row({shop, db, "byte[]", "shop.Main.read", "worker"}, 500, 0);
  book.row({db, shop, "byte[]", "db.Rows.next", "worker"}, 9000, 600);
  const AccountFindings found = book.find();

  REQUIRE(found.accounts.rows.size() == 4);  // also what allocated nothing
  CHECK(found.accounts.rows[0].account == db);
  CHECK(found.accounts.rows[1].account == shop);
  CHECK(found.accounts.rows[1].sums.allocated.bytes == 3500);
  CHECK(found.accounts.rows[1].sums.allocated.bytes_variance == doctest::Approx(3500));
  CHECK(found.accounts.rows[1].sums.since_report.bytes == 1750);
  CHECK(found.accounts.rows[1].sums.live.bytes == 400);
  CHECK(found.accounts.rows[1].sums.samples == 3);
  CHECK(found.accounts.rows[3].sums.allocated.bytes == 0);

  REQUIRE(found.pairs.rows.size() == 3);
  CHECK(found.pairs.rows[1].account == shop);
  CHECK(found.pairs.rows[1].principal == db);
  CHECK(found.pairs.rows[1].sums.allocated.bytes == 2500);

  REQUIRE(found.classes.rows.size() == 3);
  CHECK(book.name(found.classes.rows[1].class_name) == "shop.Cart");
  CHECK(found.classes.rows[1].sums.allocated.bytes == 3000);
  CHECK(book.name(found.classes.rows[2].class_name) == "byte[]");
  CHECK(found.classes.rows[2].account == shop);

  REQUIRE(found.methods.rows.size() == 3);
  CHECK(book.name(found.methods.rows[1].method) == "shop.Main.make");
  CHECK(found.methods.rows[1].sums.allocated.bytes == 3000);
  REQUIRE(found.threads.rows.size() == 3);
  CHECK(book.name(found.threads.rows[1].thread) == "worker");
  CHECK(found.threads.rows[1].sums.allocated.bytes == 2500);
}

TEST_CASE("methods and threads that rows do not tell are no lists") {
  Book book;
  book.row({kUnaccounted, kUnaccounted, "byte[]", "", ""}, 1000, 100);
  const AccountFindings found = book.find();
  CHECK(found.classes.rows.size() == 1);
  CHECK(found.methods.rows.empty());
  CHECK(found.threads.rows.empty());
}

TEST_CASE("live amounts come to what the dump counted of each class, over all loaders") {
  Book book;
  const AccountId shop = book.account("shop.*");
  const AccountId db = book.account("db.*");
  book.row({shop, kUnaccounted, "shop.Cart", "", ""}, 9000, 3000);
  book.row({db, kUnaccounted, "shop.Cart", "", ""}, 9000, 1000);
  book.row({db, kUnaccounted, "byte[]", "", ""}, 9000, 100);   // under-estimated
  book.row({db, kUnaccounted, "db.Gone", "", ""}, 9000, 500);  // none is left
  book.row({db, kUnaccounted, "db.Dead", "", ""}, 9000, 0);    // no sample of it lives
  book.row({shop, kUnaccounted, "", "", ""}, 9000, 700);       // its class found no room
  book.counted("shop.Cart", 10, 1500);
  book.counted("shop.Cart", 5, 300, 1, 200);  // another loader's; some are held weakly
  book.counted("byte[]", 50, 7000);
  book.counted("db.Dead", 9, 900);
  book.counted("", 77, 7700);
  const AccountFindings found = book.find();

  CHECK(found.calibrated);
  CHECK(found.heap_objects == 10 + 5 + 1 + 50 + 9 + 77);
  CHECK(found.heap_bytes == 1500 + 300 + 200 + 7000 + 900 + 7700);
  std::map<std::tuple<AccountId, std::string>, CalibratedAmount> of;
  for (const AccountGroup& g : found.classes.rows)
    of[{g.account, book.name(g.class_name)}] = g.sums.calibrated;
  CHECK(of[{shop, "shop.Cart"}].bytes == 1500);  // three quarters of 2,000
  CHECK(of[{shop, "shop.Cart"}].objects == 12);
  CHECK(of[{db, "shop.Cart"}].bytes == 500);
  CHECK(of[{db, "shop.Cart"}].objects == 4);
  CHECK(of[{db, "byte[]"}].bytes == 7000);
  CHECK(of[{db, "db.Gone"}].bytes == 0);
  CHECK(of[{db, "db.Dead"}].bytes == 0);
  CHECK(of[{shop, ""}].bytes == 0);
  CHECK(found.explained_bytes == 9000);
  CHECK(found.explained_objects == 66);
}

TEST_CASE("counted live amounts stay as they are, and below what the dump counted") {
  Book book;
  book.figures.mode = AccountMode::kExactLive;
  const AccountId shop = book.account("shop.*");
  const AccountId pay = book.account("pay.*");
  book.row({shop, 0, "shop.Cart"}, 10'000, 3'000);
  book.row({pay, 0, "shop.Cart"}, 10'000, 1'000);
  book.row({shop, 0, "shop.Gone"}, 10'000, 2'000);
  book.counted("shop.Cart", 100, 10'000);
  book.counted("shop.Gone", 10, 1'000);
  const AccountFindings found = book.find();
  REQUIRE(found.calibrated);
  std::map<std::pair<AccountId, std::string>, CalibratedAmount> of;
  for (const AccountGroup& g : found.classes.rows)
    of[{g.account, book.name(g.class_name)}] = g.sums.calibrated;
  CHECK(of[{shop, "shop.Cart"}].bytes == 3'000);
  CHECK(of[{shop, "shop.Cart"}].objects == 30);
  CHECK(of[{pay, "shop.Cart"}].bytes == 1'000);
  CHECK(of[{shop, "shop.Gone"}].bytes == 1'000);  // some died in between
  CHECK(found.explained_bytes == 5'000);
}

TEST_CASE("nothing is calibrated where nobody knows what lives, or nothing was counted") {
  Book book;
  book.figures.live_known = false;
  book.row({kUnaccounted, kUnaccounted, "byte[]", "", ""}, 9000, 100);
  book.counted("byte[]", 50, 7000);
  AccountFindings found = book.find();
  CHECK_FALSE(found.calibrated);
  CHECK(found.explained_bytes == 0);
  book.figures.live_known = true;
  CancelToken cancel;
  auto uncounted = find_accounts(book.figures, book.catalog, {}, book.arena(), cancel);
  REQUIRE(uncounted.ok());
  CHECK_FALSE(uncounted->calibrated);
  CHECK(uncounted->accounts.rows[0].sums.live.bytes == 100);
}

TEST_CASE("random books: every list adds up, and no class is given more than was counted") {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&random](std::uint32_t limit) {
      return static_cast<std::uint32_t>(random() % limit);
    };
    Book book;
    const std::uint32_t accounts = 1 + below(40);
    for (std::uint32_t i = 0; i < accounts; ++i) book.account("a" + std::to_string(i));
    book.figures.dimensions = below(4);
    AccountSums all;
    for (std::uint32_t i = 0, rows = below(3000); i < rows; ++i) {
      const std::string c = "C" + std::to_string(below(70));
      const AccountRow& row =
          book.row({below(accounts + 1), below(accounts + 1), c, "m" + std::to_string(below(9)),
                    "t" + std::to_string(below(3))},
                   below(100'000), below(3) == 0 ? 0 : below(5000));
      add(all, AccountSums{row.allocated, row.since_report, row.live, {}, row.samples});
    }
    std::map<std::string, std::uint64_t> counted;
    for (std::uint32_t c = 0; c < 60; ++c) {
      const std::string name = "C" + std::to_string(c);
      counted[name] = below(200'000);
      book.counted(name, below(1000), counted[name]);
    }
    const AccountFindings found = book.find();
    all.calibrated = {found.explained_objects, found.explained_bytes};
    CHECK(same(sum(found.accounts.rows, found.rest_of_accounts), all));
    CHECK(same(sum(found.pairs.rows, found.rest_of_pairs), all));
    CHECK(found.explained_bytes <= found.heap_bytes);

    std::map<std::string, std::uint64_t> given;
    std::map<AccountId, AccountSums> of_account;
    for (const AccountGroup& g : found.classes.rows) {
      given[book.name(g.class_name)] += g.sums.calibrated.bytes;
      add(of_account[g.account], g.sums);
    }
    for (const auto& [name, bytes] : given) CHECK(bytes <= counted[name]);
    // No account has so many classes that some are left out.
    for (const AccountGroup& g : found.accounts.rows)
      if (found.classes.rows.size() == found.classes.total)
        CHECK(same(g.sums, of_account[g.account]));
    CHECK(std::is_sorted(found.accounts.rows.begin(), found.accounts.rows.end(),
                         [](const AccountGroup& a, const AccountGroup& b) {
                           return a.sums.allocated.bytes > b.sums.allocated.bytes;
                         }));
  }
}

TEST_CASE("more accounts than a report lists: the largest, and the rest as a sum") {
  Book book;
  for (std::uint32_t i = 1; i <= 1500; ++i) {
    const AccountId account = book.account("a" + std::to_string(i));
    for (std::uint32_t c = 0; c < 4; ++c)
      book.row({account, i % 7, "C" + std::to_string(c), "", ""}, 1000 * i + c, 0);
  }
  const AccountFindings found = book.find();
  CHECK(found.accounts.rows.size() == kMostAccounts);
  CHECK(found.accounts.total == 1501);
  CHECK(found.accounts.rows[0].account == 1500);
  CHECK(found.rest_of_accounts.samples == 4 * 500);
  CHECK(found.pairs.rows.size() == kMostAccountPairs);
  CHECK(found.pairs.total == 1500);
  CHECK(found.rest_of_pairs.samples == 4 * 1000);
  REQUIRE(found.classes.rows.size() == kMostAccountClasses);  // two of each listed account
  CHECK(found.classes.total == 6000);
  CHECK(found.classes.rows[0].account == 1500);
  CHECK(found.classes.rows[1].account == 1500);
  CHECK(found.classes.rows[2].account == 1499);
  CHECK(book.name(found.classes.rows[0].class_name) == "C3");
  CHECK(book.name(found.classes.rows[1].class_name) == "C2");
}

TEST_CASE("accounts that have nothing take no share of the lists") {
  Book book;
  const AccountId used = book.account("a");
  for (std::uint32_t i = 1; i < 10'000; ++i) book.account("b" + std::to_string(i));
  for (std::uint32_t c = 0; c < 300; ++c)
    book.row({used, kUnaccounted, "C" + std::to_string(c), "", ""}, 1000 + c, 0);
  const AccountFindings found = book.find();
  CHECK(found.accounts.total == 10'001);
  CHECK(found.classes.rows.size() == kMostClassesOfAccount);
}

TEST_CASE("a row of an account that does not exist is not lost") {
  Book book;
  book.row({99, 98, "byte[]", "", ""}, 1000, 100);
  const AccountFindings found = book.find();
  CHECK(found.accounts.rows[0].sums.allocated.bytes == 1000);
  CHECK(found.pairs.rows[0].principal == kUnaccounted);
}

TEST_CASE("accounting that is off finds nothing") {
  Book book;
  book.figures.mode = AccountMode::kOff;
  book.row({kUnaccounted, kUnaccounted, "byte[]", "", ""}, 1000, 100);
  CHECK(book.find().figures == nullptr);
}

TEST_CASE("budget: what accounts take of the arena") {
  Book book;
  constexpr std::uint32_t kRows = 20'000;
  const AccountId account = book.account("a");
  for (std::uint32_t i = 0; i < kRows; ++i)
    book.row(
        {account, kUnaccounted, "C" + std::to_string(i % 5000), "m", "t" + std::to_string(i % 500)},
        1000 + i, 10);
  book.figures.dimensions = kByMethod | kByThread;
  const std::size_t before = book.arena().used_bytes();
  book.arena().take_peak_bytes();
  const AccountFindings found = book.find();
  const std::size_t peak = book.arena().take_peak_bytes() - before;
  const std::size_t kept = book.arena().used_bytes() - before;
  const std::size_t listed = found.accounts.rows.size() + found.pairs.rows.size() +
                             found.classes.rows.size() + found.methods.rows.size() +
                             found.threads.rows.size();
  CHECK(kept <= 16 * kRows + 144 * listed + 4096);
  CHECK(peak <= kept + 28 * kRows + 144 * kMostAccountClasses + 4096);
  CHECK(peak >= kept + 19 * kRows);
}

TEST_CASE(
    "the square root of a variance is right to the last digits, from the least to the largest") {
  CHECK(square_root(0) == 0);
  CHECK(square_root(-1) == 0);
  for (const double root : {1e-150, 1e-3, 0.5, 1.0, 3.0, 1234.5, 1e9, 1e100})
    CHECK(std::abs(square_root(root * root) / root - 1) < 1e-15);
}
