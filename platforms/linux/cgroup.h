// The memory limit of this process' cgroups, version 1 and 2, read below a root that tests can move.
// Shape:  /proc/self/cgroup names the group; its limit and those of all groups above it count, the smallest wins.
// Zone:   capture, worker.   Errors: kUnknownBytes where there is no limit or nothing can be read.
#pragma once

#include <cstdint>

namespace holdfast::platforms {

struct CgroupMemory {
  std::uint64_t limit_bytes = UINT64_MAX;
  std::uint64_t used_bytes = UINT64_MAX;         // of the group whose limit it is
  std::uint64_t reclaimable_bytes = 0;           // inactive page cache in `used_bytes`
};

// `root` is "" in real life; with a root, <root>/proc/self/cgroup and <root>/sys/fs/cgroup/… are read.
CgroupMemory read_cgroup_memory(const char* root) noexcept;

}  // namespace holdfast::platforms
