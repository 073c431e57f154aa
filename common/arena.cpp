#include "common/arena.h"

#include <algorithm>
#include <utility>

#include "platforms/pages.h"

namespace holdfast {

namespace {

// Large arrays profit from huge pages; small ones would waste them.
constexpr std::size_t kHugePageFrom = std::size_t{4} << 20;

std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Arena::Arena(std::byte* start, std::size_t bytes, Ledger& ledger, MemoryCategory category) noexcept
    : start_(start), reserved_(bytes), ledger_(&ledger), category_(category) {}

Arena::Arena(Arena&& other) noexcept { *this = std::move(other); }

Arena& Arena::operator=(Arena&& other) noexcept {
  if (this == &other) return *this;
  reset();
  start_ = std::exchange(other.start_, nullptr);
  reserved_ = std::exchange(other.reserved_, 0);
  used_ = std::exchange(other.used_, 0);
  committed_ = std::exchange(other.committed_, 0);
  most_ = std::exchange(other.most_, SIZE_MAX);
  ledger_ = other.ledger_;
  category_ = other.category_;
  return *this;
}

Result<void*> Arena::allocate(std::uint64_t count, std::size_t element_bytes) noexcept {
  const std::size_t at = round_up(used_, kAlignment);
  if (at > reserved_ || count > (reserved_ - at) / element_bytes)
    return make_error(ErrorCode::kTooMany, static_cast<std::int64_t>(reserved_));
  const std::size_t end = at + static_cast<std::size_t>(count) * element_bytes;
  if (end > most_)
    return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(end - most_));
  const std::size_t wanted = round_up(end, platforms::page_bytes());
  if (wanted > committed_) {
    const std::size_t more = wanted - committed_;
    if (wanted > reserved_)
      return make_error(ErrorCode::kTooMany, static_cast<std::int64_t>(reserved_));
    if (!ledger_->charge(category_, more))
      return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(more));
    if (!platforms::commit_pages(start_ + committed_, more)) {
      ledger_->refund(category_, more);
      return make_error(ErrorCode::kOutOfMemory, static_cast<std::int64_t>(more));
    }
    if (more >= kHugePageFrom) platforms::advise_huge_pages(start_ + committed_, more);
    committed_ = wanted;
  }
  used_ = end;
  peak_ = std::max(peak_, used_);
  return static_cast<void*>(start_ + at);
}

void Arena::rewind(Mark mark) noexcept {
  if (mark > used_) return;
  used_ = mark;
  const std::size_t keep = round_up(mark, platforms::page_bytes());
  if (keep >= committed_) return;
  platforms::decommit_pages(start_ + keep, committed_ - keep);
  ledger_->refund(category_, committed_ - keep);
  committed_ = keep;
}

}  // namespace holdfast
