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
  CaptureCosts costs;
  const char* frozen_refusal = "not here";
  std::uint64_t resident = 512 * kMegabyte;
  bool may_freeze = true;
  bool memory_ran_short = false;
  RootFigures roots;
  std::uint32_t slowdown = 100;
  Notes notes;

  PlanQuestion question() const {
    PlanQuestion question{options, request, heap, budget, available, history, costs};
    question.frozen_refusal = frozen_refusal;
    question.may_freeze = may_freeze;
    question.resident_bytes = resident;
    question.memory_ran_short = memory_ran_short;
    question.roots = roots;
    question.slowdown_percent = slowdown;
    return question;
  }
  Result<CapturePlan> plan() { return choose_plan(question(), notes); }
  bool noted(const char* text) const {
    for (const Note& note : notes.all())
      if (std::strstr(note.text, text) != nullptr) return true;
    return false;
  }
};

}  // namespace

TEST_CASE("auto walks within the pause limit and steps down beyond it") {
  Asked asked;
  REQUIRE(asked.plan());
  CHECK(asked.plan()->rung == CaptureRung::kWalk);
  asked.heap.used_bytes = 1'000 * kMegabyte;
  REQUIRE(asked.plan());
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  CHECK(asked.noted("pause="));
  CHECK(asked.noted("not here"));
}

TEST_CASE(
    "what takes too long in every way is refused, and a dump that comes once takes the least") {
  Asked asked;
  asked.request.trigger = Trigger::kHeapAbove;
  asked.heap.used_bytes = 10'000 * kMegabyte;  // 9 s to count
  asked.resident = 80'000 * kMegabyte;         // 1.2 s to clone
  CHECK_FALSE(asked.plan());
  CHECK(asked.noted("no dump: counting would stop the application for about 9"));
  asked.frozen_refusal = "";
  CHECK_FALSE(asked.plan());
  CHECK(asked.noted("no dump: a fork snapshot would stop the application for about 1175 ms"));
  for (const Trigger once : {Trigger::kOom, Trigger::kExit, Trigger::kCgroupAbove}) {
    asked.request.trigger = once;
    REQUIRE(asked.plan());
    CHECK(asked.plan()->rung == CaptureRung::kFrozenWritten);
    CHECK(asked.plan()->graph);
    CHECK(asked.plan()->pause_limit_ns == UINT64_MAX);
    CHECK(asked.noted("nothing stops the application for less than about 1175 ms"));
  }
  asked.request.capture = CaptureChoice::kWalk;  // never a child
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  asked.request.capture = CaptureChoice::kAuto;
  asked.frozen_refusal = "not here";
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  asked.request.trigger = Trigger::kHeapAbove;
  asked.request.then_exit = true;
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  asked.request.then_exit = false;
  asked.request.pause_limit_ns = 20'000'000'000;
  asked.request.kind = DumpKind::kSimple;
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
}

TEST_CASE("a VM of a kind that never freezes says so to whom asks for it alone") {
  Asked asked;
  asked.may_freeze = false;
  REQUIRE(asked.plan());
  CHECK(asked.plan()->rung == CaptureRung::kWalk);
  CHECK(asked.notes.all().empty());
  asked.request.capture = CaptureChoice::kFrozen;
  CHECK_FALSE(asked.plan());
  CHECK(asked.noted("no frozen capture: not here"));
}

TEST_CASE("frozen is the first choice where it can be taken") {
  Asked asked;
  asked.frozen_refusal = "";
  asked.heap.used_bytes = 5'000 * kMegabyte;
  asked.resident = 8'000 * kMegabyte;
  asked.budget = 50'000 * kMegabyte;
  const Result<CapturePlan> plan = asked.plan();
  REQUIRE(plan);
  CHECK(plan->rung == CaptureRung::kFrozen);
  CHECK(plan->graph);
  CHECK(plan->predicted_pause_ns > 100'000'000);  // 15 ms a gigabyte
  CHECK(plan->predicted_pause_ns < 200'000'000);
  asked.options.pause_ns = 50'000'000;
  CHECK_FALSE(asked.plan());
  CHECK(asked.noted("no frozen capture: it would stop"));
}

TEST_CASE("where the graph does not fit it is written, and where nothing fits it is not frozen") {
  Asked asked;
  asked.frozen_refusal = "";
  asked.heap.used_bytes = 1'000 * kMegabyte;
  asked.budget = 10 * kMegabyte;
  CHECK(asked.plan()->rung == CaptureRung::kFrozenWritten);
  asked.budget = 50'000 * kMegabyte;
  asked.available = 500 * kMegabyte;
  CHECK(asked.plan()->rung == CaptureRung::kFrozenWritten);
  asked.available = 50 * kMegabyte;
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  CHECK(asked.noted("beside the application"));
}

TEST_CASE(
    "a small heap is counted in place, unless ages are wanted and only a frozen picture has them") {
  Asked asked;
  asked.frozen_refusal = "";
  asked.request.kind = DumpKind::kSimple;
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  asked.options.ages = AgesChoice::kOn;
  CHECK(asked.plan()->rung == CaptureRung::kFrozen);
  CHECK_FALSE(asked.plan()->graph);
  asked.costs.ages_by_frozen_alone = false;
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  asked.costs.ages_by_frozen_alone = true;
  asked.frozen_refusal = "not here";
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
}

TEST_CASE("ages are wanted of every capture, and a byte more of each object") {
  Asked asked;
  CHECK_FALSE(asked.plan()->ages);
  asked.frozen_refusal = "";
  asked.heap.used_bytes = 500 * kMegabyte;
  asked.budget = 50'000 * kMegabyte;
  const std::uint64_t growth = asked.plan()->predicted_growth_bytes;
  asked.options.ages = AgesChoice::kOn;
  CHECK(asked.plan()->ages);
  CHECK(asked.plan()->predicted_growth_bytes == growth + 10 * kMegabyte);  // 50 bytes an object
  asked.frozen_refusal = "not here";
  CHECK(asked.plan()->ages);
}

TEST_CASE("what the system has left beside the application is known to the analysis") {
  Asked asked;
  CHECK(asked.plan()->system_room_bytes == UINT64_MAX);  // nobody knows
  asked.available = 500 * kMegabyte;
  const std::uint64_t walk = asked.plan()->system_room_bytes;
  CHECK(walk < 475 * kMegabyte);
  CHECK(walk > 400 * kMegabyte);
  asked.frozen_refusal = "";
  CHECK(asked.plan()->rung == CaptureRung::kFrozen);
  asked.heap.used_bytes = 32 * kMegabyte;
  CHECK(asked.plan()->system_room_bytes == (500 - 25 - 4 - 1) * kMegabyte);
}

TEST_CASE("memory= is believed to be too small earlier where the objects' size was measured") {
  Asked asked;
  asked.frozen_refusal = "";
  asked.request.kind = DumpKind::kExtended;
  asked.heap.used_bytes = 100 * kMegabyte;
  const Prediction heap = predict(asked.question());
  const std::uint64_t graph = predict_frozen(asked.question(), heap).graph_bytes;
  asked.budget = graph / 3;
  CHECK(asked.plan()->rung == CaptureRung::kFrozen);
  asked.costs.object_bytes_are_measured = true;
  CHECK(asked.plan()->rung == CaptureRung::kFrozenWritten);
  CHECK(asked.noted("the graph is only written"));
  asked.budget = graph;
  CHECK(asked.plan()->rung == CaptureRung::kFrozen);
}

TEST_CASE(
    "roots that take too long are not walked, and where they must be the capture is refused") {
  constexpr std::uint64_t kMs = 1'000'000;
  Asked asked;
  asked.frozen_refusal = "";
  asked.request.pause_limit_ns = 100 * kMs;
  const std::uint64_t clone = asked.plan()->predicted_pause_ns;
  asked.roots = {.walk_ns = 20 * kMs, .threads_ns = 7 * kMs, .may_be_cut = true};
  CHECK(asked.plan()->predicted_pause_ns == clone + 27 * kMs);
  CHECK(asked.plan()->roots_limit_ns == (93 * kMs - clone) / 2);
  asked.roots.walk_ns = 4'000 * kMs;  // deep stacks
  CHECK(asked.plan()->rung == CaptureRung::kFrozen);
  CHECK(asked.plan()->roots_limit_ns == 0);
  CHECK(asked.plan()->predicted_pause_ns == clone + 7 * kMs);
  asked.request.pause_limit_ns =
      0;  // a person's without a limit of its own: pause= is one for roots
  asked.request.trigger = Trigger::kCommand;
  asked.request.kind = DumpKind::kExtended;
  CHECK(asked.plan()->roots_limit_ns == 0);
  asked.request.pause_limit_ns = 100 * kMs;
  asked.roots.may_be_cut = false;
  CHECK(asked.plan()->rung != CaptureRung::kFrozen);
  CHECK(asked.noted("no frozen capture"));
}

TEST_CASE("what a frozen dump measured replaces the first guess") {
  Asked asked;
  asked.frozen_refusal = "";
  FrozenChild child;
  child.pause.pause_ns = 30'000'000;
  child.heap_before.used_bytes = 5 * kMegabyte;
  asked.history.remember_frozen(CapturePlan{}, child, asked.resident / 2, 1000, 3000);
  CHECK(asked.plan()->predicted_pause_ns == 60'000'000);
}

TEST_CASE("a busy machine makes every stop longer, and a refusal says so") {
  Asked asked;
  const Prediction calm = predict(asked.question());
  const std::uint64_t frozen_ns = predict_frozen(asked.question(), calm).pause_ns;
  asked.slowdown = slowdown_percent(300);
  const Prediction busy = predict(asked.question());
  CHECK(busy.walk_pause_ns == 4 * calm.walk_pause_ns);
  CHECK(busy.histogram_pause_ns == 4 * calm.histogram_pause_ns);
  CHECK(predict_frozen(asked.question(), busy).pause_ns == 4 * frozen_ns);
  CHECK(busy.capture_bytes == calm.capture_bytes);
  asked.roots = {.walk_ns = 1'000'000};
  CHECK(predict_frozen(asked.question(), busy).pause_ns == 4 * (frozen_ns + 1'000'000));
  asked.roots = {};
  asked.frozen_refusal = "";
  asked.options.pause_ns = 3 * frozen_ns;
  CHECK_FALSE(asked.plan());
  CHECK(asked.noted("because the machine is busy"));
  asked.slowdown = 100;
  CHECK(asked.plan()->rung == CaptureRung::kFrozen);
}

TEST_CASE("what a busy machine measured raises what was known, and does not lower it") {
  Asked asked;
  asked.frozen_refusal = "";
  FrozenChild child;
  CapturePlan busy;
  busy.slowdown_percent = 400;
  child.pause.pause_ns = 30'000'000;
  asked.history.remember_frozen(CapturePlan{}, child, asked.resident, 1000, 3000);
  child.pause.pause_ns = 60'000'000;  // 15 ms with a CPU of its own
  asked.history.remember_frozen(busy, child, asked.resident, 1000, 3000);
  CHECK(asked.plan()->predicted_pause_ns == 30'000'000);
  child.pause.pause_ns = 20'000'000;  // less than was known, in all
  asked.history.remember_frozen(busy, child, asked.resident, 1000, 3000);
  CHECK(asked.plan()->predicted_pause_ns == 20'000'000);
  child.pause.pause_ns = 96'000'000;
  asked.history.remember_frozen(busy, child, asked.resident, 1000, 3000);
  CHECK(asked.plan()->predicted_pause_ns == 24'000'000);
  child.pause.pause_ns = 12'000'000;
  asked.history.remember_frozen(CapturePlan{}, child, asked.resident, 1000, 3000);
  CHECK(asked.plan()->predicted_pause_ns == 12'000'000);
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

TEST_CASE("a simple dump never walks; frozen by name is refused where it cannot be") {
  Asked asked;
  asked.options.dump = DumpKind::kSimple;
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  asked.request.capture = CaptureChoice::kFrozen;
  CHECK_FALSE(asked.plan().ok());
  asked.frozen_refusal = "";
  CHECK(asked.plan()->rung == CaptureRung::kFrozen);
  CHECK_FALSE(asked.plan()->graph);
  asked.request.capture = CaptureChoice::kAuto;  // a small heap is counted more quickly in place
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  asked.heap.used_bytes = 5'000 * kMegabyte;
  CHECK(asked.plan()->rung == CaptureRung::kFrozen);
}

TEST_CASE("what was measured replaces the first guess") {
  Asked asked;
  Capture capture;
  capture.has_graph = true;
  capture.pause_ns = 50'000'000;
  capture.heap_before.used_bytes = 100 * kMegabyte;
  asked.history.remember(CapturePlan{}, capture);
  asked.heap.used_bytes = 200 * kMegabyte;
  CHECK(predict(asked.question()).walk_pause_ns == 100'000'000);
}

TEST_CASE("the first guess is that of the kind of VM") {
  Asked asked;
  asked.heap.used_bytes = 100 * kMegabyte;
  asked.costs = {.bytes_per_object = 100,
                 .references_per_object = 1,
                 .walk_ns_per_object = 10,
                 .histogram_ns_per_object = 2,
                 .vm_tag_bytes_per_object = 0,
                 .capture_bytes_per_object = 4,
                 .capture_bytes_per_reference = 2};
  const Prediction p = predict(asked.question());
  CHECK(p.objects == kMegabyte);
  CHECK(p.references == kMegabyte);
  CHECK(p.walk_pause_ns == 10 * kMegabyte);
  CHECK(p.histogram_pause_ns == 2 * kMegabyte);
  CHECK(p.capture_bytes == 6 * kMegabyte);
  CHECK(p.vm_tag_bytes == 0);
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
  counted.counted_objects = 20'000'000;
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

TEST_CASE("once memory ran short beside a child a walk gets no benefit of the doubt") {
  Asked asked;
  asked.options.pause_ns = 60'000'000'000;
  asked.heap.used_bytes =
      1'000 * kMegabyte;  // 20 million objects by the first guess: 1.7 GB with the VM's tags
  asked.budget = 4'000 * kMegabyte;
  asked.available = 1'000 * kMegabyte;
  REQUIRE(asked.plan());
  CHECK(asked.plan()->rung == CaptureRung::kWalk);
  asked.memory_ran_short = true;
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
}

TEST_CASE("a collection at the same safepoint is no price of the next freeze") {
  Asked asked;
  asked.frozen_refusal = "";
  asked.budget = 4'000 * kMegabyte;
  FrozenChild child;
  child.pause.clone_ns = 40'000'000;
  child.pause.pause_ns = 3'000'000'000;
  asked.history.remember_frozen(CapturePlan{}, child, asked.resident, 1000, 3000);
  REQUIRE(asked.plan());
  CHECK(asked.plan()->rung == CaptureRung::kFrozen);
  CHECK(asked.plan()->predicted_pause_ns == 140'000'000);
}

TEST_CASE("a person's extended dump is bound by its own limit alone, the walk still by its name") {
  Asked asked;
  asked.heap.used_bytes = 5'000 * kMegabyte;
  asked.resident = 80'000 * kMegabyte;  // 1.2 s to clone
  asked.frozen_refusal = "";
  asked.budget = 8'000 * kMegabyte;
  asked.request.trigger = Trigger::kCommand;
  CHECK_FALSE(asked.plan());
  asked.request.kind = DumpKind::kExtended;
  CHECK(asked.plan()->rung == CaptureRung::kFrozen);
  asked.request.pause_limit_ns = 1'000'000'000;
  CHECK_FALSE(asked.plan());
  asked.request.pause_limit_ns = 0;
  asked.frozen_refusal = "not here";
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  asked.request.capture = CaptureChoice::kWalk;
  CHECK(asked.plan()->rung == CaptureRung::kWalk);
  asked.request.trigger = Trigger::kHeapAbove;
  CHECK_FALSE(asked.plan());
}

TEST_CASE("near the end of memory nothing is begun that could bring it nearer") {
  Asked asked;
  asked.frozen_refusal = "";
  asked.request.trigger = Trigger::kCommand;
  asked.request.kind = DumpKind::kExtended;
  asked.available = 8 * kMegabyte;  // a heap of 10 MB: 2 MB more would do, for the child alone
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
  CHECK(asked.noted("the system has 8 MB left"));
  asked.available = 100 * kMegabyte;
  CHECK(asked.plan()->rung == CaptureRung::kFrozen);
  asked.frozen_refusal = "not here";
  CHECK(asked.plan()->rung == CaptureRung::kWalk);
  asked.memory_ran_short = true;
  CHECK(asked.plan()->rung == CaptureRung::kHistogram);
}
