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
