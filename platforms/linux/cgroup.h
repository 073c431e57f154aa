// The memory limit of this process' cgroups, version 1 and 2, read below a root that tests can move.
// Shape:  from our group up to the mount (cgroup_groups.h) every limit counts, the smallest wins; head
//         room is the smallest of limit - (used - reclaimable), which may be another group's, shared
//         with processes that we cannot see.
//         head_room_bytes <= limit_bytes; all are UINT64_MAX where there is no limit.
// Zone:   load, capture, worker.
// Errors: none; what cannot be read counts as no limit.
// Source: Documentation/admin-guide/cgroup-v2.rst.
#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast::platforms {

struct CgroupMemory {
  std::uint64_t limit_bytes = UINT64_MAX;
  std::uint64_t used_bytes = UINT64_MAX;  // of the group whose limit it is
  std::uint64_t reclaimable_bytes = 0;    // inactive page cache in `used_bytes`
  std::uint64_t head_room_bytes = UINT64_MAX;
  // Of the hierarchy that the limit is from; without one, of the hierarchy that counts memory. 0: none is seen.
  unsigned version = 0;
};

// A v1 group without a limit shows the largest page-aligned 63-bit number; pages differ in size.
inline constexpr std::uint64_t kNoLimitV1 = 0x7FFF'FFFF'0000'0000;

// The number that `text` is, or begins with before a space; UINT64_MAX for "max", for no number and for no limit.
std::uint64_t cgroup_number(std::string_view text) noexcept;
// The number in the first line of a group's file; UINT64_MAX, too, where it cannot be read.
std::uint64_t cgroup_file_number(const char* directory, const char* name) noexcept;

// `root` is "" in real life; with a root, <root>/proc/self/… and <root><mount point>/… are read.
CgroupMemory read_cgroup_memory(const char* root, const char* process = "self") noexcept;

}  // namespace holdfast::platforms
