// Are estimates unbiased, and are their stated errors true? Simulated VMs sample known streams of allocations, many times over.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "common/accounts/account_fixture.h"
#include "common/tries_for_test.h"

using namespace holdfast;

namespace {

constexpr std::uint64_t kInterval = 64u << 10;
constexpr int kRuns = 400;

struct Stream {
  std::uint64_t objects;
  std::uint64_t bytes_each;  // 0: of many sizes
};

// Many small objects, few large ones.
std::vector<std::uint64_t> many_sizes() {
  struct Share {
    std::uint64_t bytes;
    std::size_t of_a_thousand;
  };
  constexpr Share kShares[] = {{16, 400}, {24, 300}, {40, 150},    {64, 100},     {136, 35},
                               {1040, 9}, {8208, 4}, {100'000, 1}, {1'000'000, 1}};
  std::vector<std::uint64_t> sizes;
  for (const Share& share : kShares) sizes.insert(sizes.end(), share.of_a_thousand, share.bytes);
  return sizes;
}

std::uint64_t size_of(const Stream& stream, std::mt19937_64& random) {
  static const std::vector<std::uint64_t> kSizes = many_sizes();
  const auto any = static_cast<std::size_t>(random() % kSizes.size());
  return stream.bytes_each != 0 ? stream.bytes_each : kSizes[any];
}

// How often the truth lies within one and two stated errors of an estimate, and how far the mean of all estimates is from it.
struct Judgement {
  int within_one = 0;
  int within_two = 0;
  double sum = 0;
  double squares = 0;
  double stated_variance = 0;

  void add(double estimate, double variance, double truth) {
    const double off = estimate - truth;
    const double error = std::sqrt(variance);
    within_one += std::abs(off) <= error ? 1 : 0;
    within_two += std::abs(off) <= 2 * error ? 1 : 0;
    sum += off;
    squares += off * off;
    stated_variance += variance;
  }
  // Of the mean, in its own standard errors.
  double bias() const {
    const double mean = sum / kRuns;
    const double variance = (squares / kRuns - mean * mean) / kRuns;
    return variance == 0 ? 0 : mean / std::sqrt(variance);
  }
  double stated_to_seen_variance() const { return stated_variance / squares; }

  void check(const std::string& what, double least_within_one = 0.62) const {
    INFO(what << ": " << within_one << " and " << within_two << " of " << kRuns
              << " within one and two errors, bias " << bias()
              << " errors, stated to seen variance " << stated_to_seen_variance());
    std::printf("  %-32s %.1f %% and %.1f %% within one and two stated errors, bias %+.2f\n",
                what.c_str(), 100.0 * within_one / kRuns, 100.0 * within_two / kRuns, bias());
    CHECK(std::abs(bias()) < 3);
    CHECK(within_one > least_within_one * kRuns);
    CHECK(within_one < 0.75 * kRuns);
    CHECK(within_two > 0.92 * kRuns);
    CHECK(stated_to_seen_variance() > 0.8);
    CHECK(stated_to_seen_variance() < 1.25);
  }
};

struct Outcome {
  Judgement objects, bytes, live_objects, live_bytes;
  std::uint64_t thinned = 0;
};

// Every third object dies, as soon as the next is there.
void run_once(const Stream& stream, std::uint64_t seed, const AccountRoom& room, Outcome& out) {
  TestBook test(sampled_by(kInterval, seed), "shop.*", room);
  const AllocationKey key = test.key(1, "shop.Cart");
  ByteSampler sampler(kInterval, seed * 7919 + 1);
  std::mt19937_64 sizes(seed * 31 + 5);
  double bytes = 0, live_objects = 0, live_bytes = 0;
  for (std::uint64_t i = 0; i < stream.objects; ++i) {
    const std::uint64_t size = size_of(stream, sizes);
    const AccountBook::LiveTag tag = sampler.samples(size) ? test.book.sampled(key, size) : 0;
    bytes += static_cast<double>(size);
    if (i % 3 == 0) {
      test.book.died(tag);
      continue;
    }
    live_objects += 1;
    live_bytes += static_cast<double>(size);
  }
  const AccountFigures figures = test.read();
  if (figures.rows.empty()) return out.objects.add(0, 0, static_cast<double>(stream.objects));
  const AccountRow& row = figures.rows[0];
  const auto add = [](Judgement& to, std::uint64_t estimate, double variance, double truth) {
    to.add(static_cast<double>(estimate), variance, truth);
  };
  add(out.objects, row.allocated.objects, row.allocated.objects_variance,
      static_cast<double>(stream.objects));
  add(out.bytes, row.allocated.bytes, row.allocated.bytes_variance, bytes);
  add(out.live_objects, row.live.objects, row.live.objects_variance, live_objects);
  add(out.live_bytes, row.live.bytes, row.live.bytes_variance, live_bytes);
  out.thinned += figures.losses.live_thinned;
}

Outcome run(const Stream& stream, const AccountRoom& room = AccountRoom{256, 1 << 14, 64, 4096}) {
  Outcome out;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) run_once(stream, seed, room, out);
  return out;
}

}  // namespace

// Figures, of 400 streams each: sanitizers see the same code in the case on thinning.
TEST_CASE("estimates of small, middling and large objects are unbiased, their errors true" *
          doctest::skip(!all_tries())) {
  for (const Stream stream :
       {Stream{100'000, 24}, Stream{30'000, 1000}, Stream{2'000, 60'000}, Stream{300, 150'000}}) {
    const std::string what = std::to_string(stream.bytes_each) + " bytes, ";
    const Outcome out = run(stream);
    CHECK(out.thinned == 0);
    out.objects.check(what + "objects");
    out.bytes.check(what + "bytes");
    out.live_objects.check(what + "live objects");
    out.live_bytes.check(what + "live bytes");
  }
}

TEST_CASE("a row of many sizes: its objects' error is carried by few samples of small ones" *
          doctest::skip(!all_tries())) {
  const Outcome out = run(Stream{120'000, 0});
  out.objects.check("many sizes, objects");
  out.bytes.check("many sizes, bytes");
  out.live_objects.check("many sizes, live objects");
  out.live_bytes.check("many sizes, live bytes");
}

TEST_CASE("thinning keeps live estimates unbiased, and states what it cost") {
  // About 450 samples live, in a table of 64.
  const Stream stream{30'000, 1000};
  const Outcome all = run(stream);
  const Outcome thinned = run(stream, AccountRoom{256, 64, 64, 4096});
  CHECK(thinned.thinned > 100 * kRuns);
  thinned.bytes.check("allocated bytes beside thinning");
  thinned.live_objects.check("thinned live objects", 0.60);
  thinned.live_bytes.check("thinned live bytes", 0.60);
  CHECK(thinned.live_bytes.stated_variance > 3 * all.live_bytes.stated_variance);
}
