#include "common/control/control_memory.h"

#include "platforms/pages.h"

namespace holdfast::control {

namespace {

// Offsets of the parts; every one is a multiple of any page.
constexpr std::size_t kAnswersAt = kMaxConnections * kMaxRequestBytes;
constexpr std::size_t kHistogramsAt = kAnswersAt + kShortAnswerBytes;
constexpr std::size_t kBacklogsAt = kHistogramsAt + kMaxAnswerBytes;
constexpr std::size_t kAllBytes = kBacklogsAt + kMaxConnections * kMaxAnswerBytes;
constexpr std::size_t kLargestPage = std::size_t{64} << 10;
static_assert(kAnswersAt % kLargestPage == 0 && kHistogramsAt % kLargestPage == 0 &&
              kBacklogsAt % kLargestPage == 0 && kMaxAnswerBytes % kLargestPage == 0);

std::size_t whole_pages(std::size_t bytes) noexcept {
  const std::size_t page = platforms::page_bytes();
  return (bytes + page - 1) / page * page;
}

}  // namespace

bool ControlMemory::commit(std::size_t offset, std::size_t bytes) noexcept {
  if (!ledger_->charge(MemoryCategory::kWorker, bytes)) return false;
  if (platforms::commit_pages(start_ + offset, bytes)) return true;
  ledger_->refund(MemoryCategory::kWorker, bytes);
  return false;
}

void ControlMemory::decommit(std::size_t offset, std::size_t bytes) noexcept {
  platforms::decommit_pages(start_ + offset, bytes);
  ledger_->refund(MemoryCategory::kWorker, bytes);
}

Result<void> ControlMemory::open(Ledger& ledger) noexcept {
  if (is_open()) return make_error(ErrorCode::kRefused);
  ledger_ = &ledger;
  start_ = platforms::reserve_pages(kAllBytes);
  if (start_ == nullptr) return make_error(ErrorCode::kOutOfMemory, kAllBytes);
  if (commit(0, kRestingBytes)) return {};
  platforms::release_pages(start_, kAllBytes);
  start_ = nullptr;
  return make_error(ErrorCode::kOutOfBudget, kRestingBytes);
}

void ControlMemory::close() noexcept {
  if (!is_open()) return;
  give_back_histogram_room();
  for (std::size_t i = 0; i < kMaxConnections; ++i) give_back_backlog(i);
  ledger_->refund(MemoryCategory::kWorker, kRestingBytes);
  platforms::release_pages(start_, kAllBytes);
  start_ = nullptr;
}

std::span<std::byte> ControlMemory::request_room(std::size_t connection) const noexcept {
  return {start_ + connection * kMaxRequestBytes, kMaxRequestBytes};
}

std::span<std::byte> ControlMemory::answer_room() const noexcept {
  return {start_ + kAnswersAt, kShortAnswerBytes};
}

std::span<std::byte> ControlMemory::histogram_room() const noexcept {
  if (!histogram_taken_) return {};
  return {start_ + kHistogramsAt, kMaxAnswerBytes};
}

std::span<std::byte> ControlMemory::take_histogram_room() noexcept {
  if (!histogram_taken_) histogram_taken_ = commit(kHistogramsAt, kMaxAnswerBytes);
  return histogram_room();
}

void ControlMemory::give_back_histogram_room() noexcept {
  if (histogram_taken_) decommit(kHistogramsAt, kMaxAnswerBytes);
  histogram_taken_ = false;
}

std::byte* ControlMemory::take_backlog(std::size_t connection, std::size_t bytes) noexcept {
  const std::size_t wanted = whole_pages(bytes);
  std::size_t held = wanted;
  for (const std::size_t other : backlog_bytes_) held += other;
  if (bytes > kMaxAnswerBytes || backlog_bytes_[connection] != 0 || held > kMaxBacklogBytes)
    return nullptr;
  const std::size_t offset = kBacklogsAt + connection * kMaxAnswerBytes;
  if (!commit(offset, wanted)) return nullptr;
  backlog_bytes_[connection] = wanted;
  return start_ + offset;
}

void ControlMemory::give_back_backlog(std::size_t connection) noexcept {
  if (backlog_bytes_[connection] == 0) return;
  decommit(kBacklogsAt + connection * kMaxAnswerBytes, backlog_bytes_[connection]);
  backlog_bytes_[connection] = 0;
}

}  // namespace holdfast::control
