#include "analysis/reachable/reachable_estimate.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/prefetch.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kCancelStride = 8192;  // nodes between two looks at the cancel token
constexpr std::uint32_t kAhead = 8;
constexpr float kNever = 1e30f;  // the rank of a node without bytes

struct alignas(64) Ranks {
  float least[kRanksAtOnce];
};
static_assert(sizeof(Ranks) == 64);

std::uint64_t mixed(std::uint64_t z) noexcept {  // SplitMix64
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// -ln(1 - x) for 0 < x < 1, within 0.01 %. Small ranks decide, so x itself must be fine near 0, and so must this: below 1/4 by its series,
// above by the exponent and a polynomial for the mantissa.
float minus_log_of_rest(float x) noexcept {
  if (x < 0.25f)
    return x * (1 + x * (0.5f + x * (0.33333333f + x * (0.25f + x * (0.2f + x * 0.19f)))));
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(1 - x);
  const auto exponent = static_cast<float>(static_cast<std::int32_t>(bits >> 23) - 127);
  const float m = std::bit_cast<float>((bits & 0x007FFFFFu) | 0x3F800000u) - 1;
  const float log2_m =
      m *
      (1.442693f +
       m * (-0.72114409f +
            m * (0.47749636f +
                 m * (-0.3383772f + m * (0.21394321f + m * (-0.09462681f + m * 0.02001665f))))));
  return -0.69314718f * (exponent + log2_m);
}

class Estimate {
 public:
  Estimate(const Condensation& condensation, const CancelToken& cancel) noexcept
      : c_(condensation), cancel_(cancel) {}

  Result<void> run(std::uint32_t ranks, Arena& arena) noexcept {
    HF_TRY(least, arena.make<Ranks>(c_.count()));
    HF_TRY(sum, arena.make_filled<float>(c_.count(), 0));
    least_ = least;
    sum_ = sum;
    for (std::uint32_t first = 0; first < ranks; first += kRanksAtOnce) HF_CHECK_OK(pass(first));
    return {};
  }
  float sum(std::uint32_t node) const noexcept { return sum_[node]; }

 private:
  Result<void> pass(std::uint32_t first_rank) noexcept {
    for (std::uint32_t v = 0; v < c_.count(); ++v) {
      if (v % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      if (v + kAhead < c_.count())
        for (const std::uint32_t w :
             c_.row(v + kAhead).first(std::min<std::size_t>(2, c_.row(v + kAhead).size())))
          prefetch(&least_[w]);
      Ranks own;
      draw(v, first_rank, own);
      for (const std::uint32_t w : c_.row(v))
        for (std::uint32_t i = 0; i < kRanksAtOnce; ++i)
          own.least[i] = std::min(own.least[i], least_[w].least[i]);
      for (std::uint32_t i = 0; i < kRanksAtOnce; ++i) sum_[v] += own.least[i];
      least_[v] = own;
    }
    return {};
  }

  // Ranks of bytes * kScale: sums of floats stay far from their ends.
  void draw(std::uint32_t node, std::uint32_t first_rank, Ranks& own) const noexcept {
    constexpr float kScale = 1.0f / (1u << 20);
    const float rate = static_cast<float>(c_.shallow_bytes[node]) * kScale;
    const std::uint64_t seed = mixed(std::uint64_t{node} << 8 | first_rank / kRanksAtOnce);
    for (std::uint32_t i = 0; i < kRanksAtOnce; ++i) {
      const std::uint64_t random = mixed(seed + (i + 1) * 0x9E3779B97F4A7C15ull);
      const float x = (static_cast<float>(random >> 40) +
                       static_cast<float>(random & 0xFFFFFF) * 0x1p-24f + 0x1p-25f) *
                      0x1p-24f;
      own.least[i] = rate > 0 ? minus_log_of_rest(std::min(x, 0.99999994f)) / rate : kNever;
    }
  }

  const Condensation& c_;
  const CancelToken& cancel_;
  std::span<Ranks> least_;
  std::span<float> sum_;
};

}  // namespace

double estimate_standard_error(std::uint32_t ranks) noexcept {
  return 1 / std::sqrt(static_cast<double>(whole_ranks(ranks)) - 2);
}

Result<void> estimate_reachable(const Condensation& condensation,
                                std::span<const std::uint64_t> wanted, std::uint32_t ranks,
                                std::span<std::uint64_t> bytes, Arena& arena,
                                const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  Estimate estimate(condensation, cancel);
  HF_CHECK_OK(estimate.run(whole_ranks(ranks), arena));
  std::uint64_t all = 0;
  for (const std::uint64_t node_bytes : condensation.shallow_bytes) all += node_bytes;
  for (std::uint32_t v = 0; v < condensation.count(); ++v) {
    if ((wanted[v >> 6] >> (v & 63) & 1u) == 0) continue;
    const double found = (whole_ranks(ranks) - 1) * 0x1p20 / static_cast<double>(estimate.sum(v));
    const auto most = static_cast<double>(all), least = static_cast<double>(bytes[v]);
    bytes[v] = static_cast<std::uint64_t>(std::clamp(found, least, std::max(least, most)));
  }
  return {};
}

}  // namespace holdfast::analysis
