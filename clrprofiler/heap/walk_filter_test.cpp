#include "clrprofiler/heap/walk_filter.h"

#include <doctest/doctest.h>

#include <vector>

using namespace holdfast::clr;

namespace {

constexpr std::uint32_t kAllocSmall = 0;
constexpr std::uint32_t kBackground = 1;
constexpr std::uint32_t kForeground = 2;  // while one runs in the background

struct Step {
  enum Kind { kStart, kEnd, kNodes } kind;
  GcStart start{};
  GcEnd end{};
};

Step start(std::uint32_t number, std::uint32_t depth, std::uint32_t reason, std::uint32_t type) {
  return {Step::kStart, {number, depth, reason, type}, {}};
}
Step forced(std::uint32_t number) { return start(number, 2, kGcInduced, kGcNonConcurrent); }
Step end(std::uint32_t number, std::uint32_t depth) { return {Step::kEnd, {}, {number, depth}}; }
Step nodes() { return {Step::kNodes}; }

struct Outcome {
  bool done = false;
  std::uint32_t begun = 0;  // times the recorder starts anew
  std::uint32_t taken = 0;  // events of nodes since then
  std::uint32_t foreign = 0;
};

Outcome run(const std::vector<Step>& steps) {
  WalkFilter filter;
  Outcome out;
  for (const Step& step : steps) {
    if (step.kind == Step::kStart && filter.start(step.start) == WalkFilter::AtStart::kBegin) {
      ++out.begun;
      out.taken = 0;
    }
    if (step.kind == Step::kEnd) filter.end(step.end);
    if (step.kind == Step::kNodes && filter.nodes()) ++out.taken;
  }
  out.done = filter.done();
  out.foreign = filter.foreign_walks();
  return out;
}

}  // namespace

TEST_CASE("no events, no walk") { CHECK_FALSE(run({}).done); }

TEST_CASE("the forced collection's walk is taken") {
  const Outcome out = run({forced(5), nodes(), nodes(), end(5, 2)});
  CHECK(out.done);
  CHECK(out.begun == 1);
  CHECK(out.taken == 2);
  CHECK(out.foreign == 0);
}

TEST_CASE("walks of younger generations before it are thrown away") {
  const Outcome out = run({start(3, 0, kAllocSmall, kForeground), nodes(), nodes(), end(3, 0),
                           start(4, 1, kAllocSmall, kForeground), nodes(), end(4, 1), forced(5),
                           nodes(), end(5, 2)});
  CHECK(out.done);
  CHECK(out.begun == 1);
  CHECK(out.taken == 1);
  CHECK(out.foreign == 2);
}

TEST_CASE(
    "collections inside one that runs in the background do not end it, nor does it end ours") {
  const Outcome out =
      run({start(7, 2, kGcInduced, kBackground), start(8, 0, kAllocSmall, kForeground), nodes(),
           end(8, 0), start(9, 1, kAllocSmall, kForeground), nodes(), end(9, 1), end(7, 2),
           forced(10), nodes(), end(10, 2)});
  CHECK(out.done);
  CHECK(out.begun == 1);
  CHECK(out.taken == 1);
  CHECK(out.foreign == 2);
  CHECK_FALSE(run({forced(10), nodes(), end(7, 2)}).done);
  CHECK_FALSE(run({forced(10), nodes(), end(10, 1)}).done);
}

TEST_CASE("what a full collection of another kind walks is not taken") {
  CHECK_FALSE(run({start(5, 2, kAllocSmall, kGcNonConcurrent), nodes(), end(5, 2)}).done);
  CHECK_FALSE(run({start(5, 2, kGcInduced, kBackground), nodes(), end(5, 2)}).done);
  CHECK_FALSE(run({start(5, 1, kGcInduced, kGcNonConcurrent), nodes(), end(5, 1)}).done);
}

TEST_CASE("the application's own full collection, which walks nothing, is waited out") {
  const Outcome out = run({forced(4), end(4, 2), forced(5), nodes(), end(5, 2)});
  CHECK(out.done);
  CHECK(out.begun == 2);
  CHECK(out.taken == 1);
}

TEST_CASE("a walk that never ends is dropped when the next collection starts") {
  const Outcome out = run({forced(4), nodes(), forced(5), nodes(), nodes(), end(5, 2)});
  CHECK(out.done);
  CHECK(out.begun == 2);
  CHECK(out.taken == 2);
  CHECK(out.foreign == 1);
  CHECK_FALSE(run({forced(4), nodes()}).done);
}

TEST_CASE("everything after the walk is ignored") {
  const Outcome out = run({forced(4), nodes(), end(4, 2), nodes(), forced(5), nodes(), end(5, 2)});
  CHECK(out.done);
  CHECK(out.begun == 1);
  CHECK(out.taken == 1);
}

TEST_CASE("an end without a start, and nodes without one, are nobody's") {
  const Outcome out = run({end(3, 2), nodes(), forced(4), nodes(), end(4, 2)});
  CHECK(out.done);
  CHECK(out.taken == 1);
  CHECK(out.foreign == 1);
}

TEST_CASE("where another session of ours hears collections, too, each start and end comes twice") {
  const Outcome out =
      run({start(3, 0, 0, kAllocSmall), start(3, 0, 0, kAllocSmall), end(3, 0), end(3, 0),
           forced(4), forced(4), nodes(), nodes(), end(4, 2), end(4, 2)});
  CHECK(out.done);
  CHECK(out.begun == 1);
  CHECK(out.taken == 2);
  CHECK(out.foreign == 0);
}
