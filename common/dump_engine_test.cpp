#include "common/dump_engine.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

#include "common/disk_room.h"
#include "common/fake_vm_adapter.h"
#include "common/log.h"
#include "common/resting_bytes_for_test.h"
#include "platforms/clock.h"
#include "platforms/fault_points.h"

using namespace holdfast;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMemory = 64u << 20;

std::uint64_t within(std::uint64_t ns) { return platforms::monotonic_ns() + ns; }

struct Running {
  ScriptedVm vm;
  DumpEngine engine;
  explicit Running(std::uint64_t cooldown_ns = 0) {
    analyses = 0;
    hold_analysis = false;
    Options options;
    options.cooldown_ns = cooldown_ns;
    REQUIRE(engine.open(options, kMemory, vm, {&count_analysis}).ok());
  }
  GateAnswer ask(Trigger trigger) {
    DumpRequest request;
    request.trigger = trigger;
    request.asked_at_ns = platforms::monotonic_ns();
    return engine.request(request);
  }
};

}  // namespace

TEST_CASE("nothing is accepted before the VM is ready") {
  Running run;
  CHECK(run.ask(Trigger::kSignal) == GateAnswer::kClosed);
  REQUIRE(run.engine.vm_ready().ok());
  CHECK(run.ask(Trigger::kSignal) == GateAnswer::kAccepted);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  CHECK(run.engine.totals().reports == 1);
  CHECK(run.engine.vm_seen().heap.committed_bytes == 2u << 20);
  CHECK(std::string(run.engine.vm_seen().frozen_refusal.text) ==
        "this VM's heap cannot be read as memory");
  run.engine.close(within(kSecond));
  CHECK(run.ask(Trigger::kSignal) == GateAnswer::kClosed);
}

namespace {

std::atomic<int> steps{0};

// Waits for each step, so that the progress can be looked at in between.
Result<AnalysisOutcome> expecting_analysis(AnalysisInput& input) noexcept {
  const auto wait_for = [&](int step) {
    while (steps < step && input.cancel.check().ok()) platforms::sleep_ns(100'000);
  };
  input.expecting(input.expecting_context, {40, 100});
  wait_for(1);
  input.expecting(input.expecting_context, {40, 900});
  wait_for(2);
  AnalysisOutcome outcome;
  std::snprintf(outcome.report_path, sizeof outcome.report_path, "/dumps/basic.hfr");
  outcome.report_bytes = 4711;
  input.published(input.published_context, outcome);
  wait_for(3);
  outcome.report_bytes = 9000;
  return outcome;
}

// Until a dump's progress is as wanted.
template <class Wanted>
DumpProgress progress_when(DumpEngine& engine, std::uint32_t number, Wanted wanted) {
  DumpProgress seen;
  const std::uint64_t deadline = within(10 * kSecond);
  while (engine.progress(number, seen) && !wanted(seen) && platforms::monotonic_ns() < deadline)
    platforms::sleep_ns(200'000);
  return seen;
}

}  // namespace

TEST_CASE("how long an analysis takes, and its basic report, are seen while it goes on") {
  steps = 0;
  ScriptedVm vm;
  DumpEngine engine;
  REQUIRE(engine.open(Options{}, kMemory, vm, {&expecting_analysis}).ok());
  REQUIRE(engine.vm_ready().ok());
  DumpRequest request;
  request.trigger = Trigger::kCommand;
  std::uint32_t number = 0;
  CHECK(engine.request(request, &number) == GateAnswer::kAccepted);
  DumpProgress seen =
      progress_when(engine, number, [](const auto& p) { return p.expected.all_ns == 100; });
  CHECK(seen.stage == DumpStage::kAnalysing);
  CHECK(seen.expected.basic_ns == 40);
  CHECK(seen.analysis_began_utc_ms != 0);
  CHECK(std::string(seen.report_path).empty());
  steps = 1;
  seen = progress_when(engine, number, [](const auto& p) { return p.expected.all_ns == 900; });
  CHECK(seen.expected.all_ns == 900);
  steps = 2;
  seen = progress_when(engine, number, [](const auto& p) { return p.report_path[0] != 0; });
  CHECK(seen.stage == DumpStage::kAnalysing);
  CHECK(std::string(seen.report_path) == "/dumps/basic.hfr");
  CHECK(seen.report_bytes == 4711);
  steps = 3;
  CHECK(engine.wait_idle(within(10 * kSecond)));
  REQUIRE(engine.progress(number, seen));
  CHECK(seen.stage == DumpStage::kReported);
  CHECK(seen.report_bytes == 9000);
  CHECK(seen.expected.all_ns == 900);
  CHECK(engine.close(within(kSecond)));
}

TEST_CASE("memory rests where it began after each dump") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  const std::uint64_t resting = resting_bytes(run.engine);
  for (int i = 0; i < 20; ++i) {
    CHECK(run.ask(Trigger::kSignal) == GateAnswer::kAccepted);
    CHECK(run.engine.wait_idle(within(10 * kSecond)));
    CHECK(run.engine.ledger().total_bytes() == resting);
  }
  CHECK(analyses == 20);
  run.engine.close(within(kSecond));
}

namespace {

// A VM that makes the capture thread itself, as JVMPI has it.
class ThreadMakingVm : public ScriptedVm {
 public:
  std::atomic<bool> makes{true};
  std::atomic<bool> begins{true};
  std::thread made;
  std::thread::id made_id;
  std::thread::id attached;
  ~ThreadMakingVm() override {
    if (made.joinable()) made.join();
  }
  bool start_capture_thread(void (*body)(void*), void* argument) noexcept override {
    if (!makes) return false;
    if (begins) made = std::thread(body, argument);
    made_id = made.get_id();
    return true;
  }
  Result<void> attach_capture_thread() noexcept override {
    attached = std::this_thread::get_id();
    return {};
  }
};

}  // namespace

TEST_CASE("a VM that makes threads for its tools makes the capture thread") {
  analyses = 0;
  hold_analysis = false;
  ThreadMakingVm vm;
  DumpEngine engine;
  REQUIRE(engine.open(Options{}, 64u << 20, vm, {&count_analysis}).ok());
  SUBCASE("which does the dumps") {}
  SUBCASE("or refuses, and an ordinary one does") { vm.makes = false; }
  REQUIRE(engine.vm_ready().ok());
  DumpRequest request;
  request.trigger = Trigger::kCommand;
  CHECK(engine.request(request) == GateAnswer::kAccepted);
  CHECK(engine.wait_idle(within(10 * kSecond)));
  CHECK(analyses == 1);
  CHECK(engine.close(within(kSecond)));
  CHECK((vm.attached == vm.made_id) == vm.makes.load());
}

TEST_CASE("a capture thread that the VM promised and never ran keeps no VM from its end") {
  ThreadMakingVm vm;
  vm.begins = false;
  DumpEngine engine;
  REQUIRE(engine.open(Options{}, 64u << 20, vm, {&count_analysis}).ok());
  REQUIRE(engine.vm_ready().ok());
  CHECK_FALSE(engine.close(within(kSecond / 10)));
}

TEST_CASE("requests during a dump become one more dump, not many") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  run.vm.hold = true;
  CHECK(run.ask(Trigger::kSignal) == GateAnswer::kAccepted);
  while (run.engine.wait_captured(within(1'000'000))) {
  }
  int merged = 0;
  for (int i = 0; i < 50; ++i) merged += run.ask(Trigger::kSignal) == GateAnswer::kMerged ? 1 : 0;
  CHECK(merged >= 49);
  run.vm.hold = false;
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  CHECK(run.vm.captures <= 2);
  run.engine.close(within(kSecond));
}

TEST_CASE("collect=on has the VM collect before a dump, and says so when it does not") {
  Running run;
  Options options;
  options.collect = true;
  REQUIRE(run.engine.vm_ready().ok());
  run.ask(Trigger::kSignal);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  CHECK(run.vm.collected == 0);
  run.engine.change_options(options);
  run.ask(Trigger::kSignal);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  CHECK(run.vm.collected == 1);
  run.vm.refuse_collection = true;
  run.ask(Trigger::kSignal);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  CHECK(run.engine.totals().reports == 3);
  DumpProgress last;
  REQUIRE(run.engine.progress(3, last));
  CHECK(std::string(last.note.text).starts_with("no collection before the dump (collect=on)"));
  run.engine.close(within(kSecond));
}

TEST_CASE("the cooldown holds back triggers but not a person") {
  Running run(3600 * kSecond);
  REQUIRE(run.engine.vm_ready().ok());
  CHECK(run.ask(Trigger::kOom) == GateAnswer::kAccepted);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  CHECK(run.ask(Trigger::kOom) == GateAnswer::kCooldown);
  CHECK(run.ask(Trigger::kSignal) == GateAnswer::kAccepted);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  run.engine.close(within(kSecond));
}

TEST_CASE("a failed capture ends that dump only") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  run.vm.fail = true;
  run.ask(Trigger::kSignal);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  run.vm.fail = false;
  run.ask(Trigger::kSignal);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  CHECK(run.engine.totals().failed == 1);
  CHECK(run.engine.totals().reports == 1);
  run.engine.close(within(kSecond));
}

TEST_CASE("an exiting VM cancels an analysis that outlasts exit-wait") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  hold_analysis = true;
  run.ask(Trigger::kSignal);
  CHECK(run.engine.wait_captured(within(10 * kSecond)));
  CHECK(run.ask(Trigger::kCommand) == GateAnswer::kAccepted);  // waits, and is never begun
  const std::uint64_t start = platforms::monotonic_ns();
  run.engine.close(within(kSecond / 5));
  CHECK(platforms::monotonic_ns() - start < 5 * kSecond);
  CHECK(analyses == 0);
  CHECK(run.vm.captures == 1);
  CHECK(run.engine.totals().failed == 1);
}

TEST_CASE("what may be a process's last dump does not wait for ever behind another analysis") {
  for (const Trigger last : {Trigger::kOom, Trigger::kExit}) {
    Running run;
    REQUIRE(run.engine.vm_ready().ok());
    hold_analysis = true;
    run.ask(Trigger::kPeriodic);
    CHECK(run.engine.wait_captured(within(10 * kSecond)));
    CHECK(run.ask(last) == GateAnswer::kAccepted);
    CHECK(run.engine.wait_captured(within(2 * kSecond)));
    CHECK(run.vm.captures == 2);
    hold_analysis = false;
    CHECK(run.engine.wait_safe(within(10 * kSecond)));
    CHECK(run.engine.totals().failed == 1);
    CHECK(run.engine.totals().reports == 1);
    run.engine.close(within(kSecond));
  }
}

TEST_CASE("a person's dump gives way to no other") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  hold_analysis = true;
  run.ask(Trigger::kCommand);
  CHECK(run.engine.wait_captured(within(10 * kSecond)));
  CHECK(run.ask(Trigger::kOom) == GateAnswer::kAccepted);
  CHECK_FALSE(run.engine.wait_captured(within(kSecond / 5)));
  hold_analysis = false;
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  CHECK(run.engine.totals().reports == 2);
  run.engine.close(within(kSecond));
}

TEST_CASE("a dump tells how far it has got, by its number") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  run.vm.hold = true;
  std::uint32_t first = 0;
  DumpRequest request;
  request.trigger = Trigger::kCommand;
  request.asked_at_ns = platforms::monotonic_ns();
  REQUIRE(run.engine.request(request, &first) == GateAnswer::kAccepted);
  CHECK(first == 1);
  while (run.vm.captures == 0 && !run.vm.captures_begun) {
  }
  std::uint32_t second = 0;
  std::uint32_t third = 0;
  REQUIRE(run.engine.request(request, &second) == GateAnswer::kAccepted);
  REQUIRE(run.engine.request(request, &third) == GateAnswer::kMerged);
  CHECK(second == 2);
  CHECK(third == 2);
  DumpProgress dump;
  REQUIRE(run.engine.progress(1, dump));
  CHECK(dump.stage == DumpStage::kPlanned);
  CHECK(dump.predicted_pause_ns != 0);
  REQUIRE(run.engine.progress(2, dump));
  CHECK(dump.stage == DumpStage::kWaiting);
  CHECK(dump.merged == 1);
  CHECK_FALSE(run.engine.progress(3, dump));
  run.vm.hold = false;
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  DumpProgress all[4];
  REQUIRE(run.engine.last_dumps(all) == 2);
  CHECK(all[0].number == 2);
  CHECK(all[1].stage == DumpStage::kReported);
  CHECK(all[1].elapsed_ns > 0);
  run.engine.close(within(kSecond));
}

TEST_CASE("a dump's failure is told with its reason") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  run.vm.fail = true;
  run.ask(Trigger::kSignal);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  DumpProgress dump;
  REQUIRE(run.engine.progress(1, dump));
  CHECK(dump.stage == DumpStage::kFailed);
  CHECK(dump.error.code == ErrorCode::kVm);
  CHECK(dump.error.detail == 112);
  run.engine.close(within(kSecond));
}

TEST_CASE("a cancelled dump ends, and so does the one that waits") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  CHECK(run.engine.cancel_dumps() == DumpEngine::CancelAnswer::kNothing);
  hold_analysis = true;
  run.ask(Trigger::kCommand);
  CHECK(run.engine.wait_captured(within(10 * kSecond)));
  run.ask(Trigger::kCommand);
  CHECK(run.engine.cancel_dumps() == DumpEngine::CancelAnswer::kCancelled);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  DumpProgress dumps[2];
  REQUIRE(run.engine.last_dumps(dumps) == 2);
  for (const DumpProgress& dump : dumps) {
    CHECK(dump.stage == DumpStage::kFailed);
    CHECK(dump.error.code == ErrorCode::kCancelled);
  }
  hold_analysis = false;
  run.ask(Trigger::kCommand);  // the next is not affected
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  CHECK(analyses == 1);
  run.engine.close(within(kSecond));
}

TEST_CASE("one dump is cancelled by its number, and no other") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  hold_analysis = true;
  run.ask(Trigger::kCommand);
  CHECK(run.engine.wait_captured(within(10 * kSecond)));
  run.ask(Trigger::kCommand);
  CHECK(run.engine.cancel_dumps(3) == DumpEngine::CancelAnswer::kNothing);
  CHECK(run.engine.cancel_dumps(2) == DumpEngine::CancelAnswer::kCancelled);
  hold_analysis = false;
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  DumpProgress dump;
  REQUIRE(run.engine.progress(1, dump));
  CHECK(dump.stage == DumpStage::kReported);
  REQUIRE(run.engine.progress(2, dump));
  CHECK(dump.error.code == ErrorCode::kCancelled);
  CHECK(run.engine.cancel_dumps(1) == DumpEngine::CancelAnswer::kNothing);
  run.engine.close(within(kSecond));
}

TEST_CASE("a dump that others wait for too is cancelled by nobody alone") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  hold_analysis = true;
  run.ask(Trigger::kCommand);
  CHECK(run.engine.wait_captured(within(10 * kSecond)));
  run.ask(Trigger::kCommand);
  CHECK(run.ask(Trigger::kOom) == GateAnswer::kMerged);
  CHECK(run.engine.cancel_dumps(2) == DumpEngine::CancelAnswer::kShared);
  CHECK(run.engine.cancel_dumps() == DumpEngine::CancelAnswer::kCancelled);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  CHECK(analyses == 0);
  run.engine.close(within(kSecond));
}

TEST_CASE("a VM that lets nobody in fails the dump, and is asked again for the next") {
  Running run;
  run.vm.refuse_attach = true;
  REQUIRE(run.engine.vm_ready().ok());
  run.ask(Trigger::kCommand);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  DumpProgress dump;
  REQUIRE(run.engine.progress(1, dump));
  CHECK(dump.stage == DumpStage::kFailed);
  CHECK(std::string(dump.note.text).find("heap full") != std::string::npos);
  run.vm.refuse_attach = false;
  run.ask(Trigger::kCommand);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  REQUIRE(run.engine.progress(2, dump));
  CHECK(dump.stage == DumpStage::kReported);
  run.engine.close(within(kSecond));
}

TEST_CASE("closing patiently waits for a capture, however long it takes") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  run.vm.hold = true;
  hold_analysis = true;  // an analysis would look at its token, and see it
  run.ask(Trigger::kCommand);
  while (!run.vm.captures_begun) {
  }
  std::thread release([&] {
    platforms::sleep_ns(3 * kSecond);  // longer than an exiting VM would wait
    run.vm.hold = false;
  });
  run.engine.close_patiently();
  CHECK_FALSE(run.vm.hold);
  CHECK(analyses == 0);
  release.join();
}

TEST_CASE("a dump that is cancelled while it is captured is not analysed") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  run.vm.hold = true;
  hold_analysis = true;  // an analysis would look at its token, and see it
  run.ask(Trigger::kCommand);
  while (!run.vm.captures_begun) {
  }
  CHECK(run.engine.cancel_dumps() == DumpEngine::CancelAnswer::kCancelled);
  run.vm.hold = false;
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  CHECK(analyses == 0);
  run.engine.close(within(kSecond));
}

TEST_CASE("only the last dumps are remembered") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  for (std::uint32_t i = 0; i < 2 * DumpHistory::kMaxRememberedDumps; ++i) {
    run.ask(Trigger::kSignal);
    CHECK(run.engine.wait_idle(within(10 * kSecond)));
  }
  DumpProgress dumps[2 * DumpHistory::kMaxRememberedDumps];
  CHECK(run.engine.last_dumps(dumps) == DumpHistory::kMaxRememberedDumps);
  CHECK(dumps[0].number == 2 * DumpHistory::kMaxRememberedDumps);
  CHECK_FALSE(run.engine.progress(DumpHistory::kMaxRememberedDumps, dumps[0]));
  CHECK_FALSE(run.engine.progress(0, dumps[0]));
  run.engine.close(within(kSecond));
}

TEST_CASE("options that change are those of the next dump, and the VM hears of new triggers") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  Options options = run.engine.options();
  options.cooldown_ns = 3600 * kSecond;
  run.engine.change_options(options);
  CHECK(run.ask(Trigger::kOom) == GateAnswer::kAccepted);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  CHECK(run.ask(Trigger::kOom) == GateAnswer::kCooldown);
  CHECK(run.vm.listened == 0);
  options.on = kOnExit;
  run.engine.change_options(options);
  for (int i = 0; i < 1000 && run.vm.listened == 0; ++i) platforms::sleep_ns(10'000'000);
  CHECK(run.vm.wanted_triggers == kOnExit);
  run.engine.close(within(kSecond));
}

TEST_CASE("the VM tells its collections while somebody watches, and no longer") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  const auto hears = [&run](bool wanted) {
    for (int i = 0; i < 1000 && run.vm.hears_collections != wanted; ++i)
      platforms::sleep_ns(10'000'000);
    return run.vm.hears_collections == wanted;
  };
  REQUIRE(run.engine.begin_watching().ok());
  CHECK(hears(true));
  CHECK_FALSE(run.engine.options().watched);  // nobody's to set, and not what `set` goes on from
  REQUIRE(run.engine.begin_watching().ok());
  run.engine.end_watching();
  CHECK(run.vm.hears_collections);
  run.engine.end_watching();
  CHECK(hears(false));
  run.engine.close(within(kSecond));
}

TEST_CASE("a VM that refuses the capture thread leaves nobody waiting") {
  Running run;
  run.vm.refuse_attach = true;
  REQUIRE(run.engine.vm_ready().ok());
  run.ask(Trigger::kOom);
  CHECK(run.engine.wait_captured(within(5 * kSecond)));
  run.engine.close(within(kSecond));
}

TEST_CASE(
    "without room on the disk nothing is captured, and the reason names directory and figures") {
  if (!platforms::kFaultPointsBuilt) return;
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  REQUIRE(open_log(LogLevel::kOff, "").ok());
  {
    const platforms::FaultScope full(platforms::FaultPoint::kFreeDisk, {0, 2, 1});
    CHECK(run.ask(Trigger::kSignal) == GateAnswer::kAccepted);
    CHECK(run.engine.wait_idle(within(10 * kSecond)));
    CHECK(full.spent());
  }
  REQUIRE(open_log(LogLevel::kError, "").ok());
  CHECK(run.vm.captures == 0);
  CHECK(run.engine.totals().failed == 1);
  DumpProgress last[1];
  REQUIRE(run.engine.last_dumps(last) == 1);
  CHECK(last[0].stage == DumpStage::kFailed);
  CHECK(last[0].error.code == ErrorCode::kRefused);
  const std::string note = last[0].note.text;
  CHECK(note.find("the disk is too full: . has 0 KB free, the report may need 2048 KB") !=
        note.npos);
  run.engine.close(within(kSecond));
}

TEST_CASE("room that old reports gave back is enough") {
  if (!platforms::kFaultPointsBuilt) return;
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  const platforms::FaultScope full(platforms::FaultPoint::kFreeDisk, {0, 1, 1});
  CHECK(run.ask(Trigger::kSignal) == GateAnswer::kAccepted);
  CHECK(run.engine.wait_idle(within(10 * kSecond)));
  CHECK(full.spent());
  CHECK(run.engine.totals().reports == 1);
  run.engine.close(within(kSecond));
}

TEST_CASE("what a dump's files may need") {
  CapturePlan plan;
  CHECK(most_report_bytes(plan) == kSimpleReportBytes);
  plan.rung = CaptureRung::kWalk;
  CHECK(most_report_bytes(plan) == kExtendedReportBytes);
  plan.rung = CaptureRung::kFrozen;
  plan.graph = false;
  CHECK(most_report_bytes(plan) == kSimpleReportBytes);
  Prediction heap;
  heap.objects = 10'000'000;
  heap.references = 25'000'000;
  CHECK(snapshot_bytes_estimate(heap) == 135'000'000);  // 86 MB at most were measured
}
