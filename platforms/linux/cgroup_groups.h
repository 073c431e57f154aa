// The control groups that this process is in, from its own up to the mount, versions 1 and 2, below a root that tests can move.
// Shape:  /proc/self/cgroup names our group, /proc/self/mountinfo says which part of the hierarchy is mounted where. A controller
//         belongs to version 1 or to version 2, never to both at once; who asks looks for its files.
// Zone:   load, capture, worker.
// Errors: none; what cannot be found is not visited.
// Source: cgroup_namespaces(7), proc(5) on mountinfo; Documentation/admin-guide/cgroup-v2.rst.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::platforms {

inline constexpr std::size_t kMaxGroupPath = 4096;

enum class CgroupVersion : std::uint8_t { k1, k2 };

struct CgroupGroup {
  CgroupVersion version;
  const char* directory;
  bool own;  // the nearest to us that can be seen
};

// `root` is "" in real life; with a root, <root>/proc/self/… and <root><mount point>/… are read. `controller` is version 1's name.
// `process`: its number, where it is another; its groups are then looked up in what is mounted here.
void visit_groups(const char* root, const char* controller,
                  void (*visit)(void* context, const CgroupGroup& group), void* context,
                  const char* process = "self") noexcept;

}  // namespace holdfast::platforms
