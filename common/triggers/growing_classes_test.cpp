#include "common/triggers/growing_classes.h"
#include "common/tries_for_test.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace holdfast;

namespace {

constexpr double kMb = 1 << 20;
constexpr std::uint64_t kEveryMs = 10'000;

// A heap of `classes` classes whose bytes somebody makes up, sample by sample.
struct Heap {
  std::unique_ptr<GrowthSeries> series = std::make_unique<GrowthSeries>();
  GrowingClasses growing;
  std::uint64_t at_ms = 1'000'000;
  std::vector<std::string> names;
  Heap() { growing.begin(series.get()); }

  const GrowthJudgment& add(const std::vector<double>& bytes) {
    std::vector<HistogramRow> rows(bytes.size());
    ClassHistogram histogram;
    for (std::size_t c = 0; c < bytes.size(); ++c) {
      rows[c].identity = 0x9E3779B97F4A7C15u * (c + 1);
      rows[c].shallow_bytes = static_cast<std::uint64_t>(std::max(0.0, bytes[c]));
      const std::string name = c < names.size() ? names[c] : "shop.Class" + std::to_string(c);
      std::snprintf(rows[c].name, sizeof rows[c].name, "%s", name.c_str());
      histogram.total_bytes += rows[c].shallow_bytes;
    }
    std::stable_sort(rows.begin(), rows.end(), [](const HistogramRow& a, const HistogramRow& b) {
      return a.shallow_bytes > b.shallow_bytes;
    });
    histogram.heap.used_bytes = histogram.total_bytes;
    histogram.taken_utc_ms = at_ms;
    at_ms += kEveryMs * growing.spacing_factor();
    histogram.rows = rows;
    growing.add(histogram);
    return growing.judge();
  }
};

// bytes(class, sample) for as many samples; after how many samples something grew, 0 never.
using Load = std::function<double(std::size_t, int)>;
int first_alarm(std::size_t classes, int samples, const Load& load) {
  Heap heap;
  for (int t = 0; t < samples; ++t) {
    std::vector<double> bytes(classes);
    for (std::size_t c = 0; c < classes; ++c) bytes[c] = load(c, t);
    if (heap.add(bytes).growing != 0) return t + 1;
  }
  return 0;
}

double level_of(std::size_t c) { return kMb * 20 / static_cast<double>(1 + c); }

// Series that may drift: each sample keeps `memory` of the one before.
struct Drifting {
  std::mt19937 random;
  std::normal_distribution<double> noise;
  double memory;
  double spread;
  std::vector<double> now;
  Drifting(unsigned seed, std::size_t classes, double kept, double wide)
      : random(seed), memory(kept), spread(wide), now(classes, 0.0) {
    for (int warm = 0; warm < 50 && memory < 1; ++warm) step();
  }
  void step() {
    for (double& value : now) value = memory * value + noise(random);
  }
  std::vector<double> bytes() {
    step();
    std::vector<double> out(now.size());
    const double scale = memory < 1 ? std::sqrt(1 - memory * memory) : 1;
    for (std::size_t c = 0; c < now.size(); ++c)
      out[c] = std::max(0.0, level_of(c) * (1 + spread * scale * now[c]));
    return out;
  }
};

int alarms_of_drift(int seeds, double memory, double spread, int samples) {
  int alarms = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    Heap heap;
    Drifting drift(static_cast<unsigned>(seed), 40, memory, spread);
    bool alarm = false;
    for (int t = 0; t < samples && !alarm; ++t) alarm = heap.add(drift.bytes()).growing != 0;
    alarms += alarm ? 1 : 0;
  }
  return alarms;
}

}  // namespace

TEST_CASE("a leak in a heap that breathes is found and named") {
  int found = 0;
  int latest = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Drifting drift(seed, 40, 0.3, 0.1);
    Heap heap;
    heap.names = {"byte[]", "java.lang.String", "shop.Session"};
    int at = 0;
    for (int t = 0; t < 60 && at == 0; ++t) {
      std::vector<double> bytes = drift.bytes();
      bytes[2] = 4 * kMb + 0.5 * kMb * t + (t % 7) * 0.2 * kMb;  // the leak, and a sawtooth
      bytes[0] = 20 * kMb + 1.5 * kMb * t + (t % 5) * kMb;       // what it holds
      const GrowthJudgment& judgment = heap.add(bytes);
      if (judgment.growing == 0 || std::strcmp(judgment.first->name, "byte[]") == 0) continue;
      at = t + 1;
      CHECK(judgment.first->name == std::string("shop.Session"));
      // The window may have been thinned; half a megabyte in ten seconds of a sample's distance then.
      CHECK(judgment.untold >= 1);
    }
    found += at != 0 ? 1 : 0;
    latest = std::max(latest, at);
  }
  MESSAGE("leaks found: " << found << " of 100, the last after " << latest << " samples");
  CHECK(found == 100);
}

TEST_CASE("the slope is what the class gains") {
  Heap heap;
  for (int t = 0; t < 24; ++t) {
    const double minutes = t / 6.0;
    heap.add({30 * kMb, 5 * kMb + 12 * kMb * minutes});
  }
  const GrowthJudgment& judgment = heap.growing.last();
  REQUIRE(judgment.growing == 1);
  CHECK(judgment.window_ms == 23 * kEveryMs);
  CHECK(judgment.first->bytes_per_minute == doctest::Approx(12 * kMb).epsilon(0.001));
}

// A figure, of 2,200 series: sanitizers see the same code in the other cases.
TEST_CASE("noise alone hardly ever looks like growth" * doctest::skip(!all_tries())) {
  // 40 classes, a judgment after each of 64 samples. The figures are those of
  // docs/decisions/009-growing-classes.md.
  const int white = alarms_of_drift(1000, 0.0, 0.2, 64);
  const int slow = alarms_of_drift(1000, 0.8, 0.2, 64);
  const int walk = alarms_of_drift(200, 1.0, 0.02, 64);
  MESSAGE("false alarms: " << white << " of 1000 (independent), " << slow
                           << " of 1000 (correlation 0.8), " << walk
                           << " of 200 (random walks, which do grow for a while)");
  CHECK(white == 0);
  CHECK(slow <= 10);
}

TEST_CASE("what rises once, or until it is full, is no leak") {
  std::mt19937 random(3);
  std::normal_distribution<double> noise;
  const auto around = [&](double bytes) { return bytes * (1 + 0.01 * noise(random)); };
  for (int at = 2; at < 62; at += 3)  // a step at any moment
    CHECK(first_alarm(10, 64, [&](std::size_t c, int t) {
            return around(level_of(c) * (c == 1 && t >= at ? 3 : 1));
          }) == 0);
  for (int at = 2; at < 62; at += 3)  // and without any noise
    CHECK(first_alarm(10, 64, [&](std::size_t c, int t) {
            return level_of(c) * (c == 1 && t >= at ? 3 : 1);
          }) == 0);
  // A cache that fills within the first minute, without noise: each sample is above the one before, for ever.
  CHECK(first_alarm(10, 64, [&](std::size_t c, int t) {
          return level_of(c) * (c == 0 ? 2 - std::exp(-t / 3.5) : 1);
        }) == 0);
  // And with.
  CHECK(first_alarm(10, 64, [&](std::size_t c, int t) {
          return around(level_of(c) * (c == 1 ? 1 - std::exp(-t / 3.0) : 1));
        }) == 0);
}

TEST_CASE("a load that comes and goes is no leak") {
  std::mt19937 random(4);
  std::normal_distribution<double> noise;
  int alarms = 0;
  int tried = 0;
  for (int period = 4; period <= 16; ++period)
    for (int phase = 0; phase < period; phase += 2, ++tried)
      alarms +=
          first_alarm(10, 96,
                      [&](std::size_t c, int t) {
                        const double wave = std::sin(2 * 3.14159265 * (t + phase) / period);
                        return level_of(c) * (1 + (c < 3 ? 0.4 * wave : 0) + 0.02 * noise(random));
                      }) != 0
              ? 1
              : 0;
  MESSAGE("seasonal loads taken for leaks: " << alarms << " of " << tried);
  CHECK(alarms == 0);
}

TEST_CASE("small gains, and gains of a heap that does not grow, are left alone") {
  // Below a megabyte in the window.
  CHECK(first_alarm(3, 64,
                    [](std::size_t c, int t) { return c == 0 ? kMb + 1000.0 * t : 3 * kMb; }) == 0);
  // Below a hundredth of the heap.
  CHECK(first_alarm(3, 32, [](std::size_t c, int t) {
          return c == 0 ? kMb + 0.1 * kMb * t : 300 * kMb;
        }) == 0);
  // One class takes what another gives back.
  CHECK(first_alarm(2, 32, [](std::size_t c, int t) {
          return c == 0 ? 10 * kMb + kMb * t : 100 * kMb - kMb * t;
        }) == 0);
}

TEST_CASE("a class that comes late had nothing before") {
  Heap heap;
  std::vector<double> bytes(3, 10 * kMb);
  for (int t = 0; t < 10; ++t) heap.add(bytes);
  for (int t = 0; t < 30; ++t) {
    bytes.resize(4);
    bytes[3] = 2 * kMb * (t + 1);
    heap.add(bytes);
  }
  REQUIRE(heap.growing.last().growing == 1);
  CHECK(heap.growing.last().first->bytes[0] == 0);
}

TEST_CASE("the table is bounded, and the largest have a place in it") {
  Heap heap;
  std::vector<double> bytes(kFollowedClasses + 300);
  for (int t = 0; t < 30; ++t) {
    for (std::size_t c = 0; c < bytes.size(); ++c)
      bytes[c] = 10'000 + 10.0 * static_cast<double>(c);
    bytes[0] = t < 5 ? 100 : (t - 4) * kMb;  // the smallest of all becomes the largest
    heap.add(bytes);
    CHECK(heap.growing.last().followed == kFollowedClasses);
  }
  REQUIRE(heap.growing.last().growing == 1);
  CHECK(heap.growing.last().first->name == std::string("shop.Class0"));
}

TEST_CASE("the window widens until samples are ten minutes apart, and goes on from there") {
  Heap heap;
  std::uint64_t widest = 0;
  for (int t = 0; t < 2000; ++t) {
    const GrowthJudgment& judgment = heap.add({5 * kMb, 5 * kMb});
    CHECK(judgment.samples <= kGrowthSamples);
    widest = std::max(widest, judgment.window_ms);
    CHECK(judgment.growing == 0);
  }
  CHECK(heap.growing.spacing_factor() == 32);
  CHECK(widest <= kGrowthSamples * kLongestSpacingMs);
  CHECK(widest >= (kGrowthSamples - 1) * kEveryMs * 32);
}

TEST_CASE("a slow leak is found when the window is wide enough") {
  // 1 MB in ten minutes in a heap of 60 MB.
  Heap heap;
  const std::uint64_t began = heap.at_ms;
  int at = 0;
  for (int t = 0; t < 200 && at == 0; ++t) {
    const double minutes = static_cast<double>(heap.at_ms - began) / 60'000;
    if (heap.add({50 * kMb, 10 * kMb + kMb / 10 * minutes}).growing != 0) at = t + 1;
  }
  CHECK(at > 32);
  CHECK(heap.growing.last().window_ms >= 600'000);
}

TEST_CASE("what was told is told again when it is twice as large") {
  Heap heap;
  int told = 0;
  double told_at = 0;
  for (int t = 0; t < 400; ++t) {
    const double leak = 4 * kMb + kMb * t;
    const GrowthJudgment& judgment = heap.add({20 * kMb, leak, leak / 3});
    if (judgment.untold == 0) continue;
    if (told != 0) CHECK(leak >= 2 * told_at);
    ++told;
    told_at = leak;
    heap.growing.mark_told();
    CHECK(heap.growing.last().untold == 0);
  }
  CHECK(told >= 3);
  CHECK(told <= 6);
}

TEST_CASE("which names tell") {
  CHECK(is_telling("shop.Session"));
  CHECK_FALSE(is_telling("byte[]"));
  CHECK_FALSE(is_telling("shop.Session[]"));
  CHECK_FALSE(is_telling("java.util.HashMap$Node"));
  CHECK_FALSE(is_telling("jdk.internal.misc.Unsafe"));
  CHECK(is_telling("javassist.ClassPool"));
}

TEST_CASE("nothing is followed without memory, and a date set back turns nothing around") {
  GrowingClasses none;
  none.begin(nullptr);
  none.add(ClassHistogram{});
  CHECK(none.judge().samples == 0);
  none.mark_told();
  Heap heap;
  heap.add({kMb});
  heap.at_ms = 5;
  heap.add({kMb});
  CHECK(heap.growing.last().window_ms == 1);
}
