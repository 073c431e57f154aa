#include "common/ages/look_credit.h"

#include <doctest/doctest.h>

using namespace holdfast;

namespace {

constexpr std::uint64_t kBegan = 5'000'000'000, kSecond = 1'000'000'000;
constexpr std::int64_t kLook = 300'000'000;

}  // namespace

TEST_CASE(
    "promising looks are paid for at once, until the purse is empty; then a hundredth of the time "
    "pays") {
  LookCredit credit;
  credit.begin(kBegan);
  int looks = 0;
  while (credit.can_pay(LookWorth::kPromising, kBegan)) {
    credit.pay(kLook);
    ++looks;
  }
  CHECK(looks == 4);  // the last one owes 200 ms, and the next one will cost 300
  CHECK_FALSE(credit.can_pay(LookWorth::kPromising, kBegan + 49 * kSecond));
  CHECK(credit.can_pay(LookWorth::kPromising, kBegan + 51 * kSecond));
}

TEST_CASE("looks that decide may owe a second more, and the time that passes pays it back") {
  LookCredit credit;
  credit.begin(kBegan);
  int looks = 0;
  while (credit.can_pay(LookWorth::kDeciding, kBegan)) {
    credit.pay(kLook);
    ++looks;
  }
  CHECK(looks == 7);  // 2.1 s: the purse, a second of debt, and what the last one costs more
  CHECK_FALSE(credit.can_pay(LookWorth::kDeciding, kBegan + 9 * kSecond));
  CHECK(credit.can_pay(LookWorth::kDeciding, kBegan + 11 * kSecond));
  CHECK_FALSE(credit.can_pay(LookWorth::kPromising, kBegan + 139 * kSecond));
  CHECK(credit.can_pay(LookWorth::kPromising, kBegan + 141 * kSecond));
}

TEST_CASE("a look for what is known is paid for by the time that has passed alone") {
  LookCredit credit;
  credit.begin(kBegan);
  CHECK_FALSE(credit.can_pay(LookWorth::kKnown, kBegan));
  CHECK(credit.can_pay(LookWorth::kKnown, kBegan + kSecond));  // what it will cost is not known yet
  credit.pay(kLook);
  CHECK_FALSE(credit.can_pay(LookWorth::kKnown, kBegan + 59 * kSecond));
  CHECK(credit.can_pay(LookWorth::kPromising, kBegan + 59 * kSecond));
  CHECK(credit.can_pay(LookWorth::kKnown, kBegan + 61 * kSecond));
}

TEST_CASE("what is earned and not spent is kept up to a second") {
  LookCredit credit;
  credit.begin(0);
  int looks = 0;
  while (credit.can_pay(LookWorth::kKnown, 10'000 * kSecond)) {
    credit.pay(kLook);
    ++looks;
  }
  CHECK(looks == 3);
}

TEST_CASE("nothing is paid for what nobody wants") {
  LookCredit credit;
  credit.begin(kBegan);
  CHECK_FALSE(credit.can_pay(LookWorth::kNone, kBegan + kSecond));
}
