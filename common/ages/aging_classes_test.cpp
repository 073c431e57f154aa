#include "common/ages/aging_classes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/arena_for_test.h"
#include "common/tries_for_test.h"

using namespace holdfast;

namespace {

// Samples and looks as a test says.
struct Scene {
  TestArena memory{std::uint64_t{4} << 20};
  StringTable names;
  std::unique_ptr<AgingClasses> classes = std::make_unique<AgingClasses>();
  std::vector<HistogramRow> rows;
  std::uint32_t sequence = 0;

  Scene() {
    auto made = StringTable::make(memory.arena(), 4096, 256 << 10);
    REQUIRE(made);
    names = *made;
  }
  SampledClass sampled(const std::string& name, std::uint32_t old, std::uint16_t births,
                       float born_objects = 100) {
    SampledClass of;
    of.name = names.intern(name);
    of.samples[age_range(kOldAge)] = old;
    of.objects[age_range(kOldAge)] = static_cast<float>(old);
    of.old_samples = old;
    of.windows = 1;
    of.births[0] = births;
    of.born_in[0] = (std::uint64_t{1} << old) - 1;
    for (OldSince& since : of.since_mark) since = {old, born_objects};
    return of;
  }
  void choose(std::vector<SampledClass> samples, std::uint64_t now) {
    SampledAges ages;
    ages.question.now = now;
    ages.classes = samples;
    classes->choose(ages, names);
  }
  void count(const std::string& name, std::uint64_t instances) {
    HistogramRow row;
    std::memcpy(row.name, name.c_str(), name.size() + 1);
    row.instances = instances;
    row.shallow_bytes = instances * 24;
    rows.push_back(row);
  }
  void look(std::uint64_t collections) {
    ClassHistogram histogram;
    histogram.sequence = ++sequence;
    histogram.taken_utc_ms = 1000 + collections;
    histogram.rows = rows;
    histogram.collections = collections;
    classes->add(histogram);
    rows.clear();
  }
  std::vector<AgeSuspect> judge() {
    AgeSuspect out[kMostAgeSuspects];
    const std::size_t count = classes->judge(out);
    return {out, out + count};
  }
};

constexpr std::uint16_t kSpread = 0xFFFF;
constexpr std::uint16_t kOnce = 0x8000;

}  // namespace

TEST_CASE(
    "a class whose old objects are born all the time, and of which more and more are reached, is a "
    "suspect") {
  Scene scene;
  constexpr std::uint64_t kLooks = kLeastLooks + kConfirmedLooks - 1;
  for (std::uint64_t i = 0; i < kLooks; ++i) {
    scene.choose({scene.sampled("shop.Session", 8, kSpread)}, 10 + 2 * i);
    REQUIRE(scene.judge().empty());
    const LookWorth worth = i < kRefutingLooks ? LookWorth::kPromising : LookWorth::kDeciding;
    REQUIRE(scene.classes->wants_look(10 + 2 * i) == worth);
    scene.count("shop.Session", 1000 + 100 * i);
    scene.look(10 + 2 * i);
    CHECK(scene.classes->wants_look(11 + 2 * i) == LookWorth::kNone);
  }
  const std::vector<AgeSuspect> suspects = scene.judge();
  REQUIRE(suspects.size() == 1);
  CHECK(std::string(suspects[0].name) == "shop.Session");
  CHECK(suspects[0].instances == 1700);
  CHECK(suspects[0].shallow_bytes == 1700 * 24);
  CHECK(suspects[0].more_instances == 700);
  CHECK(suspects[0].collections == 14);
  CHECK(suspects[0].looks == 8);
  CHECK(suspects[0].old_samples == 8);
  CHECK(suspects[0].ages == 8);
  CHECK(suspects[0].old_percent == 100);
  CHECK(suspects[0].confidence_percent == 99);  // 1 - sqrt(1/40,320)
  CHECK(scene.classes->wants_look(10 + 2 * kLooks) == LookWorth::kKnown);
}

TEST_CASE("who does not grow old all the time, or of whom there are not more, is none") {
  struct Row {
    const char* what;
    std::uint32_t old;
    std::uint16_t births;
    std::uint64_t instances[8];
  };
  const Row rows[] = {
      {"filled once", 40, kOnce, {100, 200, 300, 400, 500, 600, 700, 800}},
      {"too few samples", 3, kSpread, {100, 200, 300, 400, 500, 600, 700, 800}},
      {"as many as ever", 40, kSpread, {800, 800, 800, 800, 800, 800, 800, 800}},
      {"up and down", 40, kSpread, {800, 900, 700, 950, 750, 900, 800, 850}},
      {"fills up", 40, kSpread, {100, 400, 600, 700, 740, 745, 747, 748}},
      {"hardly more", 40, kSpread, {100, 101, 102, 103, 104, 105, 106, 107}},
      {"cleared in the end", 40, kSpread, {100, 200, 300, 400, 500, 600, 700, 50}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Scene scene;
    for (std::uint64_t i = 0; i < 8; ++i) {
      scene.choose({scene.sampled("shop.Session", row.old, row.births)}, 10 + 2 * i);
      scene.count("shop.Session", row.instances[i]);
      scene.look(10 + 2 * i);
    }
    CHECK(scene.judge().empty());
  }
}

TEST_CASE("without candidates a few looks are taken, and no more") {
  Scene scene;
  CHECK(scene.classes->wants_look(1) == LookWorth::kNone);  // nothing is old
  for (std::uint64_t i = 0; i < 20; ++i) {
    scene.choose({scene.sampled("shop.Cache", 20, kOnce)}, 10 + 2 * i);
    if (scene.classes->wants_look(10 + 2 * i) == LookWorth::kNone) continue;
    scene.count("shop.Cache", 500);
    scene.look(10 + 2 * i);
  }
  CHECK(scene.classes->looks() == kFreeLooks);
}

TEST_CASE("a look that would decide waits for the samples to decide by") {
  Scene scene;
  SampledClass of = scene.sampled("shop.Session", 8, kSpread);
  std::uint64_t now = 10;
  const auto look = [&] {
    scene.choose({of}, now);
    const bool wanted = scene.classes->wants_look(now) >= LookWorth::kPromising;
    if (wanted) {
      scene.count("shop.Session", 1000 + 10 * now);
      scene.look(now);
    }
    now += 2;
    return wanted;
  };
  for (OldSince& since : of.since_mark) since.samples = kLeastOld - 1;
  for (std::size_t i = 0; i + 1 < kLeastLooks; ++i) REQUIRE(look());
  for (int i = 0; i < 100; ++i) CHECK_FALSE(look());
  for (OldSince& since : of.since_mark) since.samples = kLeastOld;
  for (std::size_t i = 0; i < kConfirmedLooks; ++i) {
    CHECK(scene.judge().empty());
    CHECK(look());
  }
  CHECK(scene.judge().size() == 1);
}

TEST_CASE("a dump tells of suspects and of what rises with them, until that has doubled") {
  Scene scene;
  const auto look = [&scene](std::uint64_t i) {
    scene.choose({scene.sampled("shop.Session", 8, kSpread), scene.sampled("shop.Order", 1, kOnce),
                  scene.sampled("shop.Cache", 1, kOnce)},
                 10 + 2 * i);
    scene.count("shop.Session", 1000 + 100 * i);
    scene.count("shop.Order", 3000 + 300 * i);
    scene.count("shop.Cache", 500);
    scene.look(10 + 2 * i);
  };
  const auto is_untold = [&scene](const char* name, std::uint64_t instances) {
    AgeSuspect suspect;
    std::strcpy(suspect.name, name);
    suspect.instances = instances;
    return scene.classes->is_untold(suspect);
  };
  constexpr std::uint64_t kLooks = kLeastLooks + kConfirmedLooks;
  for (std::uint64_t i = 0; i < kLooks; ++i) look(i);
  REQUIRE(scene.judge().size() == 1);
  CHECK(is_untold("shop.Session", 1800));
  scene.classes->mark_told();
  CHECK_FALSE(is_untold("shop.Session", 1800));
  CHECK_FALSE(is_untold("shop.Session", 3599));
  CHECK(is_untold("shop.Session", 3600));
  CHECK_FALSE(is_untold("shop.Order", 5400));
  CHECK(is_untold("shop.Cache", 500));
}

TEST_CASE("a candidate that is born as often as it dies is looked at ever more seldom") {
  Scene scene;
  std::uint64_t looks = 0;
  for (std::uint64_t at = 10; at < 1010; ++at) {
    scene.choose({scene.sampled("shop.Order", 20, kSpread, static_cast<float>(at))}, at);
    if (scene.classes->wants_look(at) == LookWorth::kNone) continue;
    scene.count("shop.Order", 5000 + at % 7);
    scene.look(at);
    ++looks;
  }
  MESSAGE(looks << " looks in 1,000 collections");
  CHECK(looks > 2);
  CHECK(looks <= 12);
}

TEST_CASE("looks at what rises too little to be a suspect decide for a while, and then no more") {
  Scene scene;
  for (std::uint64_t i = 0; i < 20; ++i) {
    CAPTURE(i);
    const std::uint64_t at = 10 + 2 * i;
    scene.choose({scene.sampled("shop.Session", 8, kSpread, 1)}, at);
    const bool decides = i >= kRefutingLooks && i < kLeastLooks + kConfirmedLooks;
    REQUIRE(scene.classes->wants_look(at) ==
            (decides ? LookWorth::kDeciding : LookWorth::kPromising));
    scene.count("shop.Session", 1000 + i);
    scene.look(at);
    CHECK(scene.judge().empty());
  }
}

TEST_CASE("looks for another class's sake speak against one before it is a candidate") {
  Scene scene;
  for (std::uint64_t i = 0; i < kRefutingLooks; ++i) {
    scene.choose({scene.sampled("shop.Session", 8, kSpread), scene.sampled("shop.Order", 1, kOnce)},
                 10 + 2 * i);
    scene.count("shop.Session", 1000 + 100 * i);
    scene.count("shop.Order", 1000 + 500 * (i % 2));
    scene.look(10 + 2 * i);
  }
  const SampledClass order = scene.sampled("shop.Order", 8, kSpread);
  scene.choose({scene.sampled("shop.Session", 8, kOnce), order}, 20);
  CHECK(scene.classes->candidates() == 1);
  CHECK(scene.classes->wants_look(20) == LookWorth::kNone);
  scene.choose({scene.sampled("shop.Session", 8, kOnce), order}, 20 + kLeastQuiet);
  CHECK(scene.classes->wants_look(20 + kLeastQuiet) == LookWorth::kKnown);
}

TEST_CASE(
    "nobody looks for a class of which nothing was born and has grown old since the first look") {
  Scene scene;
  SampledClass cache = scene.sampled("shop.Cache", 8, kSpread);
  scene.choose({cache}, 10);
  scene.look(10);
  for (OldSince& since : cache.since_mark) since = {};
  scene.choose({cache}, 17);
  CHECK(scene.classes->candidates() == 1);
  CHECK(scene.classes->wants_look(17) == LookWorth::kPromising);  // nothing born since can be old
  CHECK(scene.classes->wants_look(20) == LookWorth::kNone);
  cache.since_mark[0] = {1, 20};
  scene.choose({cache}, 22);
  CHECK(scene.classes->wants_look(22) == LookWorth::kPromising);
}

TEST_CASE("a leak that begins after a quiet time is found in the later half") {
  constexpr std::uint64_t kQuiet = 9, kLooks = 22;
  Scene scene;
  for (std::uint64_t i = 0; i < kLooks; ++i) {
    scene.choose({scene.sampled("shop.Session", 8, kSpread)}, 10 + 2 * i);
    scene.count("shop.Session", i < kQuiet ? 5000 - 200 * i : 3000 + 50 * i);
    scene.look(10 + 2 * i);
  }
  REQUIRE(scene.judge().size() == 1);
  CHECK(scene.judge()[0].looks == kLooks / 2);
}

TEST_CASE("when the looks are full every other one goes, and a leak stays one") {
  Scene scene;
  std::uint64_t at = 10;
  for (std::uint64_t i = 0; i < 500; ++at) {
    scene.choose({scene.sampled("shop.Session", 8, kSpread)}, at);
    ++i;
    if (scene.classes->wants_look(at) == LookWorth::kNone) continue;
    scene.count("shop.Session", 1000 + 100 * at);
    scene.look(at);
    CHECK(scene.classes->looks() <= kAgingPoints);
  }
  REQUIRE(scene.judge().size() == 1);
  CHECK(scene.judge()[0].confidence_percent == 99);
}

TEST_CASE("the application's own classes come first, then what grew most") {
  Scene scene;
  for (std::uint64_t i = 0; i < 8; ++i) {
    scene.choose(
        {scene.sampled("java.lang.Object[]", 9, kSpread), scene.sampled("string", 9, kSpread),
         scene.sampled("shop.Cart", 9, kSpread), scene.sampled("shop.Session", 9, kSpread)},
        10 + 2 * i);
    scene.count("java.lang.Object[]", 1000 * (i + 1));
    scene.count("string", 900 * (i + 1));
    scene.count("shop.Cart", 100 * (i + 1));
    scene.count("shop.Session", 200 * (i + 1));
    scene.look(10 + 2 * i);
  }
  const std::vector<AgeSuspect> suspects = scene.judge();
  REQUIRE(suspects.size() == 4);
  CHECK(std::string(suspects[0].name) == "shop.Session");
  CHECK(std::string(suspects[1].name) == "shop.Cart");
  CHECK(std::string(suspects[2].name) == "java.lang.Object[]");
  CHECK(std::string(suspects[3].name) == "string");
}

TEST_CASE("rows of one name are one class, whoever loaded it") {
  Scene scene;
  for (std::uint64_t i = 0; i < 8; ++i) {
    scene.choose({scene.sampled("shop.Session", 8, kSpread)}, 10 + 2 * i);
    scene.count("shop.Session", 1000);
    scene.count("shop.Session", 100 * i);
    scene.look(10 + 2 * i);
  }
  REQUIRE(scene.judge().size() == 1);
  CHECK(scene.judge()[0].instances == 1700);
}

TEST_CASE("more classes than are followed: those with more old objects take the places") {
  Scene scene;
  std::vector<SampledClass> many;
  for (std::size_t i = 0; i < kMostFollowed; ++i)
    many.push_back(scene.sampled("shop.C" + std::to_string(i), 1, kOnce));
  scene.choose(many, 10);
  for (std::uint64_t i = 0; i < 8; ++i) {
    scene.choose({scene.sampled("shop.Session", 8, kSpread)}, 12 + 2 * i);
    scene.count("shop.Session", 100 * (i + 1));
    scene.look(12 + 2 * i);
  }
  CHECK(scene.judge().size() == 1);
}

TEST_CASE("who is born as often as others die is none, even while there are more of them") {
  for (const float born : {150.F, 1200.F}) {
    Scene scene;
    for (std::uint64_t i = 0; i < 8; ++i) {
      scene.choose({scene.sampled("shop.Session", 12, kSpread, born)}, 10 + 2 * i);
      scene.count("shop.Session", 5000 + 30 * i);
      scene.look(10 + 2 * i);
    }
    CHECK(scene.judge().size() == (born < 200 ? 1 : 0));
  }
}

namespace {

// Objects that come at random, live for a random time, and are sampled at random; one class of a program that runs in collections.
struct Population {
  double born_per_collection = 40;
  double life_collections = 50;
  double kept_share = 0;  // who never dies: the leak
  double sampled_share = 0.05;
  double load_noise = 0;  // of the births, from one collection to the next, hanging together
  bool deaths_told =
      true;  // else garbage looks alive to samples, as in an old generation that is not collected

  struct Object {
    std::uint64_t born, dies;
    bool sampled;
  };
};

// At which collection it was a suspect first; 0: never.
std::uint64_t first_alarm(const Population& kind, std::uint64_t collections, std::mt19937& random) {
  Scene scene;
  std::vector<Population::Object> objects;
  std::exponential_distribution<double> life(1 / kind.life_collections);
  std::uniform_real_distribution<double> chance;
  std::normal_distribution<double> noise;
  double load = 0;
  const std::uint64_t warm = 300;  // the population is what it will be
  for (std::uint64_t at = 1; at <= warm + collections; ++at) {
    load = 0.9 * load + kind.load_noise * noise(random);
    std::poisson_distribution<int> births(kind.born_per_collection * std::max(0.1, 1 + load));
    for (int i = births(random); i > 0; --i) {
      const bool stays = at > warm && chance(random) < kind.kept_share;
      objects.push_back({at, stays ? UINT64_MAX : at + static_cast<std::uint64_t>(life(random)),
                         chance(random) < kind.sampled_share});
    }
    std::erase_if(objects, [&](const Population::Object& o) {
      return o.dies <= at && (kind.deaths_told || !o.sampled);
    });
    if (at <= warm) continue;
    SampledClass sampled;
    sampled.name = scene.names.intern("shop.Session");
    sampled.windows = 1;
    std::uint64_t reached = 0;
    const AgeQuestion question = scene.classes->question(warm, at);
    for (const Population::Object& o : objects) {
      reached += o.dies > at ? 1 : 0;
      if (!o.sampled || o.born <= warm) continue;  // sampling began then
      ++sampled.samples[age_range(at - o.born)];
      sampled.objects[age_range(at - o.born)] += static_cast<float>(1 / kind.sampled_share);
      if (at - o.born < kOldAge) continue;
      ++sampled.old_samples;
      sampled.born_in[o.born / 64 % 4] |= std::uint64_t{1} << (o.born % 64);
      sampled.births[0] |= static_cast<std::uint16_t>(1u << ((o.born - warm) * 15 / (at - warm)));
      for (std::size_t m = 0; m < kAgeMarks; ++m) {
        if (o.born < question.marks[m]) continue;
        ++sampled.since_mark[m].samples;
        sampled.since_mark[m].objects += static_cast<float>(1 / kind.sampled_share);
      }
    }
    scene.choose({sampled}, at);
    if (scene.classes->wants_look(at) == LookWorth::kNone) continue;
    scene.count("shop.Session", reached);
    scene.look(at);
    if (!scene.judge().empty()) return at - warm;
  }
  return 0;
}

struct Alarms {
  int count = 0;
  double mean_collection = 0;
};
Alarms alarms_of(const Population& kind, int runs, std::uint64_t collections) {
  std::mt19937 random(11);
  Alarms alarms;
  for (int run = 0; run < runs; ++run) {
    const std::uint64_t at = first_alarm(kind, collections, random);
    alarms.count += at != 0 ? 1 : 0;
    alarms.mean_collection += static_cast<double>(at);
  }
  if (alarms.count != 0) alarms.mean_collection /= alarms.count;
  return alarms;
}

}  // namespace

TEST_CASE("populations that come and go are no leaks, and those that stay are found") {
  const int runs = all_tries() ? 100 : 5;
  constexpr std::uint64_t kCollections = 300;
  struct Row {
    std::string what;
    Population kind;
    bool leak;
  };
  const Row rows[] = {
      {"lives of 10 collections", {.life_collections = 10}, false},
      {"lives of 50", {.life_collections = 50}, false},
      {"lives of 50, deaths not told", {.life_collections = 50, .deaths_told = false}, false},
      {"lives of 200", {.born_per_collection = 10, .life_collections = 200}, false},
      {"lives of 20, load up and down", {.life_collections = 20, .load_noise = 0.1}, false},
      {"lives of 50, load up and down", {.life_collections = 50, .load_noise = 0.1}, false},
      {"all stay", {.life_collections = 1, .kept_share = 1}, true},
      {"half stay", {.life_collections = 2, .kept_share = 0.5}, true},
      {"one in ten stays",
       {.born_per_collection = 400, .life_collections = 1, .kept_share = 0.1},
       true},
      {"half stay, load up and down",
       {.life_collections = 2, .kept_share = 0.5, .load_noise = 0.1},
       true},
  };
  for (const Row& row : rows) {
    const Alarms alarms = alarms_of(row.kind, runs, kCollections);
    MESSAGE(row.what << ": a suspect in " << alarms.count << " of " << runs << " runs, after "
                     << alarms.mean_collection << " collections");
    if (row.leak)
      CHECK(alarms.count == runs);
    else
      CHECK(alarms.count <= runs / 10);
  }
}
