// What the system grants a process and what it forbids: kernel, rights, control groups, huge pages, room on disks.
// Why: a dump that comes out worse than it could has its reason here; `holdfast doctor` reads it without trying a dump.
// Shape:  a few small files of /proc and /sys a call. `root` is "" in real life; tests have files of their own below one.
// Zone:   offline.
// Errors: what cannot be read has a reading with its errno, and no value; it is never taken for "no".
// Source: proc(5), capabilities(7), seccomp(2), Documentation/admin-guide/LSM/Yama.rst, mm/transhuge.rst, cgroup-v2.rst.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::platforms {

// A number, or why there is none.
struct Reading {
  std::int64_t value = 0;
  int error = 0;  // errno; 0: read
  bool known() const { return error == 0; }
};

inline constexpr std::size_t kMaxFact = 160;

struct SystemFacts {
  char kernel[kMaxFact] = "";      // "Linux 6.1.0-18-amd64, x86_64"
  bool pins_direct_io = false;     // Linux 6.5 or later: a clone tears no transfer (direct_io.h)
  Reading ptrace_scope;            // Yama's, 0 to 3; ENOENT: this kernel has none
  Reading user_namespaces;         // how many may be made
  Reading overcommit;              // vm.overcommit_memory: 2 counts what a child may yet write
  char huge_pages[kMaxFact] = "";  // "always", "madvise", "never"; empty: not known
  Reading available_bytes;         // MemAvailable
};
SystemFacts read_system_facts(const char* root) noexcept;

enum class Seccomp : std::uint8_t { kOff = 0, kStrict = 1, kFilter = 2 };

struct ProcessFacts {
  int error = 0;  // errno; then nothing below is known
  std::uint32_t effective_user = 0;
  std::uint64_t capabilities = 0;  // effective: one bit each
  Reading seccomp;                 // Seccomp
  Reading resident_bytes;
};
inline constexpr unsigned kCapKill = 5, kCapSetGid = 6, kCapSetUid = 7, kCapSysPtrace = 19;
// 0: this process.
ProcessFacts read_process_facts(const char* root, std::uint32_t pid) noexcept;

// How many of its open files have O_DIRECT.
Reading count_direct_io(const char* root, std::uint32_t pid) noexcept;

struct GroupFacts {
  // Of the hierarchy that the memory limit is from, else of the one that counts memory; 0: no control groups are seen.
  unsigned version = 0;
  std::uint64_t limit_bytes = UINT64_MAX;  // UINT64_MAX: none
  std::uint64_t room_bytes = UINT64_MAX;   // until the nearest limit, reclaimable cache given back
  std::uint64_t most_processes = UINT64_MAX;
  std::uint64_t processes = 0;
};
GroupFacts read_group_facts(const char* root, std::uint32_t pid) noexcept;

// What a copy-on-write child costs here, made as the agent makes it (child.h).
struct ChildTrial {
  int error = 0;  // errno: the system gives none
  std::uint64_t took_ns = 0;
};
ChildTrial try_child() noexcept;

}  // namespace holdfast::platforms
