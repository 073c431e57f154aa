// The id of the container that a process runs in, as its engine names it (64 hexadecimal digits).
// Why not any 64 digits of mountinfo: its first lines name image layers, which all containers share.
// Shape:  our cgroup's path where it tells (the innermost id), else the source of the mount that every
//         engine puts on /etc/hostname, /etc/hosts and /etc/resolv.conf (in a Kubernetes pod without a
//         visible cgroup path that is the id of the pod's sandbox).
// Zone:   load, capture, offline.   Errors: none; empty outside a container.
#pragma once

#include <cstddef>

namespace holdfast::platforms {

inline constexpr std::size_t kContainerIdDigits = 12;  // that people see: `docker ps`

// The first kContainerIdDigits of it, NUL-terminated into `out`, cut to fit. `root` is "" in real life; `process` is another's
// number where the question is about another process.
void read_container_id(const char* root, char* out, std::size_t capacity,
                       const char* process = "self") noexcept;

}  // namespace holdfast::platforms
