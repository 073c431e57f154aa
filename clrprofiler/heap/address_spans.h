// Where a heap lies: a few spans of address space, each with its own stretch of places for the mark table.
// Why: regions, large objects and frozen segments may be terabytes apart, and a mark table costs 8 B for each MiB of range.
// Shape:  spans in the order of addresses, more than kMaxGapBytes between any two; place of an address: the span's first place and
//         the distance from its start, in places of 8 bytes. Looked up in the span of the last hit first, else O(log spans).
// Zone:   capture.
// Errors: extend(): kTooMany beyond kMaxSpans, which no 47 bits of address space hold; kInconsistent for addresses that do not grow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "common/arena.h"
#include "common/snapshot/mark_table.h"

namespace holdfast::clr {

class AddressSpans {
 public:
  static constexpr std::uint64_t kMaxGapBytes = std::uint64_t{16} << 30;
  static constexpr std::size_t kMaxSpans = 8192;
  static constexpr std::uint64_t kNowhere = UINT64_MAX;

  static Result<AddressSpans> make(Arena& arena) noexcept {
    AddressSpans spans;
    HF_TRY(memory, arena.make<Span>(kMaxSpans));
    spans.memory_ = memory;
    return spans;
  }

  // Stretches must come in the order of their starts.
  Result<void> extend(std::uint64_t start, std::uint64_t end) noexcept {
    Span* last = count_ > 0 ? &memory_[count_ - 1] : nullptr;
    if (end < start || (last != nullptr && start < last->start))
      return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(start));
    if (last != nullptr && (start <= last->end || start - last->end <= kMaxGapBytes)) {
      last->end = std::max(last->end, end);
      return {};
    }
    if (count_ == kMaxSpans) return make_error(ErrorCode::kTooMany, kMaxSpans);
    const std::uint64_t first = last != nullptr ? place_behind(*last) : 0;
    memory_[count_++] = Span{start / kPlaceBytes * kPlaceBytes, end, first};
    return {};
  }

  // kNowhere outside all spans.
  std::uint64_t place_of(std::uint64_t address) noexcept {
    if (count_ == 0) return kNowhere;
    if (!memory_[last_hit_].holds(address) && !find(address)) return kNowhere;
    const Span& span = memory_[last_hit_];
    return span.first_place + (address - span.start) / kPlaceBytes;
  }
  // Of a place that place_of() has told.
  std::uint64_t address_of(std::uint64_t place) noexcept {
    if (!has_place(memory_[last_hit_], place)) find_place(place);
    const Span& span = memory_[last_hit_];
    return span.start + (place - span.first_place) * kPlaceBytes;
  }
  std::uint64_t bytes() const noexcept {
    return count_ > 0 ? place_behind(memory_[count_ - 1]) * kPlaceBytes : 0;
  }
  std::size_t size() const noexcept { return count_; }

 private:
  static constexpr std::uint64_t kPlaceBytes = MarkTable::kPlaceBytes;
  struct Span {
    std::uint64_t start;
    std::uint64_t end;
    std::uint64_t first_place;
    bool holds(std::uint64_t address) const noexcept { return address >= start && address < end; }
  };

  static std::uint64_t place_behind(const Span& span) noexcept {
    return span.first_place + (span.end - span.start + kPlaceBytes - 1) / kPlaceBytes;
  }
  static bool has_place(const Span& span, std::uint64_t place) noexcept {
    return place >= span.first_place && place < place_behind(span);
  }
  void find_place(std::uint64_t place) noexcept {
    const auto spans = memory_.first(count_);
    const auto behind =
        std::upper_bound(spans.begin(), spans.end(), place,
                         [](std::uint64_t p, const Span& span) { return p < span.first_place; });
    last_hit_ = static_cast<std::size_t>(behind - 1 - spans.begin());
  }
  bool find(std::uint64_t address) noexcept {
    const auto spans = memory_.first(count_);
    const auto behind =
        std::upper_bound(spans.begin(), spans.end(), address,
                         [](std::uint64_t a, const Span& span) { return a < span.start; });
    if (behind == spans.begin() || !(behind - 1)->holds(address)) return false;
    last_hit_ = static_cast<std::size_t>(behind - 1 - spans.begin());
    return true;
  }

  std::span<Span> memory_;
  std::size_t count_ = 0;
  std::size_t last_hit_ = 0;
};

}  // namespace holdfast::clr
