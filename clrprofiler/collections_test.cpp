#include "clrprofiler/collections.h"

#include <doctest/doctest.h>

#include "clrprofiler/fake_clr.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

constexpr BOOL kYoung[] = {1, 1, 0, 0, 0};
constexpr BOOL kWhole[] = {1, 1, 1, 1, 1};

struct Heard {
  FakeClr runtime;
  ProfilerInfo info;
  Collections collections;

  Heard() { REQUIRE(info.open(runtime.unknown())); }
  void begin(const BOOL (&generations)[5]) { collections.started(info, 5, generations); }
  void end() { collections.finished(info); }
  void run(const BOOL (&generations)[5]) {
    begin(generations);
    end();
  }
  std::uint64_t full() const { return collections.figures_once_told().full; }
  void resume() { collections.resumed(1); }
  // The application waits from `from` to `until` for what finds and leaves so many bytes.
  void stop(const BOOL (&generations)[5], std::uint64_t from, std::uint64_t until,
            std::uint64_t found, std::uint64_t left) {
    collections.stands_still(from);
    runtime.generation_bytes = found;
    begin(generations);
    runtime.generation_bytes = left;
    end();
    collections.resumed(until);
  }
  HeardCollections heard() const { return collections.figures().heard; }
  std::uint64_t cycles() const { return collections.figures_once_told().cycles; }
  std::uint64_t young() const { return collections.figures_once_told().young; }
};

}  // namespace

TEST_CASE("nothing is known before somebody tells, but what will be is") {
  Heard heard;
  heard.collections.set_limit(100);
  CHECK(heard.collections.figures().full == kUnknownCount);
  const CollectionFigures once = heard.collections.figures_once_told();
  CHECK(once.full == 0);
  CHECK(once.young == 0);
  CHECK(once.used_after_bytes == 0);
  CHECK(once.max_bytes == 100);
}

TEST_CASE("collections are counted at their end") {
  Heard heard;
  heard.run(kYoung);
  heard.begin(kWhole);
  CHECK(heard.full() == 0);
  heard.end();
  CHECK(heard.full() == 1);
  CHECK(heard.young() == 1);
}

TEST_CASE("one in the background counts after those inside it, as a cycle") {
  Heard heard;
  heard.begin(kWhole);
  heard.resume();
  heard.run(kYoung);
  heard.run(kYoung);
  CHECK(heard.cycles() == 0);
  CHECK(heard.young() == 2);
  heard.end();
  CHECK(heard.cycles() == 1);
  CHECK(heard.full() == 0);
  heard.resume();  // of a standstill between the two
  heard.run(kWhole);
  CHECK(heard.full() == 1);
  CHECK(heard.collections.figures_once_told().whole() == 2);
}

TEST_CASE("an end without a begin, or told twice, is none; a lost end is made up for") {
  Heard heard;
  heard.end();
  heard.run(kWhole);
  heard.end();
  CHECK(heard.full() == 1);
  heard.begin(kWhole);
  heard.begin(kYoung);
  heard.begin(kWhole);  // both before are over
  heard.end();
  CHECK(heard.full() == 2);
  heard.begin(kYoung);
  heard.collections.begin_hearing(1);  // its end was not told
  heard.run(kWhole);
  CHECK(heard.full() == 3);
}

TEST_CASE("what a dump forces is none of the application's") {
  Heard heard;
  {
    const OwnCollection own(heard.collections);
    heard.run(kWhole);
    heard.run(kYoung);
  }
  CHECK(heard.full() == 0);
  CHECK(heard.young() == 1);
  heard.run(kWhole);
  CHECK(heard.full() == 1);
}

TEST_CASE("what a collection found and left, and for how long the application waited") {
  Heard heard;
  heard.collections.begin_hearing(77);
  heard.stop(kYoung, 100, 105, 1000, 400);
  heard.stop(kWhole, 200, 212, 900, 300);
  heard.collections.stands_still(300);
  heard.collections.resumed(303);  // for nothing
  const CollectionFigures figures = heard.collections.figures();
  CHECK(figures.pause_ns == 20);
  CHECK(figures.last_pause_ns == 3);
  CHECK(figures.used_after_bytes == 300);
  CHECK(figures.heard.count == 2);
  CHECK(figures.heard.since_utc_ms == 77);
  CHECK(figures.heard.longest_pause_ns == 12);
  CHECK(figures.heard.reclaimed_bytes == 1200);
  CHECK(figures.heard.before_bytes == 900);
  CHECK(figures.heard.after_bytes == 300);
  heard.collections.resumed(400);  // of a standstill for something else
  CHECK(heard.collections.figures().pause_ns == 20);
  heard.collections.begin_hearing(99);  // the sums go on, what was heard one by one begins anew
  CHECK(heard.collections.figures().pause_ns == 20);
  CHECK(heard.heard().count == 0);
}

TEST_CASE("nobody can say what one in the background reclaimed; those inside it can") {
  Heard heard;
  heard.collections.begin_hearing(1);
  heard.collections.stands_still(10);
  heard.runtime.generation_bytes = 5000;
  heard.begin(kWhole);
  heard.collections.resumed(12);
  heard.stop(kYoung, 20, 21, 6000, 5500);
  heard.runtime.generation_bytes = 3000;
  heard.end();
  CHECK(heard.cycles() == 1);
  CHECK(heard.heard().count == 1);
  CHECK(heard.heard().before_bytes == 6000);
  CHECK(heard.heard().reclaimed_bytes == 500);
  CHECK(heard.collections.figures().used_after_bytes == 3000);
  CHECK(heard.collections.figures().pause_ns == 3);
}

TEST_CASE("what a dump forces has neither found nor reclaimed anything, and nobody waited for it") {
  Heard heard;
  heard.collections.begin_hearing(1);
  heard.stop(kYoung, 1, 2, 100, 90);
  {
    const OwnCollection own(heard.collections);
    heard.stop(kWhole, 10, 1000, 90, 10);
  }
  CHECK(heard.heard().count == 1);
  CHECK(heard.heard().reclaimed_bytes == 10);
  CHECK(heard.collections.figures().pause_ns == 1);
  heard.runtime.answers["GetGenerationBounds"] = E_FAIL;
  heard.stop(kYoung, 2000, 2001, 100, 90);
  CHECK(heard.heard().count == 2);
  CHECK(heard.heard().before_bytes == kUnknownCount);
  CHECK(heard.heard().reclaimed_bytes == 10);
}
