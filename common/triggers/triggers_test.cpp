#include "common/triggers/triggers.h"

#include <doctest/doctest.h>

#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "common/fake_vm_adapter.h"
#include "common/log.h"
#include "platforms/cgroup_root_for_test.h"
#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::platforms;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kMemory = 64u << 20;
constexpr std::uint64_t kHeap = 1000;
const std::string kGroup = "/sys/fs/cgroup/a";

// A VM whose collections the test makes.
class CollectingVm final : public ScriptedVm {
 public:
  CollectingVm() { figures_ = {0, 0, 0, 0, kHeap, 0}; }
  CollectionFigures collections() noexcept override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return figures_;
  }
  void collect(bool full, std::uint64_t used) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++(full ? figures_.full : figures_.young);
    figures_.used_after_bytes = used;
  }
  // One that ran beside the application and has ended; `frees`: what it found dead is free by now.
  void end_cycle(bool frees, std::uint64_t used) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++figures_.cycles;
    figures_.cycles_collect = frees;
    figures_.used_after_bytes = used;
  }
  // Collections beside the application: how much is used, and what was allocated before, at the first of a collection's pauses.
  void run_beside() {
    const std::lock_guard<std::mutex> lock(mutex_);
    figures_ = CollectionFigures{};
    figures_.max_bytes = kHeap;
    figures_.used_after_bytes = 0;
    figures_.one_generation = true;
  }
  void use(std::uint64_t used, std::uint64_t allocated = kUnknownCount) {
    const std::lock_guard<std::mutex> lock(mutex_);
    figures_.used_after_bytes = used;
    figures_.allocated_bytes = allocated;
    if (allocated != kUnknownCount) ++figures_.allocation_stamp;
  }
  void forget() {
    const std::lock_guard<std::mutex> lock(mutex_);
    figures_ = CollectionFigures{};
  }

 private:
  std::mutex mutex_;
  CollectionFigures figures_;
};

struct Running {
  CollectingVm vm;
  DumpEngine engine;
  Options options;
  CgroupRoot root;
  Triggers triggers;

  explicit Running(const std::string& text) {
    analyses = 0;
    hold_analysis = false;
    set(text);
    REQUIRE(engine.open(options, kMemory, vm, {&count_analysis}).ok());
    root.with("/proc/self/cgroup", "0::/a\n").with("/proc/self/mountinfo", kV2Mount);
  }
  ~Running() {
    triggers.close();
    engine.close(monotonic_ns() + kSecond);
  }
  void set(const std::string& text) {
    OptionError error;
    REQUIRE_MESSAGE(parse_options(text, options, error), error.text);
  }
  void start() {
    REQUIRE(engine.vm_ready().ok());
    triggers.open(engine, root.path());
    triggers.arm(options);
  }
  void group(std::uint64_t used_mb, const std::string& limit = std::to_string(100 * kMiB)) {
    root.v2(kGroup, limit, used_mb * kMiB, 0);
  }
  void collect(bool full, std::uint64_t used) {
    vm.collect(full, used);
    triggers.collection_finished();
  }
  void end_cycle(bool frees, std::uint64_t used) {
    vm.end_cycle(frees, used);
    triggers.collection_finished();
  }
  // What was posted has been carried out, and no dump runs.
  void settle() {
    for (int i = 0; i < 3; ++i) sleep_ns(5 * kMs);
    REQUIRE(engine.wait_idle(monotonic_ns() + 10 * kSecond));
  }
  TriggerCounts counts(Trigger trigger) { return engine.trigger_counts(trigger); }
  bool wait_fired(Trigger trigger, std::uint32_t times, std::uint64_t within_ns = 10 * kSecond) {
    const std::uint64_t until = monotonic_ns() + within_ns;
    while (counts(trigger).fired < times) {
      if (monotonic_ns() > until) return false;
      sleep_ns(kMs);
    }
    return true;
  }
  TriggerFacts facts(Trigger trigger) {
    TriggerFacts all[16];
    const std::size_t count = triggers.states(all);
    for (std::size_t i = 0; i < count; ++i)
      if (all[i].trigger == trigger) return all[i];
    return {};
  }
};

bool has(const char* text, const char* part) { return std::strstr(text, part) != nullptr; }

}  // namespace

TEST_CASE("every: simple dumps, the first a period after arming, and no cooldown between them") {
  Running run("every=1s,cooldown=1h,dump=extended");
  const std::uint64_t began = monotonic_ns();
  run.start();
  CHECK(std::string(run.facts(Trigger::kPeriodic).setting) == "1s");
  REQUIRE(run.wait_fired(Trigger::kPeriodic, 2));
  CHECK(monotonic_ns() - began >= 2 * kSecond);
  CHECK(monotonic_ns() - began < 3 * kSecond + kSecond / 2);
  run.settle();
  CHECK(analyses == 2);
  DumpProgress last[1];
  REQUIRE(run.engine.last_dumps(last) == 1);
  CHECK_FALSE(last[0].extended);
  CHECK(last[0].trigger == Trigger::kPeriodic);
}

TEST_CASE("every: off disarms, and what else is set does not begin the period anew") {
  Running run("every=1s");
  const std::uint64_t began = monotonic_ns();
  run.start();
  sleep_ns(600 * kMs);
  run.set("cooldown=5s,heap-above=90%");
  run.triggers.arm(run.options);
  REQUIRE(run.wait_fired(Trigger::kPeriodic, 1));
  CHECK(monotonic_ns() - began < kSecond + 500 * kMs);
  run.set("every=off");
  run.triggers.arm(run.options);
  CHECK(run.facts(Trigger::kPeriodic).setting[0] == '\0');
  run.settle();
  sleep_ns(1200 * kMs);
  CHECK(run.counts(Trigger::kPeriodic).fired == 1);
}

TEST_CASE("every: a period that comes while a dump runs is refused and counted") {
  Running run("every=1s,cooldown=0");
  run.start();
  hold_analysis = true;
  REQUIRE(run.wait_fired(Trigger::kPeriodic, 1));
  const std::uint64_t until = monotonic_ns() + 5 * kSecond;
  while (run.counts(Trigger::kPeriodic).refused == 0 && monotonic_ns() < until) sleep_ns(kMs);
  CHECK(run.facts(Trigger::kPeriodic).counts.refused >= 1);
  hold_analysis = false;
}

TEST_CASE("gc: full collections fire, young ones and those from before do not") {
  Running run("on=gc,cooldown=0");
  run.vm.collect(true, 10);
  run.start();
  for (int i = 0; i < 10; ++i) run.collect(false, 10);
  run.settle();
  CHECK(run.counts(Trigger::kGc).fired == 0);
  run.collect(true, 10);
  REQUIRE(run.wait_fired(Trigger::kGc, 1));
  run.settle();
  run.collect(true, 10);
  REQUIRE(run.wait_fired(Trigger::kGc, 2));
  run.settle();
  CHECK(analyses == 2);
}

TEST_CASE(
    "gc, heap-above: one beside the application is a collection where it frees, and in doubt") {
  Running run("on=gc,heap-above=80%,cooldown=0");
  run.start();
  run.end_cycle(false, 900);
  run.settle();
  CHECK(run.counts(Trigger::kGc).fired == 0);
  run.end_cycle(true, 900);
  REQUIRE(run.wait_fired(Trigger::kGc, 1));
  run.settle();
  CHECK(run.counts(Trigger::kHeapAbove).fired == 0);
}

TEST_CASE("gc: within the cooldown it is refused and counted") {
  Running run("on=gc,cooldown=1h");
  run.start();
  run.collect(true, 10);
  REQUIRE(run.wait_fired(Trigger::kGc, 1));
  run.settle();
  run.collect(true, 10);
  run.settle();
  CHECK(run.facts(Trigger::kGc).counts.fired == 1);
  CHECK(run.facts(Trigger::kGc).counts.refused == 1);
}

TEST_CASE("heap-above: one dump, until the heap has fallen or risen") {
  Running run("on=off,heap-above=85%,cooldown=0");
  run.start();
  run.collect(true, 840);
  run.settle();
  CHECK(run.counts(Trigger::kHeapAbove).fired == 0);
  run.collect(true, 860);
  REQUIRE(run.wait_fired(Trigger::kHeapAbove, 1));
  run.settle();
  CHECK(has(run.facts(Trigger::kHeapAbove).state, "fired at 86 %; again at 91 %"));
  for (int i = 0; i < 20; ++i) run.collect(true, 870);
  run.settle();
  CHECK(run.counts(Trigger::kHeapAbove).fired == 1);
  run.collect(true, 910);
  REQUIRE(run.wait_fired(Trigger::kHeapAbove, 2));
  run.settle();
  run.collect(true, 500);
  run.collect(true, 850);
  REQUIRE(run.wait_fired(Trigger::kHeapAbove, 3));
}

TEST_CASE("heap-above: what a young collection leaves is in doubt") {
  Running run("heap-above=85%,cooldown=0");
  run.start();
  for (int i = 0; i < 100; ++i) run.collect(false, 990);
  run.settle();
  CHECK(run.counts(Trigger::kHeapAbove).fired == 0);
  CHECK(has(run.facts(Trigger::kHeapAbove).state, "waits for one of the whole heap"));
}

TEST_CASE("heap-above: a refusal keeps it armed, and full collections do not ask all the time") {
  Running run("heap-above=85%,cooldown=1h");
  run.start();
  DumpRequest other;
  other.trigger = Trigger::kStart;
  REQUIRE(run.engine.request(other) == GateAnswer::kAccepted);
  run.settle();
  for (int i = 0; i < 50; ++i) {
    run.collect(true, 900);
    sleep_ns(kMs);
  }
  run.settle();
  CHECK(run.counts(Trigger::kHeapAbove).fired == 0);
  CHECK(run.counts(Trigger::kHeapAbove).refused == 1);
  run.engine.change_options([&] {
    Options options = run.options;
    options.cooldown_ns = 0;
    return options;
  }());
  sleep_ns(LevelTrigger::kAskAgainNs);
  run.collect(true, 900);
  CHECK(run.wait_fired(Trigger::kHeapAbove, 1));
}

TEST_CASE("a VM that tells nothing: both say so, and nothing fires") {
  Running run("on=gc,heap-above=85%");
  run.vm.forget();
  REQUIRE(open_log(LogLevel::kOff, "").ok());
  run.start();
  REQUIRE(open_log(LogLevel::kError, "").ok());
  for (int i = 0; i < 10; ++i) run.triggers.collection_finished();
  run.settle();
  CHECK(has(run.facts(Trigger::kGc).state, "cannot work"));
  CHECK(has(run.facts(Trigger::kHeapAbove).state, "cannot work"));
  CHECK(analyses == 0);
}

TEST_CASE(
    "heap-above: where no collection is told to be a full one, enough of them have to agree") {
  Running run("on=gc,heap-above=85%,cooldown=0");
  run.vm.run_beside();
  REQUIRE(open_log(LogLevel::kOff, "").ok());  // on=gc cannot work
  run.start();
  REQUIRE(open_log(LogLevel::kError, "").ok());
  CHECK(has(run.facts(Trigger::kHeapAbove).state, "waits; 0 % or less"));
  const auto pauses_for = [&](std::uint64_t ns, std::uint64_t used, std::uint64_t allocated) {
    for (const std::uint64_t until = monotonic_ns() + ns; monotonic_ns() < until;) {
      run.vm.use(used, allocated);
      run.triggers.collection_finished();
      sleep_ns(20 * kMs);
    }
  };
  pauses_for(HeapFloor::kNearlyFullNs + 500 * kMs, 1000, 200);  // garbage
  CHECK(run.counts(Trigger::kHeapAbove).fired == 0);
  CHECK(has(run.facts(Trigger::kHeapAbove).state, "waits; 80 % or less"));
  pauses_for(HeapFloor::kNearlyFullNs / 2, 970, 10);
  CHECK(run.counts(Trigger::kHeapAbove).fired == 0);
  CHECK(has(run.facts(Trigger::kHeapAbove).state, "above: 96 % or less lives"));
  pauses_for(HeapFloor::kNearlyFullNs / 2 + 200 * kMs, 970, 10);
  REQUIRE(run.wait_fired(Trigger::kHeapAbove, 1));
  run.settle();
  CHECK(has(run.facts(Trigger::kHeapAbove).state, "fired at 96 %"));
}

TEST_CASE("heap-above: memory that is freed after the last pause is seen between pauses") {
  Running run("heap-above=85%,cooldown=0");
  run.vm.run_beside();
  run.start();
  run.vm.use(900);
  run.triggers.collection_finished();
  CHECK(has(run.facts(Trigger::kHeapAbove).state, "above: 90 % or less lives"));
  run.vm.use(400);
  const std::uint64_t until = monotonic_ns() + 5 * kSecond;
  while (!has(run.facts(Trigger::kHeapAbove).state, "waits; 40 % or less") &&
         monotonic_ns() < until)
    sleep_ns(10 * kMs);
  CHECK(has(run.facts(Trigger::kHeapAbove).state, "waits; 40 % or less"));
  // And again, once it is above.
  run.vm.use(880);
  run.triggers.collection_finished();
  CHECK(has(run.facts(Trigger::kHeapAbove).state, "above: 88 % or less lives"));
  run.vm.use(300);
  sleep_ns(2 * Triggers::kDoubtNs);
  CHECK(has(run.facts(Trigger::kHeapAbove).state, "waits; 30 % or less"));
  CHECK(analyses == 0);
}

TEST_CASE("one collection, two triggers: one dump, named after the heap") {
  Running run("on=gc,heap-above=85%,cooldown=0");
  run.start();
  run.vm.hold = true;
  run.collect(true, 900);
  REQUIRE(run.wait_fired(Trigger::kHeapAbove, 1));
  run.vm.hold = false;
  run.settle();
  DumpProgress dumps[2];
  REQUIRE(run.engine.last_dumps(dumps) >= 1);
  CHECK(run.counts(Trigger::kGc).fired + run.counts(Trigger::kGc).refused == 1);
}

TEST_CASE("cgroup-above: fires when the group passes the threshold, in time and once") {
  Running run("on=off,cgroup-above=85%,cooldown=0");
  run.group(50);
  run.start();
  run.settle();
  CHECK(has(run.facts(Trigger::kCgroupAbove).state, "waits; 50 of 100 MB held"));
  CHECK(run.counts(Trigger::kCgroupAbove).fired == 0);
  const std::uint64_t began = monotonic_ns();
  run.group(86);
  REQUIRE(run.wait_fired(Trigger::kCgroupAbove, 1, 2 * kSecond));
  // 35 MB below the threshold it looks as often as is near.
  CHECK(monotonic_ns() - began < 500 * kMs);
  run.settle();
  run.group(88);
  sleep_ns(1200 * kMs);
  CHECK(run.counts(Trigger::kCgroupAbove).fired == 1);
  CHECK(has(run.facts(Trigger::kCgroupAbove).state, "fired at 86 %"));
  run.group(91);
  CHECK(run.wait_fired(Trigger::kCgroupAbove, 2, 3 * kSecond));
}

TEST_CASE("cgroup-above: a group that stalls counts as one at the threshold") {
  Running run("cgroup-above=85%,cooldown=0");
  run.group(40);
  run.root.with(kGroup + "/memory.pressure",
                "some avg10=50.00 avg60=1.00 avg300=1.00 total=1\nfull avg10=20.50 avg60=1.00 "
                "avg300=1.00 total=1\n");
  run.start();
  CHECK(run.wait_fired(Trigger::kCgroupAbove, 1));
}

TEST_CASE("cgroup-above: no limit is said, and costs nothing; a group that vanishes ends it") {
  Running run("cgroup-above=85%");
  run.group(99, "max");
  run.start();
  run.settle();
  CHECK(std::string(run.facts(Trigger::kCgroupAbove).state) == "no limit");
  CHECK(run.counts(Trigger::kCgroupAbove).fired == 0);
  run.group(10);
  run.set("cgroup-above=80%");
  run.triggers.arm(run.options);
  run.settle();
  CHECK(has(run.facts(Trigger::kCgroupAbove).state, "waits"));
  run.set("cgroup-above=off");
  run.triggers.arm(run.options);
  run.settle();
  run.group(99);
  sleep_ns(1200 * kMs);
  CHECK(run.counts(Trigger::kCgroupAbove).fired == 0);
}

TEST_CASE("nothing fires before open() and after close()") {
  Running run("on=gc,heap-above=10%,every=1s,cgroup-above=50%,cooldown=0");
  run.group(90);
  run.triggers.arm(run.options);
  run.collect(true, 900);
  run.start();
  run.triggers.close();
  run.collect(true, 990);
  sleep_ns(1200 * kMs);
  run.settle();
  TriggerFacts all[16];
  CHECK(run.triggers.states(all) == 0);
  CHECK(analyses <= 1);  // the group's first look may have come before close()
  CHECK(run.counts(Trigger::kPeriodic).fired == 0);
  CHECK(run.counts(Trigger::kGc).fired == 0);
}

TEST_CASE("collections from many threads while options change") {
  Running run("on=gc,heap-above=50%,cooldown=0");
  run.start();
  std::atomic<bool> stop{false};
  std::thread collector([&] {
    for (std::uint64_t i = 0; !stop; ++i) {
      run.collect(i % 3 == 0, i % kHeap);
      sleep_ns(20'000);  // the lock is unfair, and no VM collects without a break
    }
  });
  for (int i = 0; i < 200; ++i) {
    run.set(i % 2 == 0 ? "on=off,heap-above=off,every=off" : "on=gc,heap-above=60%,every=1h");
    run.triggers.arm(run.options);
    TriggerFacts all[16];
    (void)run.triggers.states(all);
  }
  run.set("on=gc");
  run.triggers.arm(run.options);
  CHECK(run.wait_fired(Trigger::kGc, 1));
  stop = true;
  collector.join();
  run.settle();
}

TEST_CASE("states list what is armed, and no more than there is room for") {
  Running run("on=signal+oom+exit+gc+start+growth,every=90s,heap-above=85%,cgroup-above=90%");
  run.start();
  TriggerFacts all[16];
  REQUIRE(run.triggers.states(all) == 4);  // events have none of their own here
  CHECK(all[0].trigger == Trigger::kGc);
  CHECK(std::string(all[0].setting) == "on");
  CHECK(std::string(run.facts(Trigger::kPeriodic).setting) == "90s");
  CHECK(std::string(run.facts(Trigger::kCgroupAbove).setting) == "90%");
  TriggerFacts few[2];
  CHECK(run.triggers.states(few) == 2);
}
