// Which rung a dump takes: the one place where the predicted pause and memory are weighed against what the user allows.
// Why: a long pause or a full container hurts more than a missing graph, so the agent steps down before, not after.
// Shape:  pure functions over plain values. A prediction starts from the heap's used bytes and the constants below, and from
//         the last dump of the same kind once there is one.
// Zone:   capture.
// Errors: choose_plan answers kRefused when what was asked for by name is not allowed; a note always says why.
#pragma once

#include <cstdint>

#include "common/dump_request.h"
#include "common/notes.h"
#include "common/options.h"
#include "common/result.h"
#include "common/vm_adapter.h"

namespace holdfast {

// First predictions, from the table in jvmti/README.md: a heap of small objects, the costly case.
inline constexpr std::uint64_t kFirstBytesPerObject = 50;
inline constexpr std::uint64_t kFirstReferencesPerObject = 3;
inline constexpr std::uint64_t kFirstWalkNsPerObject = 1200;
inline constexpr std::uint64_t kFirstHistogramNsPerObject = 45;
inline constexpr std::uint64_t kVmTagBytesPerObject = 67;
inline constexpr std::uint64_t kCaptureBytesPerObject = 16;  // builder.h
inline constexpr std::uint64_t kCaptureBytesPerReference = 6;

// What earlier dumps of this process measured; zeros before the first.
struct CaptureHistory {
  std::uint64_t walk_pause_ns = 0;
  std::uint64_t walk_used_bytes = 0;
  std::uint64_t walk_objects = 0;
  std::uint64_t walk_references = 0;
  std::uint64_t histogram_pause_ns = 0;
  std::uint64_t histogram_used_bytes = 0;
  void remember(const Capture& capture) noexcept;
};

struct PlanQuestion {
  const Options& options;
  const DumpRequest& request;
  HeapFigures heap;
  std::uint64_t capture_budget_bytes;  // what the columns may use
  std::uint64_t available_bytes;  // that the system or the cgroup still has; UINT64_MAX unknown
  const CaptureHistory& history;
  std::uint64_t counted_objects = 0;  // exact, from a histogram just taken; 0 unknown
};

struct Prediction {
  std::uint64_t objects = 0;
  std::uint64_t walk_pause_ns = 0;
  std::uint64_t histogram_pause_ns = 0;
  std::uint64_t capture_bytes = 0;
  std::uint64_t vm_tag_bytes = 0;
};
Prediction predict(const HeapFigures& heap, const CaptureHistory& history,
                   std::uint64_t counted_objects = 0) noexcept;

// The pause that this request may cost: its own, the option's, or no limit where a person asked for the walk by name.
std::uint64_t pause_limit_ns(const Options& options, const DumpRequest& request) noexcept;

// Whether counting first is worth its short pause: a graph is wanted, and only a guess from bytes speaks against it. A heap of
// large objects has far fewer of them than its bytes suggest.
bool counting_may_help(const PlanQuestion& question, const CapturePlan& plan) noexcept;

Result<CapturePlan> choose_plan(const PlanQuestion& question, Notes& notes) noexcept;

}  // namespace holdfast
