#include "common/agent_services.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "common/log.h"

namespace holdfast {

namespace {

// Triggers that are events of the VM or of a person, as `status` shows them.
struct EventTrigger {
  Trigger trigger;
  std::uint32_t bit;
  std::string_view state;
};
constexpr EventTrigger kEvents[] = {
    {Trigger::kSignal, kOnSignal, "waits for SIGQUIT or a data-dump request"},
    {Trigger::kOom, kOnOom, "waits for an OutOfMemoryError"},
    {Trigger::kExit, kOnExit, "waits for the end"},
    {Trigger::kStart, kOnStart, "is over"}};

}  // namespace

void AgentServices::open(DumpEngine& engine, const Options& options,
                         void (*detach)(void* context) noexcept, void* context) noexcept {
  engine_ = &engine;
  detach_ = detach;
  detach_context_ = context;
  triggers_.hear_outcomes(engine);
  if (!growth_.open(engine))
    log_line(LogLevel::kError, "on=growth cannot work: the system refuses address space for it");
  ages_on_ = options.ages != AgesChoice::kOff;
  if (ages_on_ && !ages_.open(engine))
    log_line(LogLevel::kError, "ages= cannot work: the system refuses address space for it");
  control::ControlCalls calls;
  calls.context = this;
  calls.triggers = [](void* self, std::span<control::TriggerState> out) noexcept {
    return static_cast<AgentServices*>(self)->trigger_states(out);
  };
  calls.changed = [](void* self, const Options& changed) noexcept {
    static_cast<AgentServices*>(self)->arm(changed);
  };
  if (detach_ != nullptr)
    calls.detach_requested = [](void* self) noexcept {
      auto& services = *static_cast<AgentServices*>(self);
      services.detach_(services.detach_context_);
    };
  if (const Result<void> opened = control_.open(engine, options, calls); !opened) {
    const std::string_view why = error_text(opened.error().code);
    log_line(LogLevel::kInfo, "no control socket: %.*s", static_cast<int>(why.size()), why.data());
  }
}

void AgentServices::start(const Options& options) noexcept {
  triggers_.open(*engine_);
  arm(options);
  if (ages_on_) ages_.start();
  control_.start();
}

void AgentServices::arm(const Options& options) noexcept {
  triggers_.arm(options);
  growth_.arm((options.on & kOnGrowth) != 0);
}

void AgentServices::stop_triggers() noexcept {
  triggers_.close();
  growth_.close();
  if (ages_on_) ages_.close();
}

void AgentServices::close() noexcept {
  stop_triggers();
  control_.close();
}

// What on= names, and what had to do with a dump although it is not named now.
std::size_t AgentServices::event_states(std::span<control::TriggerState> out) const noexcept {
  const Options options = engine_->options();
  std::size_t count = 0;
  for (const EventTrigger& event : kEvents) {
    const TriggerCounts counts = engine_->trigger_counts(event.trigger);
    const bool armed = (options.on & event.bit) != 0;
    if (count == out.size() || (!armed && counts.fired == 0)) continue;
    const char* own = engine_->adapter().trigger_state(event.trigger, options);
    const std::string_view state = own != nullptr ? own : event.state;
    out[count++] = {trigger_name(event.trigger), armed ? "on" : "off",
                    armed ? state : std::string_view{}, counts.fired, counts.refused};
  }
  return count;
}

// What there is to say of a trigger in this VM alone.
void AgentServices::add_own_words(TriggerFacts& facts) const noexcept {
  const char* own = engine_->adapter().trigger_state(facts.trigger, engine_->options());
  if (own == nullptr) return;
  const std::size_t length = std::strlen(facts.state);
  std::snprintf(facts.state + length, sizeof facts.state - length, "; %s", own);
}

std::size_t AgentServices::trigger_states(std::span<control::TriggerState> out) noexcept {
  std::size_t count = event_states(out);
  const std::size_t periodic = triggers_.states(facts_);
  for (std::size_t i = 0; i < periodic && count < out.size(); ++i) {
    add_own_words(facts_[i]);
    out[count++] = {trigger_name(facts_[i].trigger), facts_[i].setting, facts_[i].state,
                    facts_[i].counts.fired, facts_[i].counts.refused};
  }
  if (ages_on_ && count < out.size()) {
    const std::size_t length = ages_.describe(ages_text_);
    out[count++] = {"ages", "on", {ages_text_, length}, 0, 0};
  }
  if ((engine_->options().on & kOnGrowth) == 0 || count == out.size()) return count;
  const std::size_t length = growth_.describe(growth_text_);
  const TriggerCounts counts = engine_->trigger_counts(Trigger::kGrowth);
  out[count++] = {trigger_name(Trigger::kGrowth),
                  "on",
                  {growth_text_, std::min(length, std::size(growth_text_))},
                  counts.fired,
                  counts.refused};
  return count;
}

}  // namespace holdfast
