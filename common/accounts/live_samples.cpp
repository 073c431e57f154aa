#include "common/accounts/live_samples.h"

#include <algorithm>
#include <cmath>

#include "common/accounts/mixed_counter.h"
#include "common/accounts/sampling_pace.h"

namespace holdfast {

namespace {

// Then one in four thousand million stays: no more than that ever lives.
constexpr std::uint32_t kMaxLevel = 32;
constexpr std::uint32_t kTagShift = 32;
constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 36u) - 1;
static_assert(sizeof(LiveSamples::Slot) == 16);
static_assert(SamplingPace::kMostRaises < 16);

}  // namespace

std::size_t LiveSamples::arena_bytes(std::uint32_t samples) noexcept {
  return std::size_t{samples} * sizeof(Slot) + Arena::kAlignment;
}

Result<void> LiveSamples::make(std::uint32_t samples, std::uint64_t seed, Arena& arena) noexcept {
  HF_TRY(slots, arena.make_zeroed<Slot>(samples));
  *this = LiveSamples();
  slots_ = slots;
  chance_ = seed;
  return {};
}

double LiveSamples::kept_share() const noexcept {
  return std::ldexp(1.0, -static_cast<int>(level_));
}

// Each of the high bits is a coin.
bool LiveSamples::kept_by_chance(std::uint32_t halvings) noexcept {
  if (halvings == 0) return true;
  return MixedCounter::mixed(chance_ += MixedCounter::kStep) >> (64 - halvings) == 0;
}

void LiveSamples::release(std::uint32_t number) noexcept {
  Slot& slot = slots_[number];
  ++slot.generation;
  slot.row = free_;
  free_ = number + 1;
  --count_;
}

void LiveSamples::thin() noexcept {
  ++level_;
  for (std::uint32_t i = 0; i < touched_; ++i) {
    if (!slots_[i].lives() || kept_by_chance(1)) continue;
    release(i);
    ++given_up_;
  }
}

LiveSamples::Tag LiveSamples::add(std::uint32_t row, std::uint64_t shallow_bytes,
                                  const SampleMoment& moment) noexcept {
  bool kept = kept_by_chance(level_);
  while (kept && is_full() && level_ < kMaxLevel) {
    thin();
    kept = kept_by_chance(1);  // the newcomer is one of them
  }
  if (!kept || is_full()) return ++given_up_, 0;
  const std::uint32_t number = free_ != 0 ? free_ - 1 : touched_++;
  Slot& slot = slots_[number];
  if (free_ != 0) free_ = slot.row;
  ++slot.generation;
  slot.row = row;
  slot.shallow_bytes = std::min(shallow_bytes, kMostBytes) & kMostBytes;
  slot.raises = moment.raises & 15u;
  slot.born = moment.born & kBornMask;
  ++count_;
  return Tag{slot.generation} << kTagShift | (number + 1);
}

const LiveSamples::Slot* LiveSamples::find(Tag tag) const noexcept {
  const std::uint64_t number = (tag & UINT32_MAX) - 1;  // of tag 0: beyond all slots
  if (number >= touched_) return nullptr;
  const Slot& slot = slots_[static_cast<std::size_t>(number)];
  const bool same = slot.generation == static_cast<std::uint32_t>(tag >> kTagShift);
  return slot.lives() && same ? &slot : nullptr;
}

void LiveSamples::remove(Tag tag) noexcept {
  if (has(tag)) release(static_cast<std::uint32_t>((tag & UINT32_MAX) - 1));
}

}  // namespace holdfast
