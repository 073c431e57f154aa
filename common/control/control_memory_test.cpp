#include "common/control/control_memory.h"

#include <doctest/doctest.h>

#include "platforms/fault_points.h"

using namespace holdfast;
using namespace holdfast::control;

namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{64} << 20;

std::uint64_t charged(const Ledger& ledger) {
  return ledger.category_bytes(MemoryCategory::kWorker);
}

}  // namespace

TEST_CASE("192 KiB rest; everything else comes and goes with its charge") {
  Ledger ledger(kPlenty);
  ControlMemory memory;
  REQUIRE(memory.open(ledger).ok());
  CHECK(kRestingBytes == std::size_t{192} << 10);
  CHECK(charged(ledger) == kRestingBytes);
  CHECK(memory.open(ledger).error().code == ErrorCode::kRefused);
  for (std::size_t i = 0; i < kMaxConnections; ++i) {
    memory.request_room(i).back() = std::byte{1};
    CHECK(memory.request_room(i).size() == kMaxRequestBytes);
  }
  memory.answer_room().back() = std::byte{1};
  CHECK(memory.histogram_room().empty());
  REQUIRE(memory.take_histogram_room().size() == kMaxAnswerBytes);
  memory.take_histogram_room().back() = std::byte{1};
  CHECK(charged(ledger) == kRestingBytes + kMaxAnswerBytes);
  memory.give_back_histogram_room();
  memory.give_back_histogram_room();
  CHECK(charged(ledger) == kRestingBytes);
  memory.close();
  memory.close();
  CHECK(charged(ledger) == 0);
}

TEST_CASE("backlogs: one a connection, together no more than the limit") {
  Ledger ledger(kPlenty);
  ControlMemory memory;
  REQUIRE(memory.open(ledger).ok());
  CHECK(memory.take_backlog(0, kMaxAnswerBytes + 1) == nullptr);
  std::byte* const first = memory.take_backlog(0, kMaxAnswerBytes);
  REQUIRE(first != nullptr);
  first[kMaxAnswerBytes - 1] = std::byte{1};
  CHECK(memory.take_backlog(0, 1) == nullptr);
  REQUIRE(memory.take_backlog(kMaxConnections - 1, kMaxAnswerBytes) != nullptr);
  CHECK(memory.take_backlog(1, 1) == nullptr);
  CHECK(charged(ledger) == kRestingBytes + kMaxBacklogBytes);
  memory.give_back_backlog(0);
  memory.give_back_backlog(0);
  CHECK(memory.take_backlog(1, 1) != nullptr);
  memory.close();
  CHECK(charged(ledger) == 0);
}

TEST_CASE("what the ledger or the system refuses changes nothing") {
  Ledger poor(kRestingBytes - 1);
  ControlMemory memory;
  CHECK(memory.open(poor).error().code == ErrorCode::kOutOfBudget);
  CHECK_FALSE(memory.is_open());
  Ledger tight(kRestingBytes + 4096);
  REQUIRE(memory.open(tight).ok());
  CHECK(memory.take_histogram_room().empty());
  CHECK(memory.take_backlog(3, 100'000) == nullptr);
  CHECK(charged(tight) == kRestingBytes);
#if defined(HF_FAULT_POINTS)
  const platforms::FaultScope fault(platforms::FaultPoint::kCommit);
  CHECK(memory.take_backlog(3, 1) == nullptr);
  CHECK(charged(tight) == kRestingBytes);
  memory.close();
  const platforms::FaultScope reserve(platforms::FaultPoint::kReserve);
  CHECK(memory.open(tight).error().code == ErrorCode::kOutOfMemory);
#endif
}
