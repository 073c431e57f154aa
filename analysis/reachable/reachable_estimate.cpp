#include "analysis/reachable/reachable_estimate.h"

#include <algorithm>
#include <bit>

#include "common/prefetch.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kCancelStride = 8192;  // nodes between two looks at the cancel token
constexpr std::uint32_t kAhead = 8;
constexpr float kNever = 1e30f;  // the rank of a node without bytes
constexpr float kByteScale = 0x1p20f;

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

// Fine near 0: 48 random bits, of which a float keeps the first 24 that count. Less than 1.
float fraction(std::uint64_t random) noexcept {
  const float low = static_cast<float>(random & 0xFFFFFFu) * 0x1p-24f + 0x1p-25f;
  return std::min((static_cast<float>(random >> 40) + low) * 0x1p-24f, 0x1.fffffep-1f);
}

// What the ranks tell of a node: the sum of the least, and in how many of them it has the least of all nodes.
struct Tally {
  float sum;
  std::uint32_t of_all;
};

class Estimate {
 public:
  Estimate(const Condensation& condensation, std::uint32_t ranks,
           const CancelToken& cancel) noexcept
      : c_(condensation), ranks_(ranks), cancel_(cancel) {
    for (const std::uint64_t bytes : c_.shallow_bytes) all_bytes_ += static_cast<double>(bytes);
  }

  Result<void> run(Arena& arena) noexcept {
    HF_TRY(least, arena.make<Ranks>(c_.count()));
    HF_TRY(tally, arena.make_filled<Tally>(c_.count(), Tally{0, 0}));
    least_ = least;
    tally_ = tally;
    for (std::uint32_t first = 0; first < ranks_; first += kRanksAtOnce) HF_CHECK_OK(pass(first));
    return {};
  }

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
  Result<void> pass(std::uint32_t first_rank) noexcept {
    Ranks of_all;
    for (float& rank : of_all.least) rank = kNever;
    for (std::uint32_t v = 0; v < c_.count(); ++v) {
      if (v % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      if (v + kAhead < c_.count()) fetch(v + kAhead);
      Ranks own = drawn(v, first_rank);
      for (const std::uint32_t w : c_.row(v)) keep_less(least_[w], own);
      least_[v] = own;
      keep_less(own, of_all);
    }
    for (std::uint32_t v = 0; v < c_.count(); ++v) count(least_[v], of_all, tally_[v]);
    return {};
  }

  static void keep_less(const Ranks& from, Ranks& to) noexcept {
    for (std::uint32_t i = 0; i < kRanksAtOnce; ++i)
      to.least[i] = std::min(to.least[i], from.least[i]);
  }
  static void count(const Ranks& ranks, const Ranks& of_all, Tally& tally) noexcept {
    for (std::uint32_t i = 0; i < kRanksAtOnce; ++i) {
      tally.sum += ranks.least[i];
      tally.of_all += ranks.least[i] == of_all.least[i] ? 1 : 0;
    }
  }
  void fetch(std::uint32_t node) const noexcept {
    const std::span<const std::uint32_t> row = c_.row(node);
    for (std::size_t i = 0; i < row.size() && i < 2; ++i) prefetch(&least_[row[i]]);
  }

  // Rates are bytes / kByteScale, so that sums of floats stay far from their ends.
  Ranks drawn(std::uint32_t node, std::uint32_t first_rank) const noexcept {
    const float rate = static_cast<float>(c_.shallow_bytes[node]) * (1 / kByteScale);
    const std::uint64_t seed = mixed(std::uint64_t{node} << 8 | first_rank / kRanksAtOnce);
    Ranks own;
    for (std::uint32_t i = 0; i < kRanksAtOnce; ++i) {
      const std::uint64_t random = mixed(seed + (i + 1) * 0x9E3779B97F4A7C15ull);
      own.least[i] = rate > 0 ? minus_log_of_rest(fraction(random)) / rate : kNever;
    }
    return own;
  }

  const Condensation& c_;
  std::uint32_t ranks_;
  const CancelToken& cancel_;
  std::span<Ranks> least_;
  std::span<Tally> tally_;
  double all_bytes_ = 0;
};

// Heron's, of x >= 1, from above: a frozen dump's child calls nothing of libm's, which keeps errno.
double square_root(double x) noexcept {
  double root = x;
  for (double next = (root + 1) / 2; next < root; next = (root + x / root) / 2) root = next;
  return root;
}

}  // namespace

double estimate_standard_error(std::uint32_t ranks) noexcept {
  return 1 / square_root(static_cast<double>(whole_ranks(ranks)) - 2);
}

Result<void> estimate_reachable(const Condensation& condensation,
                                std::span<const std::uint64_t> wanted, std::uint32_t ranks,
                                std::span<std::uint64_t> bytes, Arena& arena,
                                const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  Estimate estimate(condensation, whole_ranks(ranks), cancel);
  HF_CHECK_OK(estimate.run(arena));
  for (std::uint32_t v = 0; v < condensation.count(); ++v) {
    if ((wanted[v >> 6] >> (v & 63) & 1u) == 0) continue;
    const auto least = static_cast<double>(bytes[v]);
    bytes[v] = static_cast<std::uint64_t>(
        std::clamp(estimate.bytes(v), least, std::max(least, estimate.all_bytes())));
  }
  return {};
}

}  // namespace holdfast::analysis
