// Memory accounts in a CLR: the session that tells, the thread that names and books, and what a dump and an unload want of them.
// Why a thread: a sample's names cost some ten calls of the runtime, which take locks; on the allocating thread, which may hold one of
//      them, none of these calls is made.
// Shape:  begin() once; then rounds: every kRoundNs, or when somebody asks, the samples in the ring are booked, and some of the followed objects
//         are asked whether they live. Rounds are numbered: whoever asks waits for the end of a round that began afterwards.
//         Unloads: a FunctionID or ClassID of what was unloaded points at nothing. Whoever unloads waits in the runtime's event until what is in
//         the ring has been named, milliseconds; after that all that was known by id is forgotten.
// Zone:   reserve(): load. begin(), settle(), end(): capture, or a thread of ours. pass_unload(): event, application running.
// Errors: reserve(), begin(): kOutOfMemory, kOutOfBudget; those of AllocationSession; kOutOfMemory when there is no thread.
#pragma once

#include <atomic>

#include "clrprofiler/accounts/allocation_session.h"
#include "clrprofiler/accounts/live_objects.h"
#include "clrprofiler/accounts/sample_writer.h"
#include "common/reservation.h"
#include "platforms/thread.h"

namespace holdfast::clr {

class AllocationAccounts {
 public:
  static constexpr std::uint64_t kMostWaitNs = 10'000'000'000;
  // What the arena has to have: 128 Ki followed objects, the ring, what is known of ids, modules.
  static constexpr std::size_t kArenaBytes = std::size_t{12} << 20;

  AllocationAccounts() = default;
  AllocationAccounts(const AllocationAccounts&) = delete;
  AllocationAccounts& operator=(const AllocationAccounts&) = delete;
  ~AllocationAccounts() { end(); }

  // At load, before everything else.
  Result<void> reserve(Ledger& ledger) noexcept;
  // `book` is open, and both outlive this object.
  // `ages`: collections are counted.
  Result<void> begin(ProfilerInfo& info, AccountBook& book, bool ages) noexcept;
  bool running() const noexcept { return running_.load(std::memory_order_acquire); }
  // Collections since it began, where ages are asked for.
  std::uint64_t collections() const noexcept { return session_.collections(); }
  // What the calling thread says of itself from now on (annotations/annotation_texts.h). Event, any thread.
  void annotate(std::span<const char> block) noexcept;
  // What was allocated until now is in the book, and what has died is out of it. False: not within `most_wait_ns`.
  bool settle(std::uint64_t most_wait_ns = kMostWaitNs) noexcept;
  // Before anything of it is freed.
  void pass_unload(std::uint64_t most_wait_ns = kMostWaitNs) noexcept;
  // The session, the thread and the handles go; nothing of ours is inside the runtime any more.
  void end() noexcept;
  // The same at the end of the process: the runtime has closed its sessions, and is asked for nothing. Waits for no call that does not come back.
  void end_with_runtime() noexcept;

 private:
  struct Round {
    std::uint64_t number = 0;
    bool look_at_all = false;
    bool unload = false;
    bool last = false;
  };

  Result<void> open(ProfilerInfo& info, AccountBook& book) noexcept;
  static void run(void* accounts) noexcept;
  Round next_round() noexcept;
  void carry_out(const Round& round) noexcept;
  void book_samples() noexcept;
  void drop(const AllocationSample& sample) noexcept;
  bool ask(bool look_at_all, bool unload, std::uint64_t most_wait_ns) noexcept;
  // A thread that is inside the runtime, and not back in time, is left alone.
  void end_thread(std::uint64_t most_wait_ns) noexcept;
  bool wait_for_end(std::uint64_t until_ns) noexcept;

  AccountBook* book_ = nullptr;
  Reservation reservation_;
  Arena arena_;
  SampleRing ring_;
  WeakHandles handles_;
  LiveObjects live_;
  SampleWriter writer_;
  platforms::ThreadValue marks_;  // of threads that have said something
  AllocationSession session_;
  platforms::Thread thread_;
  std::atomic<bool> running_{false};  // the thread was started, and has not ended
  std::atomic<bool> dropping_{
      false};  // somebody has unloaded before all was named: samples are no more
  std::atomic<bool> leaving_{false};  // the runtime ends

  platforms::Mutex mutex_;
  platforms::Condition changed_;
  Round asked_ HF_GUARDED_BY(mutex_);
  std::uint64_t done_ HF_GUARDED_BY(mutex_) = 0;
  bool ended_ HF_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast::clr
