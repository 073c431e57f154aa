#include "common/collection_log.h"

#include <algorithm>

namespace holdfast {

void CollectionLog::begin(std::uint64_t utc_ms) noexcept {
  begin_utc_ms_.store(std::max<std::uint64_t>(utc_ms, 1), std::memory_order_release);
}

void CollectionLog::open_change() noexcept {
  const std::uint64_t begun = begin_utc_ms_.exchange(0, std::memory_order_acquire);
  changes_.fetch_add(1, std::memory_order_relaxed);  // before any word: those are released
  if (begun == 0) return;
  for (auto& word : words_) word.store(kUnknownCount, std::memory_order_release);
  set(kCount, 0);
  set(kSince, begun);
}

void CollectionLog::close_change() noexcept { changes_.fetch_add(1, std::memory_order_release); }

void CollectionLog::began(std::uint64_t used_bytes) noexcept {
  open_ = true;
  found_bytes_ = used_bytes;
}

void CollectionLog::ended(std::uint64_t used_bytes) noexcept {
  if (!open_) return;
  open_ = false;
  open_change();
  set(kCount, word(kCount) + 1);
  set(kBefore, found_bytes_);
  set(kAfter, used_bytes);
  if (found_bytes_ != kUnknownCount && used_bytes != kUnknownCount) {
    const std::uint64_t before = word(kReclaimed) == kUnknownCount ? 0 : word(kReclaimed);
    set(kReclaimed, before + found_bytes_ - std::min(found_bytes_, used_bytes));
  }
  close_change();
}

void CollectionLog::paused(std::uint64_t pause_ns) noexcept {
  open_change();
  const bool first = word(kLongest) == kUnknownCount;
  set(kLongest, first ? pause_ns : std::max(word(kLongest), pause_ns));
  set(kLastPause, pause_ns);
  close_change();
}

HeardCollections CollectionLog::read() const noexcept {
  if (fresh()) return {};
  for (int i = 0; i < kMostReads; ++i) {
    const std::uint32_t before = changes_.load(std::memory_order_acquire);
    HeardCollections heard;
    heard.count = word(kCount);
    heard.since_utc_ms = word(kSince);
    heard.longest_pause_ns = word(kLongest);
    heard.reclaimed_bytes = word(kReclaimed);
    heard.before_bytes = word(kBefore);
    heard.after_bytes = word(kAfter);
    if (before % 2 == 0 && changes_.load(std::memory_order_relaxed) == before)
      return heard.count == 0 ? HeardCollections{} : heard;
  }
  return {};
}

}  // namespace holdfast
