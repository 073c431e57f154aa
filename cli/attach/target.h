// The process that a person named: is it there, may we look at it, which VM is in it, is our agent?
// Shape:  a few files of /proc, read once. `refusal` says in one line why nothing can be done with it.
//         Where root may not look at a process (a container without CAP_SYS_PTRACE), it looks again as that process' own user.
// Zone:   offline.
// Errors: exit code 2: no such process, a thread of one; 4: not permitted, ended already, a /proc of another process namespace.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/attach/attach_outcome.h"
#include "cli/attach/dotnet_settings.h"
#include "cli/attach/java_command_line.h"
#include "platforms/borrowed_identity.h"
#include "platforms/elf_file.h"
#include "platforms/foreign_files.h"
#include "platforms/other_process.h"

namespace holdfast::cli {

inline constexpr std::string_view kAgentName = "libholdfast.so";

enum class VmKind : std::uint8_t {
  kNone,
  kStarting,  // a launcher of Java or .NET that has not loaded its VM yet
  kHotSpot,
  kOpenJ9,
  kCoreClr,
};

struct Target {
  platforms::OtherProcess process;
  VmKind vm = VmKind::kNone;
  platforms::LibcKind libc = platforms::LibcKind::kUnknown;
  bool other_root = false;  // its files are not ours
  std::string agent_path;   // the libholdfast.so in its memory, as it names the file itself
  std::string vm_path;  // libjvm.so or libcoreclr.so, likewise; empty: a program with its VM inside
  std::string counters_path;  // HotSpot's hsperfdata file in its memory, likewise
  JavaCommandLine command_line;
  std::vector<std::string> options;  // of its Java VM, those of the environment included
  bool options_hidden = false;  // more of them stand in files, and the VM's own list is not there
  std::string collector;        // of HotSpot, as its counters name it; empty: not known
  DotnetSettings dotnet;        // .NET only
};

struct TargetLook {
  Target target;
  AttachOutcome refusal;
  bool not_permitted = false;
};
// Do numbers of /proc mean the processes that we can signal? Nothing can be done with any where they do not.
AttachOutcome check_numbers();
// Who it is, and nothing of what is in it.
AttachOutcome look_who_it_is(std::uint32_t pid, platforms::OtherProcess& out);
TargetLook look_at_process(std::uint32_t pid);

// "process 4242" and, of somebody else's, "(user alice)".
std::string named(const platforms::OtherProcess& process);
// Why the system keeps this process from us, and who may do it.
std::string not_permitted_text(const platforms::OtherProcess& process);
AttachOutcome no_such_process(std::uint32_t pid);
AttachOutcome ended_text(const platforms::OtherProcess& process);

// Where a process' files are. Opened before an identity is borrowed: root may, its user perhaps may not.
struct TargetFiles {
  platforms::Descriptor root;
  platforms::Descriptor working;  // not valid where the process has lost it
  std::string working_path;       // as the process names it; empty where it has none
};
// errno, 0 when the root could be opened.
int open_target_files(const platforms::OtherProcess& process, TargetFiles& out);

// What `attempt()` answers, an errno: as we are, and, if that is not permitted, as the process' own user.
template <class Attempt>
int as_ours_or_theirs(const platforms::OtherProcess& process, Attempt attempt) {
  const int error = attempt();
  if (error != EACCES && error != EPERM) return error;
  const platforms::BorrowedIdentity theirs(process.effective_user, process.effective_group);
  return theirs.error() != 0 ? error : attempt();
}

}  // namespace holdfast::cli
