// Facts of another process, as /proc tells them: who it is, what it runs, which files and sockets it has.
// Why: the command looks for VMs and for agents in processes that it did not start, in other containers too.
// Shape:  one file of /proc a call, line by line; nothing is kept. A process may end between two calls: that is an answer (ESRCH).
//         Its number may then be another's: `started_ticks` tells the two apart.
// Zone:   offline.
// Errors: errno values, 0 when it worked. ESRCH: it is gone. EACCES, EPERM: its files are another user's, or it is protected.
// Source: proc(5), user_namespaces(7), ptrace(2) on access mode checking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast::platforms {

inline constexpr std::size_t kMaxProcessName = 16;  // TASK_COMM_LEN

enum class ProcessState : std::uint8_t {
  kLiving,
  kStopped,  // by a signal or a debugger: it answers nobody
  kDead,     // a zombie
};

struct OtherProcess {
  std::uint32_t pid = 0;
  std::uint32_t group_pid = 0;  // of the process; another number: this one is only a thread of it
  std::uint32_t inner_pid = 0;  // as it sees itself, in its innermost namespace
  std::uint32_t effective_user = 0;
  std::uint32_t effective_group = 0;
  std::uint64_t started_ticks = 0;  // since the machine started
  ProcessState state = ProcessState::kLiving;
  bool catches_quit = false;  // has a handler for SIGQUIT, which else ends a process
  char name[kMaxProcessName] = "";
};

// Does /proc count processes as we do? It may be another namespace's (a container that is given the host's, `unshare --pid` alone):
// a number in it then means another process, or none, to every system call.
bool proc_has_our_numbers() noexcept;

int read_other_process(std::uint32_t pid, OtherProcess& out) noexcept;
// How long it has run.
std::uint64_t process_age_ms(const OtherProcess& process) noexcept;
// Is this still the process that was read?
bool same_process(const OtherProcess& process) noexcept;

// A descriptor that stays this process, whatever becomes of its number; -errno (-ENOSYS before Linux 5.3).
int open_process(std::uint32_t pid) noexcept;
// SIGQUIT to the process behind the descriptor; to the number only where there are no such descriptors (-ENOSYS). Else the errno that
// open_process answered.
int send_quit(int process, std::uint32_t pid) noexcept;

enum class ProcessText : std::uint8_t { kCommandLine, kEnvironment };
// Words ended by zeros. The count, or -errno; a longer text is cut at `capacity`.
std::int64_t read_process_text(std::uint32_t pid, ProcessText which, char* out,
                               std::size_t capacity) noexcept;

// Has it a mount namespace or a root directory of its own?
int has_other_root(std::uint32_t pid, bool& out) noexcept;
// A link of /proc/PID ("root", "cwd", "exe"), NUL-terminated into `out`.
int read_process_link(std::uint32_t pid, const char* link, char* out,
                      std::size_t capacity) noexcept;

struct MappedName {
  std::string_view path;  // without " (deleted)"
  bool deleted = false;
};
using VisitMapped = bool (*)(void* context, const MappedName& file);
// The files in its memory, one call a mapping, until `visit` answers false.
int visit_mapped_files(std::uint32_t pid, VisitMapped visit, void* context) noexcept;

using VisitInode = bool (*)(void* context, std::uint64_t inode);
// The sockets among its open files.
int visit_sockets(std::uint32_t pid, VisitInode visit, void* context) noexcept;

struct LocalSocketName {
  std::uint64_t inode = 0;
  bool listens = false;
  std::string_view path;  // as it was bound; empty: unnamed; '@' first: not in the file system
};
using VisitLocalSocket = bool (*)(void* context, const LocalSocketName& socket);
// All local sockets of its network namespace.
int visit_local_sockets(std::uint32_t pid, VisitLocalSocket visit, void* context) noexcept;

// All processes that can be seen, in no order.
int visit_processes(bool (*visit)(void* context, std::uint32_t pid), void* context) noexcept;

// The first 12 digits of its container's id, or empty.
void container_id_of(std::uint32_t pid, char* out, std::size_t capacity) noexcept;
// "alice", or the number where /etc/passwd has no name for it.
void user_name(std::uint32_t user, char* out, std::size_t capacity) noexcept;
std::uint32_t own_effective_user() noexcept;

}  // namespace holdfast::platforms
