// The dump engine: carries one request from trigger to report over three threads of ours.
// Why here: every VM adapter needs exactly this; analysis comes in as a function, so the core stays below it.
// Shape:  loop thread (libuv: requests, cooldown, later timers and the control socket; never calls the VM),
//         capture thread (attached to the VM as a daemon, normal priority),
//         analysis thread (one per dump, lowest priority). One dump at a time.
//         request -> gate -> loop -> capture thread: plan, capture -> analysis thread: passes, report -> release.
// Zone:   request(), wait_*(): event. open(): load.
// Errors: open() answers why the agent stays off. Later errors are logged, counted and end that dump only.
#pragma once

#include <cstdint>

#include "common/cancel.h"
#include "common/dump_record.h"
#include "common/options.h"
#include "common/result.h"
#include "common/vm_adapter.h"
#include "platforms/thread.h"

namespace holdfast {

struct AnalysisInput {
  const Capture& capture;
  DumpRecord& record;        // notes may be added
  const Options& options;
  Arena& arena;              // scratch and results; rewound by the engine afterwards
  Ledger& ledger;
  const CancelToken& cancel;
};

struct AnalysisOutcome {
  char report_path[kMaxOptionText * 2] = "";
  std::uint64_t report_bytes = 0;
  std::uint64_t analysis_ns = 0;
};

using AnalyseFunction = Result<AnalysisOutcome> (*)(AnalysisInput& input) noexcept;

class DumpEngine {
 public:
  DumpEngine() = default;
  DumpEngine(const DumpEngine&) = delete;
  DumpEngine& operator=(const DumpEngine&) = delete;
  ~DumpEngine();

  // At load: reserves memory. No thread is started, nothing of the VM is called.
  Result<void> open(const Options& options, std::uint64_t memory_bytes, VmAdapter& adapter, AnalyseFunction analyse) noexcept;
  // At VM init: starts the threads and opens the gate.
  Result<void> vm_ready() noexcept;
  GateAnswer request(const DumpRequest& request) noexcept;
  // Waits until the capture of the request under way is over (oom: the heap has been seen). False: deadline passed.
  bool wait_captured(std::uint64_t deadline_ns) noexcept;
  // Waits until no dump is waiting or running.
  bool wait_idle(std::uint64_t deadline_ns) noexcept;
  // VM death: no more requests; waits for a running dump until the deadline, then cancels it; ends the threads.
  void close(std::uint64_t deadline_ns) noexcept;

  struct Totals {
    std::uint32_t reports = 0;
    std::uint32_t failed = 0;
  };
  Totals totals() const noexcept;
  const Ledger& ledger() const noexcept;

 private:
  struct State;
  State* state_ = nullptr;
};

}  // namespace holdfast
