#include "jvmpi/agent.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>

#include "common/fake_vm_adapter.h"
#include "common/log.h"
#include "jvmpi/fake_java.h"
#include "jvmpi/fake_vm.h"
#include "platforms/clock.h"
#include "platforms/comes_true_for_test.h"

using namespace holdfast;
using namespace holdfast::jvmpi;

extern "C" jint JNICALL JVM_OnLoad(JavaVM* vm, char* options, void* reserved);

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
std::uint64_t within(std::uint64_t ns) { return platforms::monotonic_ns() + ns; }

std::atomic<bool> last_had_graph{false};
std::atomic<int> last_trigger{-1};
std::string last_vm;

Result<AnalysisOutcome> note_analysis(AnalysisInput& input) noexcept {
  last_had_graph = input.capture.has_graph;
  last_trigger = static_cast<int>(input.record.request.trigger);
  last_vm = input.record.vm.vm_name;
  return count_analysis(input);
}

struct RunningAgent {
  FakeVm vm;
  FakeJava java{&vm.interface};
  Agent* agent = nullptr;

  RunningAgent() {
    analyses = 0;
    hold_analysis = false;
    const VmId object = vm.add_class("java.lang.Object", 0).id;
    vm.add_class("java.lang.Class", object);
    vm.roots = {{RecordTag::kJniGlobal, vm.add_instance(object, {}).id}};
    const VmId number = vm.add_class("int", 0).id;
    vm.primitive_classes = {number};
    java.primitive_classes["java/lang/Integer"] = static_cast<std::uintptr_t>(number);
    vm.tell_ids();
    java.newest_jvmpi = kVersion1_1;
  }
  ~RunningAgent() {
    hold_analysis = false;
    vm.shut_down();
    vm.join_threads();
    CHECK(vm.broken_rules == 0);
    CHECK(vm.calls_when_gone == 0);
    CHECK(java.attached == 0);
    CHECK(java.global_references == 0);
    CHECK(java.weak_references == 0);
    forget_agent_for_test();
  }
  bool load(const std::string& options) {
    agent = settle_agent(java.vm(), vm.interface, kVersion1_1,
                         "memory=16m,log=off,control=off," + options, {&note_analysis});
    return agent != nullptr;
  }
  bool idle() { return agent->engine().wait_idle(within(20 * kSecond)); }
};

}  // namespace

TEST_CASE("a data dump request becomes a report, before the VM runs it does not") {
  RunningAgent run;
  REQUIRE(run.load("dump=extended,cooldown=0"));
  run.vm.tell(kDataDumpRequest);
  CHECK(analyses == 0);
  run.vm.tell(kJvmInitDone);
  run.vm.tell(kJvmInitDone);
  run.vm.tell(kDataDumpRequest);
  REQUIRE(run.idle());
  CHECK(analyses == 1);
  CHECK(last_had_graph);
  CHECK(last_trigger == static_cast<int>(Trigger::kSignal));
  CHECK(last_vm == "Fake VM 1.4");
  CHECK(run.java.attached == 0);  // the VM's own thread needs no attaching
}

TEST_CASE("a simple dump wants a list of objects, and no more") {
  RunningAgent run;
  run.vm.refused_levels = {kDumpReferences, kDumpValues};
  REQUIRE(run.load("dump=simple"));
  run.vm.tell(kJvmInitDone);
  run.vm.tell(kDataDumpRequest);
  REQUIRE(run.idle());
  CHECK(analyses == 1);
  CHECK(!last_had_graph);
}

TEST_CASE("a VM that tells nothing gets no report, and runs on") {
  RunningAgent run;
  run.vm.refused_levels = {kDumpIds, kDumpReferences, kDumpValues};
  REQUIRE(run.load("dump=extended"));
  run.vm.tell(kJvmInitDone);
  run.vm.tell(kDataDumpRequest);
  REQUIRE(run.idle());
  CHECK(analyses == 0);
  CHECK(run.agent->engine().totals().failed == 1);
}

TEST_CASE("a VM that makes no thread gets one of ours, which it attaches") {
  RunningAgent run;
  run.vm.refuses_threads = true;
  REQUIRE(run.load("dump=simple"));
  int reports = 1;
  int daemons = 1;
  SUBCASE("as a daemon, and lets go in the end") {}
  SUBCASE("also where the function is not there") { run.vm.interface.CreateSystemThread = nullptr; }
  SUBCASE("which before Java 1.4 cannot be one") {
    run.java.newest_jni = JNI_VERSION_1_2;
    daemons = 0;
  }
  SUBCASE("or not even that: no dump") {
    run.java.refuse_attach = true;
    reports = daemons = 0;
  }
  run.vm.tell(kJvmInitDone);
  run.vm.tell(kDataDumpRequest);
  REQUIRE(run.idle());
  CHECK(analyses == reports);
  CHECK(run.java.attached == reports);
  CHECK(run.java.daemons == daemons);
}

TEST_CASE("a VM that has parts of the interface alone is left alone") {
  RunningAgent run;
  JVMPI_Interface& table = run.vm.interface;
  SUBCASE("no requests") { table.RequestEvent = nullptr; }
  SUBCASE("a collector that cannot be held") { table.DisableGC = nullptr; }
  CHECK_FALSE(run.load("dump=simple"));
}

TEST_CASE("a VM that leaves out last values is read twice the first time, and once from then on") {
  RunningAgent run;
  run.vm.tails_unwritten = true;
  REQUIRE(run.load("dump=extended,capture=objects,cooldown=0"));
  run.vm.tell(kJvmInitDone);
  for (const int lists : {2, 3}) {
    run.vm.tell(kDataDumpRequest);
    REQUIRE(run.idle());
    CHECK(last_had_graph);
    CHECK(run.vm.asked[kHeapDump] == 2 * lists);  // each with its roots
  }
  CHECK(analyses == 2);
  CHECK(run.vm.strangers == 0);
}

TEST_CASE("an end that is told once more, while its dump runs, lets it run") {
  RunningAgent run;
  REQUIRE(run.load("on=exit,dump=simple"));
  run.vm.tell(kJvmInitDone);
  std::thread other;
  std::atomic<bool> came_back{false};
  run.vm.while_listing = [&] {
    other = std::thread([&] {
      run.vm.tell(kJvmShutDown);
      came_back = true;
    });
    platforms::sleep_ns(kSecond / 5);
    CHECK(!came_back);
  };
  run.vm.shut_down();
  CHECK(analyses == 1);
  other.join();
}

TEST_CASE("start and exit are triggers, and after the exit nothing of the VM is called") {
  RunningAgent run;
  REQUIRE(run.load("on=start+exit,dump=simple,cooldown=0"));
  run.vm.tell(kJvmInitDone);
  REQUIRE(run.idle());
  CHECK(last_trigger == static_cast<int>(Trigger::kStart));
  run.vm.shut_down();
  CHECK(analyses == 2);
  CHECK(last_trigger == static_cast<int>(Trigger::kExit));
  run.vm.tell(kDataDumpRequest);
  run.vm.tell(kJvmShutDown);
  CHECK(analyses == 2);
}

TEST_CASE("collections are heard only by whom they are asked for") {
  RunningAgent run;
  SUBCASE("nobody") {
    REQUIRE(run.load("on=signal"));
    CHECK(!run.vm.enabled.contains(kGcFinish));
  }
  SUBCASE("a trigger") {
    REQUIRE(run.load("on=gc"));
    CHECK(run.vm.enabled.contains(kGcStart));
    CHECK(run.vm.enabled.contains(kGcFinish));
    run.vm.tell(kJvmInitDone);
    run.vm.tell(kGcStart);
    run.vm.tell(kGcFinish);
    run.vm.tell(kGcFinish);  // twice
    CHECK(run.agent->engine().adapter().collections().young == 2);
    CHECK(run.idle());
  }
  SUBCASE("a trigger, and the VM does not tell") {
    run.vm.refused_events = {kGcStart};
    REQUIRE(run.load("on=gc"));
  }
}

TEST_CASE("wrong options, or events that are not told, leave the VM alone") {
  RunningAgent run;
  SUBCASE("an option that is none") {
    CHECK(!run.load("nonsense=1"));
    CHECK((run.vm.interface.NotifyEvent == nullptr));
  }
  SUBCASE("a directory that is not there") { CHECK(!run.load("dir=/no/such/place")); }
  SUBCASE("another process is wanted") { CHECK(!run.load("only=another")); }
  SUBCASE("no event of the VM's life") {
    run.vm.refused_events = {kJvmInitDone};
    CHECK(!run.load("on=signal"));
  }
}

TEST_CASE("without a signal's event everything else works") {
  RunningAgent run;
  run.vm.refused_events = {kDataDumpRequest};
  REQUIRE(run.load("on=start,dump=simple"));
  run.vm.tell(kJvmInitDone);
  REQUIRE(run.idle());
  CHECK(analyses == 1);
}

TEST_CASE("what JVMPI does not tell is left out") {
  RunningAgent run;
  REQUIRE(run.load("accounts=*,ages=on,track=on,on=signal"));
  CHECK(!samples_objects(run.agent->options()));
  CHECK(!run.agent->options().track);
}

TEST_CASE("-Xrun a second time changes nothing") {
  RunningAgent run;
  REQUIRE(run.load("on=signal,dump=simple"));
  auto* const handler = run.vm.interface.NotifyEvent;
  CHECK(settle_agent(run.java.vm(), run.vm.interface, kVersion1_1, "on=off", {&note_analysis}) ==
        nullptr);
  CHECK((run.vm.interface.NotifyEvent == handler));
  run.vm.tell(kJvmInitDone);
  run.vm.tell(kDataDumpRequest);
  REQUIRE(run.idle());
  CHECK(analyses == 1);
}

TEST_CASE("a VM that ends while a dump runs is not called any more") {
  RunningAgent run;
  REQUIRE(run.load("on=signal,dump=extended,exit-wait=100ms"));
  run.vm.tell(kJvmInitDone);
  hold_analysis = true;
  run.vm.tell(kDataDumpRequest);
  CHECK(run.agent->engine().wait_captured(within(20 * kSecond)));
  run.vm.shut_down();
  CHECK(analyses == 0);
}

TEST_CASE(
    "the interface is asked for at the door, and never again: that would undo what was enabled") {
  RunningAgent run;
  char options[] = "memory=16m,log=off,control=off,on=signal,dump=simple";
  SUBCASE("version 1.1") {}
  SUBCASE("version 1.0") { run.java.newest_jvmpi = kVersion1; }
  const int weak = run.java.newest_jvmpi == kVersion1 ? 0 : 1;
  REQUIRE(JVM_OnLoad(&run.java.vm(), options, nullptr) == JNI_OK);
  run.vm.tell(kJvmInitDone);
  const auto attached = [&] {
    return run.java.global_references == 1 && run.java.weak_references == weak;
  };
  CHECK(platforms::comes_true(attached));
  platforms::sleep_ns(kSecond / 20);
  CHECK(run.vm.enabled.contains(kJvmShutDown));
  CHECK(run.vm.enabled.contains(kDataDumpRequest));
  REQUIRE(JVM_OnLoad(&run.java.vm(), options, nullptr) == JNI_OK);  // a second -Xrun
  CHECK(run.vm.enabled.contains(kJvmShutDown));
}

TEST_CASE("the door of -Xrun always lets the VM go on") {
  FakeVm vm;
  FakeJava java(nullptr);
  CHECK(JVM_OnLoad(&java.vm(), nullptr, nullptr) == JNI_OK);
  FakeJava old(&vm.interface);
  char wrong[] = "nonsense=1";
  CHECK(JVM_OnLoad(&old.vm(), wrong, nullptr) == JNI_OK);
  CHECK((vm.interface.NotifyEvent == nullptr));
}
