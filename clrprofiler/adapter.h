// A CLR through its profiling API, as the core sees a VM.
// Shape:  holds the runtime's interface and what the runtime's events have told; everything of a dump lives in capture().
// Zone:   open(), release(): load, detach. The notes of events: event. The rest: capture, see common/vm_adapter.h.
// Errors: kVm with the HRESULT; kUnsupported for what this runtime does not have; kRefused, with a note, where a collection does not come.
#pragma once

#include <atomic>

#include "clrprofiler/accounts/allocation_accounts.h"
#include "clrprofiler/ages/age_session.h"
#include "clrprofiler/collections.h"
#include "clrprofiler/coreclr/heap_estimate.h"
#include "clrprofiler/frozen/frozen_heap.h"
#include "clrprofiler/heap_session.h"
#include "clrprofiler/module_gate.h"
#include "clrprofiler/profiler_info.h"
#include "clrprofiler/settled_contexts.h"
#include "common/vm_adapter.h"
#include "platforms/process.h"

namespace holdfast::clr {

class ClrAdapter final : public VmAdapter {
 public:
  explicit ClrAdapter(const CollectionPatience& patience = {}) noexcept : collection_(patience) {}
  // What of the options this runtime cannot do is taken out of them.
  Result<void> open(IUnknown& runtime, Options& options) noexcept;

  ProfilerInfo& info() noexcept { return info_; }
  Collections& gc() noexcept { return collections_; }
  // Collections are told all the time, and not only while a dump has the runtime tell its heap: figures of now and then would be stale.
  bool hears_collections() const noexcept {
    return hears_collections_.load(std::memory_order_relaxed);
  }
  ModuleGate& gate() noexcept { return gate_; }
  // On the thread that has loaded it; it waits only for a module that a dump could see die.
  void module_loaded(ModuleID id) noexcept;
  // Before anything of it is freed, on the thread that unloads; it waits for whoever still asks for names.
  void module_unloads() noexcept;
  // At load: the session begins with the capture thread.
  Result<void> reserve_accounts(AccountBook& book, Ledger& ledger) noexcept;
  // At load: the session begins with the capture thread. Where there is no room dumps tell no ages, which is said.
  void reserve_ages(Ledger& ledger) noexcept;
  void annotate(std::span<const char> block) noexcept { accounts_.annotate(block); }
  // Detach: until nobody of ours is inside the runtime any more, however long that takes.
  void leave_runtime() noexcept;
  // The process ends, after its last dump.
  void runtime_ends() noexcept {
    age_session_.stop_listening();
    accounts_.end_with_runtime();
  }

  VmFacts facts() noexcept override { return facts_; }
  Result<void> attach_capture_thread() noexcept override;
  // At the end of the process nobody waits for a collection that does not come.
  void detach_capture_thread() noexcept override {
    if (!collection_.stuck()) collection_.close();
  }
  Result<void> listen(const Options& options) noexcept override;
  const char* trigger_state(Trigger trigger, const Options& options) const noexcept override;
  CollectionFigures collections() noexcept override;
  std::uint64_t collection_count() noexcept override;
  CollectionFigures collections_once_told() noexcept override;
  const char* missing_for(Trigger trigger) const noexcept override;
  CaptureCosts costs() const noexcept override;
  Result<void> collect() noexcept override { return collection_.collect(info_); }
  Result<HeapFigures> heap_figures() noexcept override;
  std::uint32_t cpu_demand_percent() noexcept override { return platforms::cpu_demand_percent(); }
  std::uint64_t tell_accounts(AccountBook& book, std::uint64_t pause_limit_ns,
                              Notes& notes) noexcept override;
  Result<void> capture(const CapturePlan& plan, CaptureMemory& memory, Capture& out,
                       Notes& notes) noexcept override;
  void open_frozen(CaptureMemory& memory, const FrozenWork& work) noexcept override;
  const char* frozen_refusal() noexcept override { return frozen_.refusal(); }
  Result<void> freeze(const CapturePlan& plan, CaptureMemory& memory, const FrozenWork& work,
                      FrozenChild& out, Notes& notes) noexcept override;
  void forbid_frozen(const char* why) noexcept override { frozen_.forbid(why); }

 private:
  ProfilerInfo info_;
  VmFacts facts_;
  std::atomic<bool> hears_collections_{false};
  bool ages_ = false;
  Options options_;  // those whose triggers are listened to
  Result<void> take_dump(const CapturePlan& plan, CaptureMemory& memory, Capture& out,
                         Notes& notes) noexcept;
  Result<void> await_background(const CapturePlan& plan, Notes& notes) noexcept;
  Result<void> settle(SettledContexts& contexts, Arena& arena, Notes& notes) noexcept;
  Result<void> take_graph(const CapturePlan& plan, CaptureMemory& memory, Capture& out,
                          Notes& notes) noexcept;
  void remember(const Capture& capture) noexcept;
  bool estimate_heap_size() noexcept;
  void begin_accounts() noexcept;
  void begin_ages() noexcept;
  // nullptr: nobody asks for ages, or nobody tells them.
  AgeRecorder* ages_for(const CapturePlan& plan, Notes& notes) noexcept;
  void warn_of_period(const Options& options) const noexcept;

  Collections collections_;
  ModuleGate gate_;
  ForcedCollection collection_;
  HeapSession session_{collection_};
  FrozenHeap frozen_;
  AccountBook* book_ = nullptr;  // nullptr: there are no accounts
  AllocationAccounts accounts_;
  bool has_age_table_ = false;  // there is memory for it
  AgeSession age_session_;
  GcTables gc_tables_;  // where the collector has shown them
  HeapEstimate estimate_;
  // What the last dump counted, and the process' memory at that time; 0: there was none.
  std::uint64_t counted_bytes_ = 0;
  std::uint64_t resident_then_ = 0;
};

}  // namespace holdfast::clr
