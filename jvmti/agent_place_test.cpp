#include "jvmti/agent_place.h"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "common/log.h"
#include "jvmti/fake_vm.h"
#include "platforms/clock.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
std::uint64_t within(std::uint64_t ns) { return platforms::monotonic_ns() + ns; }

struct LiveVm {
  platforms::ScratchDirectory reports;
  FakeVm vm;
  LiveVm() {
    vm.phase = JVMTI_PHASE_LIVE;
    const std::uint32_t object = vm.add_object(vm.object_class);
    vm.add_root({JVMTI_HEAP_REFERENCE_JNI_GLOBAL, object});
  }
  jint attach(std::string options = "") {
    if (options.empty()) options = "memory=16m,log=off,on=signal,dir=" + reports.file("");
    return Agent_OnAttach(&vm.vm(), options.data(), nullptr);
  }
};

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("an agent leaves a VM that runs on, and another comes") {
  LiveVm live;
  std::size_t descriptors = 0;
  for (int round = 0; round < 5; ++round) {
    REQUIRE(live.attach() == JNI_OK);
    CHECK(live.vm.environments() == 1);
    REQUIRE(begin_leaving());
    REQUIRE(wait_place_free(within(10 * kSecond)));
    CHECK(settled_agent() == nullptr);
    CHECK(live.vm.environments() == 0);
    CHECK(live.vm.local_references == 0);
    live.vm.data_dump_request();  // nobody listens
    if (round == 0) descriptors = open_descriptors();
    CHECK(open_descriptors() == descriptors);
  }
}

TEST_CASE("an attach that comes while the agent leaves waits for it") {
  LiveVm live;
  REQUIRE(live.attach() == JNI_OK);
  REQUIRE(begin_leaving());
  CHECK_FALSE(begin_leaving());
  REQUIRE(live.attach() == JNI_OK);
  const AgentVisit visit;
  REQUIRE(settled_agent() != nullptr);
  live.vm.death();
  forget_agent_for_test();
}

TEST_CASE("events that are under way keep the agent until they are done") {
  for (int round = 0; round < 20; ++round) {
    LiveVm live;
    REQUIRE(live.attach() == JNI_OK);
    std::atomic<bool> stop{false};
    std::thread asker([&] {
      while (!stop) live.vm.data_dump_request();
    });
    REQUIRE(begin_leaving());
    CHECK(wait_place_free(within(10 * kSecond)));
    stop = true;
    asker.join();
  }
}

TEST_CASE("a VM that gives no further thread lets its agent go all the same") {
  LiveVm live;
  REQUIRE(live.attach() == JNI_OK);
  REQUIRE(live.attach("dump:simple") == 0);  // the capture thread has its place in the VM
  {
    const AgentVisit visit;
    REQUIRE(settled_agent()->engine().wait_idle(within(20 * kSecond)));
  }
  live.vm.fail("AttachCurrentThreadAsDaemon", JNI_ERR);
  REQUIRE(begin_leaving());
  CHECK(wait_place_free(within(10 * kSecond)));
  CHECK(live.vm.environments() == 0);
}

TEST_CASE("a VM that never gave a thread keeps its agent, which takes no dumps any more") {
  LiveVm live;
  live.vm.fail("AttachCurrentThreadAsDaemon", JNI_ERR);
  REQUIRE(live.attach() == JNI_OK);
  REQUIRE(begin_leaving());
  CHECK_FALSE(wait_place_free(within(10 * kSecond)));
  live.vm.forgive();
  {
    const AgentVisit visit;
    REQUIRE(settled_agent() != nullptr);
  }
  CHECK(live.attach("dump:simple") == 1);
  live.vm.death();
  forget_agent_for_test();
}

TEST_CASE("the VM's death and a detach at once end the agent once") {
  for (int round = 0; round < 20; ++round) {
    LiveVm live;
    REQUIRE(live.attach() == JNI_OK);
    std::thread killer([&] { live.vm.death(); });
    (void)begin_leaving();
    killer.join();
    (void)wait_place_free(within(10 * kSecond));
    forget_agent_for_test();
  }
}
