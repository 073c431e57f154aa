#include "common/reservation.h"

#include <doctest/doctest.h>

#include "platforms/fault_points.h"
#include "platforms/pages.h"

using namespace holdfast;

TEST_CASE("stretches follow each other in whole pages until all is given out") {
  const std::size_t page = platforms::page_bytes();
  Reservation reservation;
  REQUIRE(reservation.open(3 * page + 1).ok());
  CHECK(reservation.reserved_bytes() == 4 * page);
  const auto first = reservation.take(1);
  const auto second = reservation.take(page + 1);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(*second == *first + page);
  const auto refused = reservation.take(page + 1);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kTooMany);
  CHECK(reservation.take(page));
  CHECK_FALSE(reservation.take(1));
  CHECK(reservation.take(0));
}

TEST_CASE("an arena on it commits and refunds; sizes beyond every number are refused") {
  Ledger ledger(UINT64_MAX);
  Reservation reservation;
  REQUIRE(reservation.open(1 << 20).ok());
  CHECK(reservation.take(SIZE_MAX).error().code == ErrorCode::kTooMany);
  Reservation too_large;
  CHECK(too_large.open(UINT64_MAX).error().code == ErrorCode::kOutOfMemory);
  CHECK(too_large.open((std::uint64_t{1} << 63) + 1).error().code == ErrorCode::kOutOfMemory);
  {
    auto arena = reservation.take_arena(1 << 16, ledger, MemoryCategory::kReport);
    REQUIRE(arena);
    REQUIRE(arena->make_filled<int>(1000, 3));
    CHECK(ledger.category_bytes(MemoryCategory::kReport) == 4096);
  }
  CHECK(ledger.total_bytes() == 0);
  CHECK(reservation.take_arena(1 << 20, ledger, MemoryCategory::kReport).error().code ==
        ErrorCode::kTooMany);
}

TEST_CASE("it is opened once, and not for nothing or everything") {
  Reservation reservation;
  CHECK(reservation.open(0).error().code == ErrorCode::kOutOfMemory);
  CHECK(reservation.open(SIZE_MAX).error().code == ErrorCode::kOutOfMemory);
  CHECK_FALSE(reservation.take(1));
  CHECK(reservation.open(4096).ok());
  CHECK(reservation.open(4096).error().code == ErrorCode::kTooMany);
}

#if defined(HF_FAULT_POINTS)
TEST_CASE("address space that the system refuses is named") {
  const platforms::FaultScope fault(platforms::FaultPoint::kReserve);
  Reservation reservation;
  const auto refused = reservation.open(12345);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
  CHECK(refused.error().detail == 12345);
}
#endif
