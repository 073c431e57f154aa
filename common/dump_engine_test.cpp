#include "common/dump_engine.h"

#include <doctest/doctest.h>

#include <atomic>
#include <string>

#include "common/fake_vm_adapter.h"
#include "platforms/clock.h"

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

TEST_CASE("memory rests where it began after each dump") {
  Running run;
  REQUIRE(run.engine.vm_ready().ok());
  const std::uint64_t resting = run.engine.ledger().total_bytes();
  for (int i = 0; i < 20; ++i) {
    CHECK(run.ask(Trigger::kSignal) == GateAnswer::kAccepted);
    CHECK(run.engine.wait_idle(within(10 * kSecond)));
    CHECK(run.engine.ledger().total_bytes() == resting);
  }
  CHECK(analyses == 20);
  run.engine.close(within(kSecond));
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

TEST_CASE("a VM that refuses the capture thread leaves nobody waiting") {
  Running run;
  run.vm.refuse_attach = true;
  REQUIRE(run.engine.vm_ready().ok());
  run.ask(Trigger::kOom);
  CHECK(run.engine.wait_captured(within(5 * kSecond)));
  run.engine.close(within(kSecond));
}
