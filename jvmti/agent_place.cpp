#include "jvmti/agent_place.h"

namespace holdfast::jvmti {

namespace {

constinit AgentPlace<Agent> place;

}  // namespace

AgentVisit::AgentVisit() noexcept : visit_(place) {}

Agent* settled_agent() noexcept { return place.settled(); }

Agent* settle_agent(JavaVM& vm, std::string_view options, const AgentTools& tools) noexcept {
  return place.settle(tools, [&](Agent& agent) noexcept { return agent.load(vm, options); });
}

bool begin_leaving() noexcept { return place.begin_leaving(); }

bool wait_place_free(std::uint64_t deadline_ns) noexcept { return place.wait_free(deadline_ns); }

void forget_agent_for_test() noexcept { place.forget_for_test(); }

}  // namespace holdfast::jvmti
