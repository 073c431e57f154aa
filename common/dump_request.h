// One request for a dump, and what the gate decided about it: the only place where triggers are merged or refused.
// Why one place: every VM, every trigger and every later trigger obeys the same rules, and the report can name them.
// Shape:  DumpGate holds at most one waiting request; a second one is merged into it (the richer kind wins:
//         simple < auto < extended). Requests by a person, the first OutOfMemoryError's, and the last one of an exiting VM
//         pass the cooldown and wait while a dump is running; others are refused then. (Of errors of the heap and of others the first one
//         each: a library that tries how long an array may be takes nothing from the error of a full heap.)
//         A periodic dump has its own pace: it
//         neither obeys the cooldown nor starts it, or every=30s would hold back what matters. Counters never wrap in practice
//         (32 bit).
// Zone:   offer() in event and worker, under the engine's lock.   Errors: none, a GateAnswer says what happened.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/file_name.h"
#include "common/notes.h"
#include "common/options.h"

namespace holdfast {

enum class Trigger : std::uint8_t {
  kSignal,
  kOom,
  kExit,
  kGc,
  kStart,
  kPeriodic,
  kCommand,
  kHeapAbove,
  kCgroupAbove,
  kGrowth
};
inline constexpr std::size_t kTriggerCount = 10;
std::string_view trigger_name(Trigger trigger) noexcept;  // "signal", "oom", ...
bool trigger_by_person(Trigger trigger) noexcept;         // signal and command

// In DumpRequest::analyses, beside AnalysisBits: those of the option as well.
inline constexpr std::uint32_t kAnalysesOfOption = 1u << 31;

struct DumpRequest {
  Trigger trigger = Trigger::kSignal;
  DumpKind kind = DumpKind::kAuto;
  CaptureChoice capture = CaptureChoice::kAuto;
  std::uint64_t pause_limit_ns = 0;  // 0: the option's
  std::uint32_t analyses = kAnalysesOfOption;
  bool then_exit = false;
  bool beside_heap = false;  // an OutOfMemoryError of metaspace, threads or an array's length
  bool snapshot = false;
  std::uint64_t asked_at_ns = 0;          // monotonic
  std::uint32_t merged = 0;               // further requests that this one answers
  std::uint32_t number = 0;               // of the engine's, from 1 (dump_progress.h)
  char file[kMaxFileName + 1] = "";       // a name pattern in place of file=; empty: the option's
  char reason[Note::kMaxNoteBytes] = "";  // what a trigger found, for the report's notes; or empty
};

enum class GateAnswer : std::uint8_t { kAccepted, kMerged, kCooldown, kClosed };
std::string_view gate_answer_name(GateAnswer answer) noexcept;

struct GateCounts {
  std::uint32_t accepted = 0;
  std::uint32_t merged = 0;
  std::uint32_t refused_cooldown = 0;
  std::uint32_t refused_closed = 0;
};

// Of one trigger: accepted or merged, and within the cooldown, while a dump ran or while the gate was closed.
struct TriggerCounts {
  std::uint32_t fired = 0;
  std::uint32_t refused = 0;
};

class DumpGate {
 public:
  explicit DumpGate(std::uint64_t cooldown_ns = 0) noexcept : cooldown_ns_(cooldown_ns) {}
  GateAnswer offer(const DumpRequest& request) noexcept;
  bool take(DumpRequest& out) noexcept;  // the waiting request, which is now running
  void finished(std::uint64_t now_ns, bool cools = true) noexcept;  // starts the cooldown
  void open() noexcept { open_ = true; }                            // the VM is initialised
  void close() noexcept { open_ = false; }                          // the VM is dying
  void drop_waiting() noexcept;
  bool running() const noexcept { return running_; }
  bool waiting() const noexcept { return waiting_; }
  bool oom_waiting() const noexcept { return waiting_ && ooms_waiting_ != 0; }
  std::uint32_t waiting_number() const noexcept { return waiting_ ? next_.number : 0; }
  void set_cooldown(std::uint64_t cooldown_ns) noexcept { cooldown_ns_ = cooldown_ns; }
  const GateCounts& counts() const noexcept { return counts_; }
  TriggerCounts counts_of(Trigger trigger) const noexcept {
    return by_trigger_[static_cast<std::size_t>(trigger)];
  }

 private:
  GateAnswer decide(const DumpRequest& request) noexcept;
  std::uint64_t cooldown_ns_;
  std::uint64_t last_finished_ns_ = 0;
  bool ever_finished_ = false;
  // Bits: of the heap, of others.
  static std::uint32_t oom_bit(const DumpRequest& request) noexcept {
    return request.trigger != Trigger::kOom ? 0u : request.beside_heap ? 2u : 1u;
  }
  std::uint32_t ooms_accepted_ = 0;
  std::uint32_t ooms_waiting_ = 0;  // the waiting request is such an OutOfMemoryError's as well
  bool open_ = false;
  bool running_ = false;
  bool running_periodic_ = false;
  bool waiting_ = false;
  DumpRequest next_{};
  GateCounts counts_{};
  TriggerCounts by_trigger_[kTriggerCount];
};

}  // namespace holdfast
