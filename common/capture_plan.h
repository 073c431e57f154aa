// Which rung a dump takes: the one place where the predicted pause and memory are weighed against what the user allows.
// Why: a long pause or a full container hurts more than a missing graph, so the agent steps down before, not after.
// Shape:  pure functions over plain values. A prediction starts from the heap's used bytes, what dumps of this kind of VM cost, and from
//         the last dump of the same kind once there is one.
// Zone:   capture.
// Errors: choose_plan answers kRefused when what was asked for by name is not allowed, and when nothing is short enough of a dump that can
//         be asked for again; a note always says why.
#pragma once

#include <cstdint>

#include "common/dump_request.h"
#include "common/notes.h"
#include "common/options.h"
#include "common/result.h"
#include "common/vm_adapter.h"
#include "platforms/process.h"

namespace holdfast {

// The frozen rung: the clone copies page tables (4 KiB pages), roots and safepoint come on top.
inline constexpr std::uint64_t kFirstClonePauseNsPerGb = 15'000'000;
inline constexpr std::uint64_t kFirstFrozenBaseNs = 4'000'000;
inline constexpr std::uint64_t kMostRootsNs =
    100'000'000;  // what roots and safepoint take at most, of any thread count tried
// The child's graph and the passes over it, and what the application writes meanwhile, as a share of the used heap.
inline constexpr std::uint64_t kChildBytesPerObject = 40;
inline constexpr std::uint64_t kChildBytesPerReference = 12;
inline constexpr std::uint64_t kSealedBytesPerObject = 12;
inline constexpr std::uint64_t kSealedBytesPerReference = 6;
inline constexpr std::uint64_t kCopiedHeapDivisor = 8;
inline constexpr std::uint64_t kMarkDivisor = 32;

// What is always left of the system's or the container's memory: below 25 MB the kernel killed an application beside a child in 4 of
// 4 runs, and a child that was ended in time saved it in 12 of 12.
inline constexpr std::uint64_t kLeastLeftBytes = std::uint64_t{25} << 20;

// Why no child is made while some file is open in a certain way (platforms/direct_io.h).
inline constexpr const char* kDirectIo =
    "a file is open with O_DIRECT, whose transfers Linux before 6.5 does not keep apart from a "
    "copy of the process";

// From here on the machine counts as busy: what is measured then says little of a calm one.
inline constexpr std::uint32_t kBusyPercent = 150;

// What earlier dumps of this process measured; zeros before the first. Pauses are as with a CPU of their own. A busy machine may only raise
// them: the share that it took is an estimate.
struct CaptureHistory {
  std::uint64_t frozen_pause_ns = 0;
  std::uint64_t frozen_resident_bytes = 0;
  std::uint64_t walk_pause_ns = 0;
  std::uint64_t walk_used_bytes = 0;
  std::uint64_t graph_used_bytes = 0;  // of the last graph, whatever rung it came by
  std::uint64_t graph_objects = 0;
  std::uint64_t graph_references = 0;
  std::uint64_t histogram_pause_ns = 0;
  std::uint64_t histogram_used_bytes = 0;
  void remember(const CapturePlan& plan, const Capture& capture) noexcept;
  void remember_freeze(const CapturePlan& plan, const FrozenChild& child,
                       std::uint64_t resident_bytes) noexcept;
  void remember_frozen(const CapturePlan& plan, const FrozenChild& child,
                       std::uint64_t resident_bytes, std::uint64_t objects,
                       std::uint64_t references) noexcept;
};

struct PlanQuestion {
  const Options& options;
  const DumpRequest& request;
  HeapFigures heap;
  std::uint64_t capture_budget_bytes;  // what the columns may use
  std::uint64_t available_bytes;  // that the system or the cgroup still has; UINT64_MAX unknown
  const CaptureHistory& history;
  CaptureCosts costs = {};
  std::uint64_t counted_objects = 0;  // exact, from a histogram just taken; 0 unknown
  bool frozen_was_tried = false;      // for this dump, and the refusal is what became of it
  const char* frozen_refusal = "it is not there";  // empty: the frozen rung can be taken
  // Where no VM of this kind ever can, it is said only to whom asks for it by name.
  bool may_freeze = true;
  std::uint64_t resident_bytes = platforms::kUnknownBytes;  // of this process
  RootFigures roots = {};                                   // of a frozen capture
  // How many times as long a stop takes on this machine as with a CPU of its own, in percent.
  std::uint32_t slowdown_percent = 100;
  bool memory_ran_short = false;  // just now, beside a child: no more benefit of the doubt
};

// A thread that wants a CPU gets one in n + 1 turns where n others want it, and those that must first reach a safepoint want it, too.
// Measured on two cores with 0 to 16 threads beside (docs/decisions/050).
constexpr std::uint32_t slowdown_percent(std::uint32_t cpu_demand_percent) noexcept {
  // Above that many beside each CPU the stop is served first more often: it slept before.
  constexpr std::uint32_t kAllCount = 400;
  return 100 + (cpu_demand_percent <= kAllCount ? cpu_demand_percent
                                                : kAllCount + (cpu_demand_percent - kAllCount) / 2);
}

struct Prediction {
  std::uint64_t objects = 0;
  std::uint64_t references = 0;
  std::uint64_t walk_pause_ns = 0;
  std::uint64_t histogram_pause_ns = 0;
  std::uint64_t capture_bytes = 0;
  std::uint64_t vm_tag_bytes = 0;
};
struct FrozenPrediction {
  std::uint64_t pause_ns = 0;
  std::uint64_t roots_limit_ns = UINT64_MAX;  // of it, what the walk over roots may take
  std::uint64_t graph_bytes = 0;              // of memory=, in the child
  std::uint64_t growth_bytes = 0;        // of the system's or the cgroup's: child and copied pages
  std::uint64_t least_growth_bytes = 0;  // the same without a graph in memory
};
FrozenPrediction predict_frozen(const PlanQuestion& question, const Prediction& heap) noexcept;
Prediction predict(const PlanQuestion& question) noexcept;

// The pause that this request may cost on this rung: its own, else the option's. No limit where a person asked for an extended
// dump in so many words (the walk: only by its name, because it may take a minute), having been told the prediction.
std::uint64_t pause_limit_ns(const Options& options, const DumpRequest& request,
                             CaptureRung rung) noexcept;

// Whether counting first is worth its short pause: a graph is wanted, and only a guess from bytes speaks against it. A heap of
// large objects has far fewer of them than its bytes suggest.
bool counting_may_help(const PlanQuestion& question, const CapturePlan& plan) noexcept;

Result<CapturePlan> choose_plan(const PlanQuestion& question, Notes& notes) noexcept;

}  // namespace holdfast
