#include "analysis/reachable/reachable_estimate.h"

#include <algorithm>
#include <bit>

#include "common/cancel.h"
#include "platforms/clock.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kFewestRanks = 4;  // in one pass, and in an estimate
constexpr float kNever = 1e30f;            // the rank of a node without bytes
constexpr float kByteScale = 0x1p20f;

// So many ranks at a time; 16 of them fill a cache line.
template <std::uint32_t kWidth>
struct alignas(kWidth * sizeof(float)) Ranks {
  float least[kWidth];
};
static_assert(sizeof(Ranks<kRanksAtOnce>) == 64);

std::uint64_t mixed(std::uint64_t z) noexcept {  // SplitMix64
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// -ln(1 - x) for 0 < x < 1, within 0.01 %. Small ranks decide, so it must be fine near 0: below 1/4 by its series, above by the exponent and
// a polynomial for the mantissa; 88 for 1. Without branches or comparisons of floats, so that the compiler takes several at once.
constexpr std::int32_t kQuarter = 0x3E800000;  // 0.25f
inline float minus_log_of_rest(float x) noexcept {
  const float by_series =
      x * (1 + x * (0.5f + x * (0.33333333f + x * (0.25f + x * (0.2f + x * 0.19f)))));
  const auto bits = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(1 - x));
  const auto exponent = static_cast<float>((bits >> 23) - 127);
  const float m = std::bit_cast<float>((bits & 0x007FFFFF) | 0x3F800000) - 1;
  const float log2_m =
      m *
      (1.442693f +
       m * (-0.72114409f +
            m * (0.47749636f +
                 m * (-0.3383772f + m * (0.21394321f + m * (-0.09462681f + m * 0.02001665f))))));
  const float by_mantissa = -0.69314718f * (exponent + log2_m);
  return std::bit_cast<std::int32_t>(x) < kQuarter ? by_series : by_mantissa;
}

// 31 random bits as a fraction between 0 and 1: as fine as a set of some hundred million nodes needs.
inline float fraction(std::uint32_t random) noexcept {
  const auto bits = static_cast<float>(static_cast<std::int32_t>(random >> 1));
  return bits * 0x1p-31f + 0x1p-32f;
}

inline std::uint32_t mixed(std::uint32_t z) noexcept {  // MurmurHash3's last steps
  z = (z ^ (z >> 16)) * 0x85EBCA6Bu;
  z = (z ^ (z >> 13)) * 0xC2B2AE35u;
  return z ^ (z >> 16);
}

// What the ranks tell of a node: the sum of the least, and in how many of them it has the least of all nodes.
struct Tally {
  float sum;
  std::uint32_t of_all;
};

// A bit a node.
using Bits = std::span<std::uint64_t>;
bool get(std::span<const std::uint64_t> bits, std::uint32_t i) noexcept {
  return (bits[i >> 6] >> (i & 63) & 1u) != 0;
}
void put(Bits bits, std::uint32_t i) noexcept { bits[i >> 6] |= std::uint64_t{1} << (i & 63); }

template <std::uint32_t kWidth>
class Estimate {
 public:
  Estimate(const Condensation& condensation, std::span<const std::uint64_t> wanted,
           const CancelToken& cancel) noexcept
      : c_(condensation), wanted_(wanted), cancel_(cancel) {
    for (const std::uint64_t bytes : c_.shallow_bytes) all_bytes_ += static_cast<double>(bytes);
  }

  Result<void> run(const EstimateLimits& limits, Arena& arena) noexcept {
    HF_CHECK_OK(fold(arena));
    HF_TRY(least, arena.make<Ranks<kWidth>>(c_.count()));
    HF_TRY(tally, arena.make_filled<Tally>(c_.count(), Tally{0, 0}));
    least_ = least;
    tally_ = tally;
    const std::uint32_t wanted = whole_ranks(limits.ranks);
    while (ranks_ < wanted) {
      const std::uint64_t began = platforms::monotonic_ns();
      const Result<void> done = pass(ranks_);
      if (!done && (done.error().code != ErrorCode::kDeadline || ranks_ < kFewestRanks))
        return done.error();
      if (!done) break;
      ranks_ += kWidth;
      const std::uint64_t now = platforms::monotonic_ns();
      if (ranks_ >= kFewestRanks &&
          limits.enough_ns - std::min(limits.enough_ns, now) < now - began)
        break;
    }
    return {};
  }
  std::uint32_t ranks() const noexcept { return ranks_; }

  // Two ways, each weighed by how sure it is: by the sum of the minima, and by the share of all bytes, which is how often the least
  // rank of all is among what the node reaches. The second knows best what nearly everything hangs on.
  double bytes(std::uint32_t node) const noexcept {
    const double k = ranks_, of_all = tally_[node].of_all;
    const double by_sum = (k - 1) * kByteScale / static_cast<double>(tally_[node].sum);
    const double by_share = of_all / k * all_bytes_;
    const double share = (of_all + 0.5) / (k + 1);
    const double doubt_of_sum = by_sum * by_sum / (k - 2);
    const double doubt_of_share = all_bytes_ * all_bytes_ * share * (1 - share) / k;
    return (by_sum * doubt_of_share + by_share * doubt_of_sum) / (doubt_of_sum + doubt_of_share);
  }
  double all_bytes() const noexcept { return all_bytes_; }

 private:
  // What only one node refers to, and nobody asks about, draws no ranks: its bytes are its referrer's. The least of two exponential ranks is
  // one with both rates, so nothing changes for those above.
  Result<void> fold(Arena& arena) noexcept {
    const std::size_t words = std::size_t{c_.count()} / 64 + 1;
    HF_TRY(referred, arena.make_filled<std::uint64_t>(words, 0));
    HF_TRY(twice, arena.make_filled<std::uint64_t>(words, 0));
    HF_TRY(folded, arena.make_filled<std::uint64_t>(words, 0));
    HF_TRY(bytes, arena.make<float>(c_.count()));
    for (std::size_t i = 0; i < c_.target.size(); ++i) {
      if (i % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      put(get(referred, c_.target[i]) ? twice : referred, c_.target[i]);
    }
    for (std::uint32_t v = 0; v < c_.count(); ++v) {
      if (v % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      bool alone = get(referred, v) && !get(twice, v) && !get(wanted_, v);
      bytes[v] = static_cast<float>(c_.shallow_bytes[v]);
      for (const std::uint32_t w : c_.row(v)) {
        if (get(folded, w))
          bytes[v] += bytes[w];
        else
          alone = false;
      }
      if (alone) put(folded, v);
    }
    folded_ = folded;
    bytes_ = bytes;
    return {};
  }

  Result<void> pass(std::uint32_t first_rank) noexcept {
    Ranks<kWidth> of_all;
    for (float& rank : of_all.least) rank = kNever;
    for (std::uint32_t v = 0; v < c_.count(); ++v) {
      if (v % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      if (get(folded_, v)) continue;
      Ranks<kWidth> own = drawn(v, first_rank);
      keep_less(own, of_all);
      for (const std::uint32_t w : c_.row(v))
        if (!get(folded_, w)) keep_less(least_[w], own);
      least_[v] = own;
    }
    // Counted as a whole or not at all, so that every node has as many ranks.
    for (std::uint32_t v = 0; v < c_.count(); ++v)
      if (get(wanted_, v)) count(least_[v], of_all, tally_[v]);
    return {};
  }

  static void keep_less(const Ranks<kWidth>& from, Ranks<kWidth>& to) noexcept {
    for (std::uint32_t i = 0; i < kWidth; ++i) to.least[i] = std::min(to.least[i], from.least[i]);
  }
  static void count(const Ranks<kWidth>& ranks, const Ranks<kWidth>& of_all,
                    Tally& tally) noexcept {
    for (std::uint32_t i = 0; i < kWidth; ++i) {
      tally.sum += ranks.least[i];
      tally.of_all += ranks.least[i] == of_all.least[i] ? 1 : 0;
    }
  }

  // Rates are bytes / kByteScale, so that sums of floats stay far from their ends.
  Ranks<kWidth> drawn(std::uint32_t node, std::uint32_t first_rank) const noexcept {
    const float scale = bytes_[node] > 0 ? kByteScale / bytes_[node] : kNever;
    const std::uint64_t seed = mixed(std::uint64_t{node} << 8 | first_rank / kWidth);
    const auto start = static_cast<std::uint32_t>(seed);
    const std::uint32_t step = static_cast<std::uint32_t>(seed >> 32) | 1;
    Ranks<kWidth> own;
    for (std::uint32_t i = 0; i < kWidth; ++i)
      own.least[i] = minus_log_of_rest(fraction(mixed(start + i * step))) * scale;
    return own;
  }

  const Condensation& c_;
  std::span<const std::uint64_t> wanted_;
  std::uint32_t ranks_ = 0;  // so far
  const CancelToken& cancel_;
  Bits folded_;
  std::span<float> bytes_;          // what a node draws for
  std::span<Ranks<kWidth>> least_;  // of all that it reaches, itself included
  std::span<Tally> tally_;
  double all_bytes_ = 0;
};

template <std::uint32_t kWidth>
Result<std::uint32_t> estimate_by(const Condensation& condensation,
                                  std::span<const std::uint64_t> wanted,
                                  const EstimateLimits& limits, std::span<std::uint64_t> bytes,
                                  Arena& arena, const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  Estimate<kWidth> estimate(condensation, wanted, cancel);
  HF_CHECK_OK(estimate.run(limits, arena));
  for (std::uint32_t v = 0; v < condensation.count(); ++v) {
    if (!get(wanted, v)) continue;
    const auto least = static_cast<double>(bytes[v]);
    bytes[v] = static_cast<std::uint64_t>(
        std::clamp(estimate.bytes(v), least, std::max(least, estimate.all_bytes())));
  }
  return estimate.ranks();
}

bool is_shortage(const Error& error) noexcept {
  return error.code == ErrorCode::kOutOfBudget || error.code == ErrorCode::kOutOfMemory ||
         error.code == ErrorCode::kTooMany;
}

}  // namespace

// 1 / sqrt(ranks - 2), by Newton's steps: libc's sqrt may set errno, which a child must not reach.
double estimate_standard_error(std::uint32_t ranks) noexcept {
  constexpr int kSteps = 40;
  const double square = static_cast<double>(std::max(ranks, kFewestRanks)) - 2;
  double root = square;
  for (int i = 0; i < kSteps; ++i) root = (root + square / root) / 2;
  return 1 / root;
}

Result<std::uint32_t> estimate_reachable(const Condensation& condensation,
                                         std::span<const std::uint64_t> wanted,
                                         const EstimateLimits& limits,
                                         std::span<std::uint64_t> bytes, Arena& arena,
                                         const CancelToken& cancel) noexcept {
  const auto wide = estimate_by<kRanksAtOnce>(condensation, wanted, limits, bytes, arena, cancel);
  if (wide || !is_shortage(wide.error())) return wide;
  const auto half = estimate_by<8>(condensation, wanted, limits, bytes, arena, cancel);
  if (half || !is_shortage(half.error())) return half;
  return estimate_by<kFewestRanks>(condensation, wanted, limits, bytes, arena, cancel);
}

}  // namespace holdfast::analysis
