#include "jvmti/agent_place.h"

#include <atomic>
#include <new>

#include "common/log.h"
#include "platforms/clock.h"
#include "platforms/thread.h"

namespace holdfast::jvmti {

namespace {

constexpr std::size_t kLeaveStackBytes = std::size_t{256} << 10;
constexpr std::uint64_t kLookNs = 1'000'000;  // how often those who wait look again

alignas(Agent) std::byte place[sizeof(Agent)];
std::atomic<Agent*> settled{nullptr};
std::atomic<Agent*> leaving{nullptr};
std::atomic<std::uint32_t> visitors{0};

void wait_for_visitors() noexcept {
  while (visitors.load() != 0) platforms::sleep_ns(kLookNs);
}

void run_leaving(void*) noexcept {
  Agent& agent = *leaving.load();
  if (!agent.leave()) {
    // It stays where it is, and answers events as one that is closed.
    settled.store(&agent);
    leaving.store(nullptr);
    return;
  }
  wait_for_visitors();
  agent.~Agent();
  log_line(LogLevel::kInfo, "detached");
  close_log();
  leaving.store(nullptr);
}

}  // namespace

// Sequentially consistent, all of it: a visitor that still sees the agent has been counted before `settled` was emptied.
AgentVisit::AgentVisit() noexcept { visitors.fetch_add(1); }
AgentVisit::~AgentVisit() { visitors.fetch_sub(1); }

Agent* settled_agent() noexcept { return settled.load(); }

Agent* settle_agent(JavaVM& vm, std::string_view options, const AgentTools& tools) noexcept {
  auto* const agent = new (static_cast<void*>(place)) Agent(tools);
  // Settled before it is loaded: an attached agent is ready, and may be told to leave, before load() returns.
  settled.store(agent);
  if (agent->load(vm, options)) return agent;
  settled.store(nullptr);
  agent->~Agent();
  return nullptr;
}

bool begin_leaving() noexcept {
  Agent* agent = settled.load();
  Agent* nobody = nullptr;
  if (agent == nullptr || !leaving.compare_exchange_strong(nobody, agent)) return false;
  settled.store(nullptr);
  platforms::Thread thread;
  if (thread.start("hf-leave", kLeaveStackBytes, &run_leaving, nullptr) == 0) {
    thread.detach();
    return true;
  }
  settled.store(agent);
  leaving.store(nullptr);
  return false;
}

bool wait_place_free(std::uint64_t deadline_ns) noexcept {
  while (settled.load() != nullptr || leaving.load() != nullptr) {
    if (settled.load() != nullptr || platforms::monotonic_ns() >= deadline_ns) return false;
    platforms::sleep_ns(kLookNs);
  }
  return true;
}

void forget_agent_for_test() noexcept { settled.store(nullptr); }

}  // namespace holdfast::jvmti
