#include "jvmti/agent.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "common/arena_for_test.h"
#include "common/log.h"
#include "jvmti/agent_place.h"
#include "jvmti/fake_vm.h"
#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
std::uint64_t within(std::uint64_t ns) { return platforms::monotonic_ns() + ns; }

// What the analysis saw, and what would have ended the process.
std::atomic<int> analyses{0};
std::atomic<int> last_trigger{-1};
std::atomic<bool> last_had_graph{false};
std::atomic<bool> hold_analysis{false};
std::atomic<int> ended_with{-1};

Result<AnalysisOutcome> note_analysis(AnalysisInput& input) noexcept {
  while (hold_analysis)
    if (auto live = input.cancel.check(); !live) return live.error();
  last_trigger = static_cast<int>(input.record.request.trigger);
  last_had_graph = input.capture.has_graph;
  ++analyses;
  return AnalysisOutcome{};
}
void note_end(int status) noexcept { ended_with = status; }
const void* no_symbol(const char*) noexcept { return nullptr; }

struct RunningAgent {
  FakeVm vm;
  std::unique_ptr<Agent> agent;

  RunningAgent() {
    analyses = 0;
    last_trigger = -1;
    hold_analysis = false;
    ended_with = -1;
    agent = std::make_unique<Agent>(AgentTools{{&note_analysis}, &note_end, &no_symbol});
    const std::uint32_t object = vm.add_object(vm.object_class);
    vm.add_root({JVMTI_HEAP_REFERENCE_JNI_GLOBAL, object});
  }
  ~RunningAgent() {
    hold_analysis = false;
    vm.death();
    agent.reset();
    CHECK(open_log(LogLevel::kError, "").ok());
  }
  bool load(const std::string& options) {
    return agent->load(vm.vm(), "memory=16m,log=off," + options);
  }
  bool idle() { return agent->engine().wait_idle(within(20 * kSecond)); }
};

}  // namespace

TEST_CASE("a signal becomes a report, before VM init nothing does") {
  RunningAgent run;
  REQUIRE(run.load("dump=extended"));
  run.vm.phase = JVMTI_PHASE_LIVE;
  run.vm.data_dump_request();
  CHECK(run.agent->command("dump=simple") == 1);
  run.vm.init();
  run.vm.data_dump_request();
  REQUIRE(run.idle());
  CHECK(analyses == 1);
  CHECK(last_trigger == static_cast<int>(Trigger::kSignal));
  CHECK(last_had_graph);
  run.vm.death();
  CHECK(run.agent->command("dump=simple") == 1);
  CHECK(run.vm.environments() == 1);  // the long-lived one goes with the VM
}

TEST_CASE("commands override what they name, and wrong ones say so") {
  RunningAgent run;
  REQUIRE(run.load("dump=extended"));
  run.vm.init();
  CHECK(run.agent->command("dump=simple") == 0);
  REQUIRE(run.idle());
  CHECK_FALSE(last_had_graph);
  CHECK(last_trigger == static_cast<int>(Trigger::kCommand));
  CHECK(run.agent->command("capture=walk") == 0);
  REQUIRE(run.idle());
  CHECK(last_had_graph);
  CHECK(run.agent->command("dir=/tmp") == 2);
  CHECK(run.agent->command("dump=all") == 2);
  CHECK(run.agent->command("help") == 0);
}

TEST_CASE("options that are wrong leave the agent off and the VM untouched") {
  for (const char* options :
       {"colour=red", "pause=soon", "dir=/no/such/place", "memory=3k",
        "log=info:/no/such/place/log", "only=another,dir=/no/such/place", "help"}) {
    CAPTURE(options);
    RunningAgent run;
    CHECK_FALSE(run.agent->load(run.vm.vm(), options));
    run.vm.init();
    run.vm.data_dump_request();
    CHECK(analyses == 0);
    CHECK(run.vm.environments() == 0);
    CHECK(run.vm.memory_blocks == 0);
  }
}

TEST_CASE("a VM that refuses what the agent needs leaves it off") {
  for (const char* call :
       {"GetEnv", "GetPotentialCapabilities", "AddCapabilities", "SetEnvironmentLocalStorage",
        "SetEventCallbacks", "SetEventNotificationMode"}) {
    CAPTURE(call);
    RunningAgent run;
    run.vm.fail(call, JVMTI_ERROR_INTERNAL);
    CHECK_FALSE(run.load(""));
    CHECK(run.vm.environments() == 0);
  }
}

TEST_CASE(
    "an OutOfMemoryError of any kind is captured while its thread waits; one in our own thread is "
    "not") {
  RunningAgent run;
  REQUIRE(run.load("cooldown=0"));
  run.vm.init();
  run.vm.resource_exhausted(JVMTI_RESOURCE_EXHAUSTED_OOM_ERROR |
                            JVMTI_RESOURCE_EXHAUSTED_JAVA_HEAP);
  CHECK(run.vm.walks == 1);  // seen before the callback returned
  REQUIRE(run.idle());
  CHECK(last_trigger == static_cast<int>(Trigger::kOom));
  run.vm.resource_exhausted(JVMTI_RESOURCE_EXHAUSTED_THREADS);
  CHECK(run.vm.walks == 2);
  REQUIRE(run.idle());
  CHECK(analyses == 2);
  CHECK(run.agent->ignored_exhaustions() == 0);
  CHECK(ended_with == -1);
}

TEST_CASE("then=exit ends the process after the report of an OutOfMemoryError") {
  RunningAgent run;
  REQUIRE(run.load("then=exit"));
  run.vm.init();
  run.vm.resource_exhausted(JVMTI_RESOURCE_EXHAUSTED_OOM_ERROR |
                            JVMTI_RESOURCE_EXHAUSTED_JAVA_HEAP);
  CHECK(analyses == 1);
  CHECK(ended_with == 3);
}

TEST_CASE("on=start dumps at VM init, on=exit before the VM dies") {
  RunningAgent run;
  REQUIRE(run.load("on=start+exit"));
  run.vm.init();
  REQUIRE(run.idle());
  CHECK(analyses == 1);
  CHECK(last_trigger == static_cast<int>(Trigger::kStart));
  run.vm.data_dump_request();  // not asked for
  run.vm.resource_exhausted(JVMTI_RESOURCE_EXHAUSTED_JAVA_HEAP);
  run.vm.death();
  CHECK(analyses == 2);
  CHECK(last_trigger == static_cast<int>(Trigger::kExit));
}

TEST_CASE("a VM that dies does not wait for an analysis longer than exit-wait") {
  RunningAgent run;
  REQUIRE(run.load("exit-wait=50ms"));
  run.vm.init();
  hold_analysis = true;
  run.vm.data_dump_request();
  REQUIRE(run.agent->engine().wait_captured(within(20 * kSecond)));
  const std::uint64_t began = platforms::monotonic_ns();
  run.vm.death();
  CHECK(platforms::monotonic_ns() - began < 5 * kSecond);
  CHECK(analyses == 0);
}

TEST_CASE(
    "a process that exits without VM death waits for a running dump, and not longer than "
    "exit-wait") {
  RunningAgent run;
  REQUIRE(run.load("exit-wait=200ms"));
  run.agent->process_exit();  // before VM init there is nothing to wait for
  run.vm.init();
  run.vm.data_dump_request();
  run.agent->process_exit();
  CHECK(analyses == 1);
  hold_analysis = true;
  run.vm.data_dump_request();
  const std::uint64_t began = platforms::monotonic_ns();
  run.agent->process_exit();
  CHECK(platforms::monotonic_ns() - began >= kSecond / 5);
  CHECK(platforms::monotonic_ns() - began < 5 * kSecond);
  hold_analysis = false;
}

TEST_CASE("two dumps asked at once by many threads are few, and none is lost") {
  RunningAgent run;
  REQUIRE(run.load(""));
  run.vm.init();
  std::atomic<int> accepted{0};
  std::vector<std::thread> askers;
  askers.reserve(4);
  for (int i = 0; i < 4; ++i)
    askers.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        run.vm.data_dump_request();
        accepted += run.agent->command("dump=simple") == 0 ? 1 : 0;
      }
    });
  for (std::thread& asker : askers) asker.join();
  REQUIRE(run.idle());
  CHECK(accepted == 80);
  CHECK(analyses >= 1);
  CHECK(analyses <= 161);
}

TEST_CASE("dumps race with the VM's death") {
  for (int round = 0; round < 20; ++round) {
    RunningAgent run;
    REQUIRE(run.load(""));
    run.vm.init();
    std::thread asker([&] {
      for (int k = 0; k < 5; ++k) run.vm.data_dump_request();
    });
    run.vm.death();
    asker.join();
    CHECK(run.vm.local_references == 0);
  }
}

TEST_CASE("at start-up a second instance is ignored, and once loaded an attach is a command") {
  FakeVm vm;
  std::string options = "memory=16m,log=off,on=signal,dir=/tmp";
  CHECK(Agent_OnLoad(&vm.vm(), options.data(), nullptr) == JNI_OK);
  Agent* first = settled_agent();
  REQUIRE(first != nullptr);
  CHECK(Agent_OnLoad(&vm.vm(), options.data(), nullptr) == JNI_OK);
  CHECK(settled_agent() == first);
  CHECK(vm.environments() == 1);
  std::string command = "dump=huge";
  CHECK(Agent_OnAttach(&vm.vm(), command.data(), nullptr) == 2);
  CHECK(Agent_OnAttach(&vm.vm(), nullptr, nullptr) == 2);
  vm.phase = JVMTI_PHASE_LIVE;
  vm.death();
  Agent_OnUnload(&vm.vm());
  forget_agent_for_test();
}

TEST_CASE("wrong options at start-up let the application start, at an attach they are an error") {
  FakeVm vm;
  std::string options = "log=off,colour=red";
  CHECK(Agent_OnLoad(&vm.vm(), options.data(), nullptr) == JNI_OK);
  CHECK(settled_agent() == nullptr);
  vm.phase = JVMTI_PHASE_LIVE;
  CHECK(Agent_OnAttach(&vm.vm(), options.data(), nullptr) == JNI_ERR);
  CHECK(settled_agent() == nullptr);
  std::string right = "memory=16m,log=off,dir=/tmp,on=off";
  CHECK(Agent_OnAttach(&vm.vm(), right.data(), nullptr) == JNI_OK);
  CHECK(settled_agent() != nullptr);
  vm.death();
  forget_agent_for_test();
}

TEST_CASE("collections are listened to while a trigger wants them, and only then") {
  RunningAgent run;
  REQUIRE(run.load("on=off"));
  run.vm.init();
  CHECK(run.vm.garbage_collection_finish() == 0);
  const auto listens = [&](const std::string& text, int wanted) {
    Options options = run.agent->engine().options();
    OptionError error;
    REQUIRE(parse_options(text, options, error));
    run.agent->engine().change_options(options);
    run.agent->services().arm(options);
    const std::uint64_t until = within(10 * kSecond);
    while (run.vm.garbage_collection_finish() != wanted)
      if (platforms::monotonic_ns() > until) return false;
    return true;
  };
  CHECK(listens("heap-above=85%", 1));
  CHECK(listens("heap-above=off", 0));
  CHECK(listens("on=gc", 1));
  CHECK(listens("on=growth", 1));
  CHECK(listens("on=signal", 0));
  run.vm.data_dump_request();
  REQUIRE(run.idle());
  CHECK(analyses == 1);  // this VM counts nothing, so no collection has fired
}

TEST_CASE("accounts sample from VM init until the agent ends, and take nothing when they are off") {
  RunningAgent off;
  REQUIRE(off.load(""));
  CHECK(off.vm.sampling_owner == nullptr);
  CHECK(off.vm.environments() == 1);
  RunningAgent run;
  REQUIRE(run.load("accounts=shop.*,sample=64k"));
  CHECK(run.vm.sampling_interval == 65536);
  run.vm.stack = {run.vm.add_method(run.vm.add_class("Lshop/Cart;"), "add")};
  const std::uint32_t main_thread = run.vm.add_thread("main", 1);
  const std::uint32_t object = run.vm.add_object(run.vm.string_class);
  JNIEnv* jni = nullptr;
  REQUIRE(run.vm.vm().GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_1_6) == JNI_OK);
  const auto samples = [&] {
    run.vm.sample(*jni, main_thread, object);
    TestArena room;
    const auto figures = run.agent->accounts().read(room.arena());
    REQUIRE(figures.ok());
    return figures->rows.empty() ? 0 : figures->rows[0].samples;
  };
  run.vm.phase = JVMTI_PHASE_LIVE;
  CHECK(samples() == 0);
  run.vm.init();
  CHECK(samples() == 1);
  CHECK(samples() == 2);
  run.vm.death();
  CHECK(samples() == 2);
}

TEST_CASE("an agent that gets no sampling has no accounts, and does everything else") {
  for (const bool old : {false, true}) {
    CAPTURE(old);
    RunningAgent run;
    if (old)
      run.vm.newest_tool_version = JVMTI_VERSION_1_2;
    else
      run.vm.sampling_owner = &run;
    REQUIRE(run.load("accounts=shop.*"));
    CHECK_FALSE(run.agent->accounts().is_open());
    CHECK(run.vm.environments() == 1);
    run.vm.init();
    run.vm.data_dump_request();
    REQUIRE(run.idle());
    CHECK(analyses == 1);
  }
}
