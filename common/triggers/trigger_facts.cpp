// What `status` says of each armed trigger.
#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "common/time_units.h"
#include "common/triggers/triggers.h"
#include "platforms/clock.h"

namespace holdfast {

namespace {

template <std::size_t N>
void say(char (&out)[N], const char* text) noexcept {
  std::snprintf(out, N, "%s", text);
}

template <std::size_t N>
void say_period(char (&out)[N], std::uint64_t ns) noexcept {
  const std::uint64_t ms = ns / kNsPerMs;
  if (ms % 1000 == 0)
    std::snprintf(out, N, "%" PRIu64 "s", ms / 1000);
  else
    std::snprintf(out, N, "%" PRIu64 "ms", ms);
}

struct OnBit {
  std::uint32_t bit;
  Trigger trigger;
};
// What comes as an event of its own is told by who hears it (agent_services.h).
constexpr OnBit kOnBits[] = {{kOnGc, Trigger::kGc}};

// "fired at 87 %, again at 92 % or once it has been at 80 %"
template <std::size_t N>
void say_spent(char (&out)[N], const LevelTrigger& trigger) noexcept {
  std::snprintf(out, N, "fired at %u %%; again at %u %%, or after it was down to %u %%",
                trigger.fired_percent(), trigger.fired_percent() + LevelTrigger::kRearmPoints,
                trigger.rearms_below());
}

}  // namespace

void Triggers::describe_heap(TriggerFacts& facts) const noexcept {
  std::snprintf(facts.setting, sizeof facts.setting, "%u%%", heap_.threshold_percent());
  if (heap_source_ == HeapSource::kNone)
    return say(facts.state, "cannot work: the VM does not tell what collections leave");
  if (heap_.spent()) return say_spent(facts.state, heap_);
  if (heap_level_.in_doubt())
    return say(facts.state, "above, after collections of a part; waits for one of the whole heap");
  if (heap_floor_.in_doubt()) {
    std::snprintf(facts.state, sizeof facts.state,
                  "above: %u %% or less lives; waits for collections that leave as much",
                  heap_floor_.least_percent());
    return;
  }
  std::snprintf(facts.state, sizeof facts.state, "waits; %u %%%s at the last collection that told",
                heap_.last_percent(), heap_source_ == HeapSource::kFloor ? " or less" : "");
}

void Triggers::describe_cgroup(TriggerFacts& facts) const noexcept {
  std::snprintf(facts.setting, sizeof facts.setting, "%u%%", cgroup_.threshold_percent());
  if (fill_.limit_bytes == 0) return say(facts.state, "no limit");
  if (cgroup_.spent()) return say_spent(facts.state, cgroup_);
  std::snprintf(facts.state, sizeof facts.state, "waits; %" PRIu64 " of %" PRIu64 " MB held%s",
                fill_.held_bytes >> 20, fill_.limit_bytes >> 20,
                fill_.stalled ? ", tasks wait for memory" : "");
}

void Triggers::describe(TriggerFacts& facts) const noexcept {
  say(facts.setting, "on");
  say(facts.state, "waits");
  switch (facts.trigger) {
    case Trigger::kGc:
      if (!whole_known_) say(facts.state, "cannot work: the VM does not tell full collections");
      break;
    case Trigger::kPeriodic: {
      say_period(facts.setting, every_ns_);
      const std::uint64_t now_ns = platforms::monotonic_ns();
      std::snprintf(facts.state, sizeof facts.state, "next in %" PRIu64 " s",
                    (next_period_ns_ - std::min(next_period_ns_, now_ns)) / (1000 * kNsPerMs));
      break;
    }
    case Trigger::kHeapAbove:
      describe_heap(facts);
      break;
    case Trigger::kCgroupAbove:
      describe_cgroup(facts);
      break;
    default:
      break;
  }
}

std::size_t Triggers::states(std::span<TriggerFacts> out) const noexcept {
  std::size_t count = 0;
  {
    platforms::MutexLock lock(mutex_);
    const auto list = [&](bool armed, Trigger trigger) HF_REQUIRES(mutex_) {
      if (!armed || count == out.size()) return;
      out[count] = TriggerFacts{};
      out[count].trigger = trigger;
      describe(out[count++]);
    };
    for (const OnBit& on : kOnBits) list((on_ & on.bit) != 0, on.trigger);
    list(every_ns_ != 0, Trigger::kPeriodic);
    list(heap_.on(), Trigger::kHeapAbove);
    list(cgroup_.on(), Trigger::kCgroupAbove);
  }
  for (TriggerFacts& facts : out.first(count))
    facts.counts = engine_->trigger_counts(facts.trigger);
  return count;
}

}  // namespace holdfast
