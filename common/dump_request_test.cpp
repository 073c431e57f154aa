#include "common/dump_request.h"

#include <doctest/doctest.h>

#include <set>
#include <string_view>

using namespace holdfast;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

DumpRequest ask(Trigger trigger, std::uint64_t at_ns = 0, DumpKind kind = DumpKind::kAuto) {
  DumpRequest request;
  request.trigger = trigger;
  request.asked_at_ns = at_ns;
  request.kind = kind;
  return request;
}

DumpGate open_gate(std::uint64_t cooldown_ns = 0) {
  DumpGate gate(cooldown_ns);
  gate.open();
  return gate;
}

}  // namespace

TEST_CASE("before VM init and during VM death nothing is accepted; what waits is still taken") {
  DumpGate gate;
  CHECK(gate.offer(ask(Trigger::kCommand)) == GateAnswer::kClosed);
  gate.open();
  CHECK(gate.offer(ask(Trigger::kCommand)) == GateAnswer::kAccepted);
  gate.close();
  CHECK(gate.offer(ask(Trigger::kCommand)) == GateAnswer::kClosed);
  DumpRequest taken;
  CHECK(gate.take(taken));
  CHECK(gate.counts().refused_closed == 2);
}

TEST_CASE("one waits, further ones are merged into it, one at a time runs") {
  DumpGate gate = open_gate();
  DumpRequest taken;
  CHECK_FALSE(gate.take(taken));
  CHECK(gate.offer(ask(Trigger::kSignal)) == GateAnswer::kAccepted);
  CHECK(gate.offer(ask(Trigger::kOom)) == GateAnswer::kMerged);
  CHECK(gate.offer(ask(Trigger::kSignal)) == GateAnswer::kMerged);
  REQUIRE(gate.take(taken));
  CHECK(taken.merged == 2);
  CHECK(gate.running());
  CHECK(gate.offer(ask(Trigger::kCommand)) == GateAnswer::kAccepted);  // waits
  CHECK_FALSE(gate.take(taken));
  gate.finished(5);
  CHECK(gate.take(taken));
  CHECK(taken.trigger == Trigger::kCommand);
  CHECK(taken.merged == 0);
  CHECK(gate.counts().accepted == 2);
  CHECK(gate.counts().merged == 2);
}

TEST_CASE("merging: the richer kind wins, whoever came first") {
  const DumpKind kinds[] = {DumpKind::kSimple, DumpKind::kAuto,
                            DumpKind::kExtended};  // poorest first
  for (int first = 0; first < 3; ++first) {
    for (int second = 0; second < 3; ++second) {
      DumpGate gate = open_gate();
      (void)gate.offer(ask(Trigger::kSignal, 0, kinds[first]));
      (void)gate.offer(ask(Trigger::kSignal, 0, kinds[second]));
      DumpRequest taken;
      REQUIRE(gate.take(taken));
      CHECK(taken.kind == kinds[first > second ? first : second]);
    }
  }
}

TEST_CASE("merging: what either named is done, and a person's asking counts") {
  DumpGate gate = open_gate();
  DumpRequest oom = ask(Trigger::kOom, 10);
  oom.then_exit = true;
  oom.pause_limit_ns = 5;
  DumpRequest command = ask(Trigger::kCommand, 20);
  command.snapshot = true;
  command.capture = CaptureChoice::kWalk;
  command.pause_limit_ns = 9;
  command.analyses = kAnalyseTree;
  (void)gate.offer(oom);
  (void)gate.offer(command);
  (void)gate.offer(ask(Trigger::kGc, 30));
  DumpRequest taken;
  REQUIRE(gate.take(taken));
  CHECK(taken.trigger == Trigger::kCommand);
  CHECK(taken.then_exit);
  CHECK(taken.snapshot);
  CHECK(taken.capture == CaptureChoice::kWalk);
  CHECK(taken.pause_limit_ns == 9);
  CHECK(taken.analyses == (kAnalysesOfOption | kAnalyseTree));
  CHECK(taken.asked_at_ns == 10);
  CHECK(taken.merged == 2);
}

TEST_CASE("the cooldown holds back all but people and an exiting VM") {
  DumpGate gate = open_gate(60 * kSecond);
  DumpRequest taken;
  REQUIRE(gate.offer(ask(Trigger::kOom, kSecond)) == GateAnswer::kAccepted);
  REQUIRE(gate.take(taken));
  CHECK(gate.offer(ask(Trigger::kOom, 2 * kSecond)) == GateAnswer::kCooldown);  // it is running
  gate.finished(10 * kSecond);
  CHECK(gate.offer(ask(Trigger::kOom, 9 * kSecond)) ==
        GateAnswer::kCooldown);  // asked while it ran
  CHECK(gate.offer(ask(Trigger::kOom, 69 * kSecond)) == GateAnswer::kCooldown);
  CHECK(gate.counts().refused_cooldown == 3);
  for (const Trigger trigger : {Trigger::kSignal, Trigger::kCommand, Trigger::kExit}) {
    CHECK(gate.offer(ask(trigger, 11 * kSecond)) == GateAnswer::kAccepted);
    REQUIRE(gate.take(taken));
    gate.finished(10 * kSecond);
  }
  CHECK(gate.offer(ask(Trigger::kOom, 70 * kSecond)) == GateAnswer::kAccepted);
}

TEST_CASE("an error of other memory takes nothing from the first one of the heap") {
  DumpGate gate = open_gate(60 * kSecond);
  DumpRequest taken;
  DumpRequest other = ask(Trigger::kOom, kSecond);
  other.beside_heap = true;
  REQUIRE(gate.offer(other) == GateAnswer::kAccepted);
  REQUIRE(gate.take(taken));
  gate.finished(2 * kSecond);
  CHECK(gate.offer(other) == GateAnswer::kCooldown);
  CHECK(gate.offer(ask(Trigger::kOom, 3 * kSecond)) == GateAnswer::kAccepted);
  gate.drop_waiting();  // it was none
  CHECK(gate.offer(ask(Trigger::kOom, 4 * kSecond)) == GateAnswer::kAccepted);
}

TEST_CASE("a cooldown beyond every clock holds for ever, none holds never") {
  DumpRequest taken;
  for (const std::uint64_t cooldown : {UINT64_MAX, std::uint64_t{0}}) {
    DumpGate gate = open_gate(cooldown);
    (void)gate.offer(ask(Trigger::kGc, 1));
    REQUIRE(gate.take(taken));
    gate.finished(kSecond);
    CHECK(gate.offer(ask(Trigger::kGc, 2 * kSecond)) ==
          (cooldown == 0 ? GateAnswer::kAccepted : GateAnswer::kCooldown));
  }
}

TEST_CASE("names") {
  std::set<std::string_view> names;
  for (int t = 0; t <= static_cast<int>(Trigger::kGrowth); ++t)
    names.insert(trigger_name(static_cast<Trigger>(t)));
  CHECK(names.size() == 10);
  for (int a = 0; a <= static_cast<int>(GateAnswer::kClosed); ++a)
    names.insert(gate_answer_name(static_cast<GateAnswer>(a)));
  CHECK(names.size() == 14);
  CHECK(trigger_by_person(Trigger::kSignal));
  CHECK_FALSE(trigger_by_person(Trigger::kExit));
}

TEST_CASE("the first OutOfMemoryError passes the cooldown, later ones do not") {
  DumpGate gate = open_gate(kSecond);
  DumpRequest taken;
  (void)gate.offer(ask(Trigger::kHeapAbove, 1));
  REQUIRE(gate.take(taken));
  CHECK(gate.offer(ask(Trigger::kGc, 2)) == GateAnswer::kCooldown);
  CHECK(gate.offer(ask(Trigger::kOom, 3)) == GateAnswer::kAccepted);  // waits for the one that runs
  gate.finished(4);
  REQUIRE(gate.take(taken));
  CHECK(taken.trigger == Trigger::kOom);
  CHECK(gate.offer(ask(Trigger::kOom, 5)) == GateAnswer::kCooldown);
  gate.finished(6);
  CHECK(gate.offer(ask(Trigger::kOom, 7)) == GateAnswer::kCooldown);
  CHECK(gate.offer(ask(Trigger::kOom, 6 + kSecond)) == GateAnswer::kAccepted);
}

TEST_CASE("a periodic dump neither obeys the cooldown nor starts it, but one at a time is enough") {
  DumpGate gate = open_gate(kSecond);
  DumpRequest taken;
  REQUIRE(gate.offer(ask(Trigger::kSignal, 0)) == GateAnswer::kAccepted);
  REQUIRE(gate.take(taken));
  CHECK(gate.offer(ask(Trigger::kPeriodic, 1)) == GateAnswer::kCooldown);  // while one runs
  gate.finished(10);
  CHECK(gate.offer(ask(Trigger::kGc, 20)) == GateAnswer::kCooldown);
  CHECK(gate.offer(ask(Trigger::kPeriodic, 20)) == GateAnswer::kAccepted);
  REQUIRE(gate.take(taken));
  gate.finished(kSecond + 20);
  CHECK(gate.offer(ask(Trigger::kGc, kSecond + 21)) == GateAnswer::kAccepted);
}

TEST_CASE("what is merged into a periodic dump gives it its name") {
  DumpGate gate = open_gate();
  DumpRequest taken;
  REQUIRE(gate.offer(ask(Trigger::kPeriodic, 0, DumpKind::kSimple)) == GateAnswer::kAccepted);
  CHECK(gate.offer(ask(Trigger::kHeapAbove)) == GateAnswer::kMerged);
  CHECK(gate.offer(ask(Trigger::kGc)) == GateAnswer::kMerged);
  REQUIRE(gate.take(taken));
  CHECK(taken.trigger == Trigger::kHeapAbove);
  CHECK(taken.kind == DumpKind::kAuto);
}

TEST_CASE("each trigger's own answers are counted") {
  DumpGate gate(kSecond);
  (void)gate.offer(ask(Trigger::kGc));
  CHECK(gate.counts_of(Trigger::kGc).refused == 1);
  gate.open();
  (void)gate.offer(ask(Trigger::kGc));
  (void)gate.offer(ask(Trigger::kHeapAbove));
  DumpRequest taken;
  REQUIRE(gate.take(taken));
  (void)gate.offer(ask(Trigger::kHeapAbove));
  CHECK(gate.counts_of(Trigger::kGc).fired == 1);
  CHECK(gate.counts_of(Trigger::kHeapAbove).fired == 1);
  CHECK(gate.counts_of(Trigger::kHeapAbove).refused == 1);
  CHECK(gate.counts_of(Trigger::kGrowth).fired == 0);
}
