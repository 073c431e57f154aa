#include "common/capture_plan.h"

#include <doctest/doctest.h>

#include <cstring>

#include "platforms/process.h"

using namespace holdfast;

namespace {

constexpr std::uint64_t kMegabyte = 1u << 20;

struct Asked {
  Options options;
  DumpRequest request;
  HeapFigures heap{.used_bytes = 10 * kMegabyte,
                   .committed_bytes = 64 * kMegabyte,
                   .max_bytes = 256 * kMegabyte};
  std::uint64_t budget = 512 * kMegabyte;
  std::uint64_t available = platforms::kUnknownBytes;
  CaptureHistory history;
  Notes notes;

  Result<CapturePlan> plan() {
    return choose_plan(PlanQuestion{options, request, heap, budget, available, history}, notes);
  }
};

}  // namespace

TEST_CASE("auto walks within the pause limit and steps down beyond it") {
  Asked asked;
  REQUIRE(asked.plan());
  CHECK(asked.plan()->rung == CaptureRung::kWalk);
  asked.heap.used_bytes = 10'000 * kMegabyte;
  REQUIRE(asked.plan());
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  REQUIRE(asked.notes.all().size() > 0);
  CHECK(std::strstr(asked.notes.all()[0].text, "pause=") != nullptr);
}

TEST_CASE("only a person who asks for the walk by name passes the limit") {
  Asked asked;
  asked.heap.used_bytes = 5'000 * kMegabyte;
  asked.budget = 50'000 * kMegabyte;
  asked.request.kind = DumpKind::kExtended;
  asked.request.capture = CaptureChoice::kWalk;
  asked.request.trigger = Trigger::kCommand;
  CHECK(asked.plan()->rung == CaptureRung::kWalk);
  asked.request.trigger = Trigger::kOom;
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  asked.request.pause_limit_ns = 3'600'000'000'000;
  CHECK(asked.plan()->rung == CaptureRung::kWalk);
}

TEST_CASE("memory that is clearly missing steps down before the pause") {
  Asked asked;
  asked.budget = kMegabyte / 4;
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  asked.budget = 512 * kMegabyte;
  asked.available = kMegabyte;
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
}

TEST_CASE("a simple dump never walks, and frozen is refused until it is built") {
  Asked asked;
  asked.options.dump = DumpKind::kSimple;
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  asked.request.capture = CaptureChoice::kFrozen;
  CHECK_FALSE(asked.plan().ok());
}

TEST_CASE("what was measured replaces the first guess") {
  CaptureHistory history;
  Capture capture;
  capture.has_graph = true;
  capture.pause_ns = 50'000'000;
  capture.heap_before.used_bytes = 100 * kMegabyte;
  history.remember(capture);
  const Prediction p = predict(HeapFigures{.used_bytes = 200 * kMegabyte}, history);
  CHECK(p.walk_pause_ns == 100'000'000);
}

TEST_CASE("a heap of large objects is counted before the walk is given up") {
  Asked asked;
  asked.heap.used_bytes = 500 * kMegabyte;
  const PlanQuestion guess{asked.options, asked.request,   asked.heap,
                           asked.budget,  asked.available, asked.history};
  const Result<CapturePlan> first = choose_plan(guess, asked.notes);
  REQUIRE(first);
  CHECK(first->rung == CaptureRung::kHistogram);
  CHECK(counting_may_help(guess, *first));
  PlanQuestion counted = guess;
  counted.counted_objects = 100'000;
  const Result<CapturePlan> second = choose_plan(counted, asked.notes);
  REQUIRE(second);
  CHECK(second->rung == CaptureRung::kWalk);
  counted.counted_objects = 50'000'000;
  CHECK(choose_plan(counted, asked.notes)->rung == CaptureRung::kHistogram);
  CHECK_FALSE(counting_may_help(counted, *first));
}

TEST_CASE("nothing is counted twice where counting alone would stop the application too long") {
  Asked asked;
  asked.heap.used_bytes = 100'000 * kMegabyte;
  const PlanQuestion guess{asked.options, asked.request,   asked.heap,
                           asked.budget,  asked.available, asked.history};
  CHECK_FALSE(counting_may_help(guess, CapturePlan{}));
}
