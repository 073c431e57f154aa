#include "analysis/import/growing_array.h"

#include <doctest/doctest.h>

#include <functional>

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

using Numbers = GrowingArray<std::uint32_t>;
constexpr std::uint64_t kStepElements = Numbers::kStepBytes / sizeof(std::uint32_t);

ErrorCode failure_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const ImportFailure& failure) {
    return failure.code;
  }
  return ErrorCode{};
}

}  // namespace

TEST_CASE("elements stay where they are while the array grows") {
  Ledger ledger(UINT64_MAX);
  Numbers numbers(3 * kStepElements, ledger, MemoryCategory::kCapture);
  numbers.push(1);
  const std::uint32_t* const first = &numbers[0];
  for (std::uint32_t i = 1; i < 3 * kStepElements; ++i) numbers.push(i + 1);
  CHECK(&numbers[0] == first);
  CHECK(numbers.size() == 3 * kStepElements);
  CHECK(numbers[kStepElements] == kStepElements + 1);
  const std::uint32_t more[] = {7, 8};
  Numbers others(8, ledger, MemoryCategory::kCapture);
  others.append(more);
  others.append({});
  CHECK(others.size() == 2);
  CHECK(others[1] == 8);
}

TEST_CASE("new elements are zero") {
  Ledger ledger(UINT64_MAX);
  Numbers numbers(100'000, ledger, MemoryCategory::kCapture);
  numbers.push(9);
  numbers.grow_to(100'000);
  CHECK(numbers[0] == 9);
  CHECK(std::ranges::count(numbers.span(), 0u) == 99'999);
  numbers.grow_to(10);  // never smaller
  CHECK(numbers.size() == 100'000);
}

TEST_CASE("charged in steps, small arrays in small ones, given back at once") {
  Ledger ledger(UINT64_MAX);
  {
    Numbers large(3 * kStepElements, ledger, MemoryCategory::kCapture);
    CHECK(ledger.total_bytes() == 0);
    large.push(1);
    CHECK(ledger.total_bytes() == Numbers::kStepBytes);
    Numbers small(100, ledger, MemoryCategory::kCapture);
    small.push(1);
    CHECK(ledger.total_bytes() == Numbers::kStepBytes + Numbers::kSmallStepBytes);
    Numbers moved = std::move(large);
    CHECK(moved.size() == 1);
    CHECK(large.size() == 0);  // NOLINT(bugprone-use-after-move): says what a moved-from array is
    moved.clear();
    CHECK(ledger.total_bytes() == Numbers::kSmallStepBytes);
    small = Numbers(5, ledger, MemoryCategory::kCapture);
    CHECK(ledger.total_bytes() == 0);
  }
  CHECK(ledger.total_bytes() == 0);
}

TEST_CASE("a full ledger is a failure, and the array stays as it was") {
  Ledger ledger(Numbers::kStepBytes);
  Numbers numbers(4 * kStepElements, ledger, MemoryCategory::kCapture);
  numbers.push(5);
  CHECK(failure_of([&] { numbers.grow_to(2 * kStepElements); }) == ErrorCode::kOutOfBudget);
  CHECK(numbers.size() == 1);
  CHECK(numbers[0] == 5);
  CHECK(ledger.total_bytes() == Numbers::kStepBytes);
}

TEST_CASE("more than the capacity is a failure, one step of rounding aside") {
  Ledger ledger(UINT64_MAX);
  Numbers numbers(10, ledger, MemoryCategory::kCapture);
  CHECK(failure_of([&] { numbers.grow_to(2 * Numbers::kSmallStepBytes); }) == ErrorCode::kTooMany);
  CHECK(numbers.size() == 0);
}

TEST_CASE("address space that nobody has is a failure") {
  Ledger ledger(UINT64_MAX);
  CHECK(failure_of([&] {
          Numbers numbers(std::uint64_t{1} << 58, ledger, MemoryCategory::kCapture);
        }) == ErrorCode::kOutOfMemory);
}
