// What makes a dump without anybody asking for it, in one place: a period that is over, a full collection, a heap or a control group
// that fills up.
// Why one place: each rule is small, and what they share (the loop, the gate's answer, what `status` says of them) is not.
// Shape:  every         a timer; the first dump one period after arming, always simple. A loop that was held up runs one missed period.
//         gc            after each full collection (CollectionFigures::full).
//         heap-above    heap_level.h says which collection counts, or heap_floor.h where none is told to be a full one; level_trigger.h
//                       when to fire.
//         cgroup-above  a timer whose period shrinks with the distance to the threshold: kGrowthBytesPerS could be used up in
//                       between, from kNearNs to kFarNs. A look costs about 30 us a group
//                       (docs/decisions/007-full-heap.md). A group that stalls counts as one at the threshold.
//                       Without a limit it is off, and says so once.
//         A request goes to the gate, whose answer is counted there, by trigger. Nothing here waits and nothing allocates.
// Zone:   collection_finished(): event, at a safepoint. states(): any. arm(): VM init, worker, one at a time. open(), close(): VM init, VM death. The rest: worker.
// Errors: none. A trigger that cannot work says why in the log once, and in its state.
#pragma once

#include <cstdint>
#include <span>

#include "common/dump_engine.h"
#include "common/triggers/heap_floor.h"
#include "common/triggers/heap_level.h"
#include "common/triggers/level_trigger.h"
#include "platforms/memory_watch.h"

namespace holdfast {

// One armed trigger, as `status` shows it. Its name is trigger_name().
struct TriggerFacts {
  Trigger trigger = Trigger::kSignal;
  char setting[24] = "";  // "on", "300s", "85%"
  char state[120] = "";   // "waits", "87 % left by the last collection; ..."
  TriggerCounts counts;
};

class Triggers {
 public:
  static constexpr std::uint64_t kFarNs = 1'000'000'000;
  static constexpr std::uint64_t kNearNs = 50'000'000;
  static constexpr std::uint64_t kDoubtNs =
      200'000'000;  // between two looks while heap_floor.h is in doubt
  static constexpr std::uint64_t kNoLimitNs =
      30'000'000'000;  // a limit that is not there is looked for again
  // What one thread can touch anew in a second; measured with this kernel: 1 to 2 GB, first touch of small pages.
  static constexpr std::uint64_t kGrowthBytesPerS = std::uint64_t{1} << 30;

  Triggers() = default;
  Triggers(const Triggers&) = delete;
  Triggers& operator=(const Triggers&) = delete;
  ~Triggers() { close(); }

  // Before the engine's vm_ready(): a dump that fails is asked for again.
  void hear_outcomes(DumpEngine& engine) noexcept;
  // After the engine's vm_ready(). `cgroup_root` is "" in real life (memory_watch.h).
  void open(DumpEngine& engine, const char* cgroup_root = "") noexcept;
  // Obeys these options from now on; what they do not change goes on as it was.
  void arm(const Options& options) noexcept;
  // The VM's event: reads the adapter's counters and posts.
  void collection_finished() noexcept;
  // Before the engine's close(): nothing more fires.
  void close() noexcept;

  // The armed ones; how many.
  std::size_t states(std::span<TriggerFacts> out) const noexcept;

 private:
  enum Wish : std::uint32_t { kWantGc = 1u << 0, kWantHeap = 1u << 1, kWantLooks = 1u << 2 };

  // Which rule tells what collections leave.
  enum class HeapSource : std::uint8_t { kNone, kLevel, kFloor };
  void say_in_vain(Trigger trigger, const char* option, const char* why) noexcept;
  static HeapSource heap_source(const CollectionFigures& figures) noexcept;

  // -- loop thread --
  static void run_wishes(void* triggers) noexcept;
  static void run_period(void* triggers) noexcept;
  static void run_doubt(void* triggers) noexcept;
  static void run_cgroup_open(void* triggers) noexcept;
  static void run_cgroup_look(void* triggers) noexcept;
  bool ask(Trigger trigger, DumpKind kind, std::uint32_t* number = nullptr) noexcept;
  static void run_outcomes(void* triggers) noexcept;
  void look_at_cgroup() noexcept;
  void await_limit() noexcept;

  // What is to be done about new options outside of the lock.
  struct Changes {
    bool period = false;
    bool cgroup = false;
    bool gc_in_vain = false;
    bool heap_in_vain = false;
  };
  HeapLevel::Reading read_heap(const CollectionFigures& figures, std::uint64_t now_ns) noexcept
      HF_REQUIRES(mutex_);
  Changes adopt(const Options& options, const CollectionFigures& figures) noexcept
      HF_REQUIRES(mutex_);
  void restart_period(std::uint64_t every_ns) noexcept;
  void describe(TriggerFacts& facts) const noexcept HF_REQUIRES(mutex_);
  void describe_heap(TriggerFacts& facts) const noexcept HF_REQUIRES(mutex_);
  void describe_cgroup(TriggerFacts& facts) const noexcept HF_REQUIRES(mutex_);

  // Written by open(), before anything else runs.
  DumpEngine* engine_ = nullptr;
  const char* cgroup_root_ = "";

  platforms::MemoryWatch watch_;  // the loop thread's
  bool limit_missed_ = false;     // likewise: it has been said
  // Likewise: of the last dump that a level asked for, 0: its outcome is known.
  std::uint32_t heap_number_ = 0;
  std::uint32_t cgroup_number_ = 0;

  // Held for a few instructions: a collection must not wait for it.
  mutable platforms::Mutex mutex_;
  bool open_ HF_GUARDED_BY(mutex_) = false;
  std::uint32_t on_ HF_GUARDED_BY(mutex_) = 0;
  std::uint64_t every_ns_ HF_GUARDED_BY(mutex_) = 0;
  std::uint64_t next_period_ns_ HF_GUARDED_BY(mutex_) = 0;
  std::uint32_t wishes_ HF_GUARDED_BY(mutex_) = 0;
  std::uint64_t whole_seen_ HF_GUARDED_BY(mutex_) = 0;
  bool whole_known_ HF_GUARDED_BY(mutex_) = false;
  HeapSource heap_source_ HF_GUARDED_BY(mutex_) = HeapSource::kNone;
  HeapLevel heap_level_ HF_GUARDED_BY(mutex_);
  HeapFloor heap_floor_ HF_GUARDED_BY(mutex_);
  bool looks_at_heap_ HF_GUARDED_BY(mutex_) = false;  // the timer runs, or will
  LevelTrigger heap_ HF_GUARDED_BY(mutex_);
  LevelTrigger cgroup_ HF_GUARDED_BY(mutex_);
  platforms::MemoryWatch::Fill fill_ HF_GUARDED_BY(mutex_);  // of the last look
};

}  // namespace holdfast
