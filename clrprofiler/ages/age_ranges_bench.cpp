// How long it takes to find an age by its address, with std::upper_bound over the same ranges as the peer: twice as many as a heap of ten
// million objects full of holes has (docs/decisions/076-clr-ages-cost.md).
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include "clrprofiler/ages/age_view.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

constexpr std::size_t kRanges = 1u << 18, kLookups = 1u << 18;
constexpr std::uint64_t kStart = 0x100000, kStep = 512;
constexpr std::uint32_t kNow = 50;
constexpr int kRounds = 9;

template <class Find>
double best_ns(const std::vector<std::uint64_t>& addresses, Find find) {
  double best = 1e9;
  std::uint64_t sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto began = std::chrono::steady_clock::now();
    for (const std::uint64_t address : addresses) sum += find(address);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
    best = std::min(best, took.count() / static_cast<double>(addresses.size()));
  }
  CHECK(sum != 0);
  return best;
}

}  // namespace

TEST_CASE("an age by its address") {
  std::vector<AgeRange> ranges(kRanges);
  for (std::size_t i = 0; i < kRanges; ++i)
    ranges[i] = AgeRange{kStart + i * kStep, 40, static_cast<std::uint32_t>(1 + i % kNow)};
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> addresses(kLookups);
  for (auto& address : addresses) address = kStart + random() % (kRanges * kStep) / 8 * 8;
  AgeView view(ranges, kNow);
  const auto ours = [&view](std::uint64_t address) { return std::uint64_t{view.age_at(address)}; };
  const auto peer = [&ranges](std::uint64_t address) {
    const auto after =
        std::upper_bound(ranges.begin(), ranges.end(), address,
                         [](std::uint64_t at, const AgeRange& range) { return at < range.start; });
    return after == ranges.begin() ? 0 : std::uint64_t{kNow - (after - 1)->birth + 1};
  };
  const double ours_at_random = best_ns(addresses, ours), peer_at_random = best_ns(addresses, peer);
  std::sort(addresses.begin(), addresses.end());
  std::printf("| ranges | at random, ns | upper_bound | in order, ns | upper_bound |\n");
  std::printf("|---:|---:|---:|---:|---:|\n| %zu | %.0f | %.0f | %.0f | %.0f |\n", kRanges,
              ours_at_random, peer_at_random, best_ns(addresses, ours), best_ns(addresses, peer));
}
