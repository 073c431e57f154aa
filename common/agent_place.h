// The one agent of this process: its place, who is inside it at the moment, and how it leaves a VM that runs on.
// Why a place: it is never given back. At exit() a thread of ours may still be inside; and a VM's callback may have begun just
//      before the agent was taken out, so whoever goes in counts itself first (Visit), and leaving waits until nobody is in.
// Shape:  empty -> settled -> leaving -> empty; from the VM's death on it stays as it is. `Agent` has bool leave().
// Zone:   event (load, attach, VM callbacks, exit). begin_leaving(): worker; what follows runs on a thread of its own.
// Errors: settle() answers nullptr when `load` does, which has said why, or when somebody is settled or settling. begin_leaving() answers
//         false when the agent is leaving already or the system gives no thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>

#include "common/log.h"
#include "platforms/clock.h"
#include "platforms/thread.h"

namespace holdfast {

template <class Agent>
class AgentPlace {
 public:
  // While one lives, the agent is not taken away.
  class Visit {
   public:
    // Sequentially consistent, all of it: a visitor that still sees the agent has been counted before `settled` was emptied.
    explicit Visit(AgentPlace& place) noexcept : visitors_(place.visitors_) {
      visitors_.fetch_add(1);
    }
    ~Visit() { visitors_.fetch_sub(1); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    std::atomic<std::uint32_t>& visitors_;
  };

  // Hold a Visit; nullptr: nobody is settled, or it is leaving.
  Agent* settled() noexcept { return settled_.load(); }

  // `load(agent)` answers whether it stays.
  template <class Tools, class Load>
  Agent* settle(const Tools& tools, Load load) noexcept {
    // Who starts late, and somebody who attaches at that moment: the second finds the place taken.
    if (settling_.exchange(true)) return nullptr;
    Agent* const agent = settled_.load() == nullptr ? settle_alone(tools, load) : nullptr;
    settling_.store(false);
    return agent;
  }

  bool begin_leaving() noexcept {
    Agent* agent = settled_.load();
    Agent* nobody = nullptr;
    if (agent == nullptr || !leaving_.compare_exchange_strong(nobody, agent)) return false;
    settled_.store(nullptr);
    platforms::Thread thread;
    if (thread.start("hf-leave", kLeaveStackBytes, &AgentPlace::run_leaving, this) == 0) {
      thread.detach();
      return true;
    }
    settled_.store(agent);
    leaving_.store(nullptr);
    return false;
  }

  // Until nobody is settled and nobody is leaving. False: not before the deadline (monotonic).
  bool wait_free(std::uint64_t deadline_ns) noexcept {
    while (settled_.load() != nullptr || leaving_.load() != nullptr) {
      if (settled_.load() != nullptr || platforms::monotonic_ns() >= deadline_ns) return false;
      platforms::sleep_ns(kLookNs);
    }
    return true;
  }

  void forget_for_test() noexcept {
    if (Agent* const agent = settled_.exchange(nullptr)) agent->give_log_back();
  }

 private:
  template <class Tools, class Load>
  Agent* settle_alone(const Tools& tools, Load load) noexcept {
    auto* const agent = new (static_cast<void*>(place_)) Agent(tools);
    // Settled before it is loaded: an attached agent is ready, and may be told to leave, before load() returns.
    settled_.store(agent);
    if (load(*agent)) return agent;
    settled_.store(nullptr);
    agent->~Agent();
    return nullptr;
  }

  static constexpr std::size_t kLeaveStackBytes = std::size_t{256} << 10;
  static constexpr std::uint64_t kLookNs = 1'000'000;  // how often those who wait look again

  static void run_leaving(void* place) noexcept { static_cast<AgentPlace*>(place)->leave(); }

  void leave() noexcept {
    Agent& agent = *leaving_.load();
    if (!agent.leave()) {
      // It stays where it is, and answers events as one that is closed.
      settled_.store(&agent);
      leaving_.store(nullptr);
      return;
    }
    while (visitors_.load() != 0) platforms::sleep_ns(kLookNs);
    log_line(LogLevel::kInfo, "detached");
    agent.give_log_back();
    agent.~Agent();
    leaving_.store(nullptr);
  }

  alignas(Agent) std::byte place_[sizeof(Agent)] = {};
  std::atomic<bool> settling_{false};
  std::atomic<Agent*> settled_{nullptr};
  std::atomic<Agent*> leaving_{nullptr};
  std::atomic<std::uint32_t> visitors_{0};
};

}  // namespace holdfast
