// How near the memory is to its end, cheap enough to be asked every millisecond while a child copies what the parent writes.
// Why: the kernel's choice of whom to kill does not save the application (a group may be killed whole), so a parent has to end its
//      child in time. Measured: below 25 MB of room it did in 12 of 12 runs, and oom_score_adj alone in 0 of 4.
// Shape:  what is left is the smallest, over every group of ours that has a limit and the machine, of
//           group    limit - (used - reclaimable),  limit = the smaller of memory.max and memory.high (beyond it the kernel
//                    makes the application wait), reclaimable = inactive page cache that needs no write first
//           machine  MemAvailable
//         Usage and MemAvailable are read at each call, limits and reclaimable cache at most every kStatPeriodNs: the kernel adds up
//         the latter over all CPUs. Groups without a limit at open() are not looked at; at most kMaxGroups, the nearest first.
//         fullest() asks another question, how near a group is to what it holds for good: all clean file cache counts as
//         reclaimable there (an application that reads many files keeps it on the active list, and is in no danger), and a group
//         stalls when for kStalledPercent of the last ten seconds all of its tasks waited for memory (memory.pressure, version 2).
//         Descriptors stay open in between: 5 a group with a limit, 1 a group with a CPU quota, 1 for the machine.
//         A call costs about 1 us a group and 5 us for the machine (Linux 6.18).
// Zone:   open, close: capture, worker. left_bytes, fullest, throttled: capture, worker; one thread. No allocation.
// Errors: none. What cannot be read is no limit; kUnknownBytes (platforms/process.h) where nothing can be read.
// Source: Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst, scheduler/sched-bwc.rst, accounting/psi.rst.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::platforms {

class MemoryWatch {
 public:
  static constexpr std::size_t kMaxGroups = 16;
  static constexpr std::uint64_t kStatPeriodNs = 16'000'000;
  // Two of the usual periods of a CPU quota: whoever was held back in one will likely be again.
  static constexpr std::uint64_t kThrottledForNs = 200'000'000;

  // A tenth of the time waiting for memory: work still gets done, and it is the first figure that an operator would act on.
  static constexpr std::uint64_t kStalledPercent = 10;

  MemoryWatch() = default;
  ~MemoryWatch() { close(); }
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  // `root` is "" in real life; tests have files of their own below one.
  void open(const char* root = "") noexcept;
  std::uint64_t left_bytes() noexcept;
  struct Fill {
    std::uint64_t held_bytes = 0;   // used, and not to be had back from file cache
    std::uint64_t limit_bytes = 0;  // 0: no group of ours has a limit
    bool stalled = false;           // any group with a limit
  };
  // Of the group with the largest held / limit.
  Fill fullest() noexcept;
  // Did a CPU quota hold back one of our groups since open(), and within the last kThrottledForNs?
  bool throttled() noexcept;
  void close() noexcept;

  // One group's open files; -1: not there.
  struct Group {
    int limit = -1;
    int high = -1;  // version 2 alone
    int used = -1;
    int stat = -1;
    int pressure = -1;  // version 2 alone, and not on every kernel
    bool first_version = false;
    std::uint64_t limit_bytes = UINT64_MAX;
    std::uint64_t reclaimable_bytes = 0;
    std::uint64_t clean_cache_bytes = 0;  // reclaimable, and what is on the active list
  };

 private:
  std::uint64_t throttle_count() const noexcept;
  bool stat_is_old() noexcept;

  Group groups_[kMaxGroups];
  std::size_t group_count_ = 0;
  int quotas_[kMaxGroups] = {};
  std::size_t quota_count_ = 0;
  int machine_ = -1;
  std::uint64_t stat_read_ns_ = 0;
  std::uint64_t quota_read_ns_ = 0;
  std::uint64_t throttles_seen_ = 0;
  std::uint64_t throttled_until_ns_ = 0;
};

}  // namespace holdfast::platforms
