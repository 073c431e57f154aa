#include "cli/attach/target.h"

#include <string_view>

#include "cli/attach/diagnostics_name.h"
#include "cli/attach/vm_counters.h"

namespace holdfast::cli {
namespace {

using platforms::MappedName;
using platforms::OtherProcess;

// Longer command lines and environments exist, but what we look for stands at the beginning; a stack's quarter is the kernel's limit.
constexpr std::size_t kMaxTextBytes = std::size_t{2} << 20;
constexpr std::size_t kUsualTextBytes = std::size_t{16}
                                        << 10;  // all processes are looked at in `ps`
constexpr std::size_t kMaxUserName = 64;
constexpr std::size_t kMaxPath = 4096;

std::string_view name_of_path(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// What the names of its mapped files tell.
struct Mapped {
  bool hotspot = false, openj9 = false, coreclr = false, launcher = false;
  platforms::LibcKind libc = platforms::LibcKind::kUnknown;
  std::string agent_path, counters_path, vm_path;
};

void note_library(const MappedName& file, Mapped& mapped) {
  const std::string_view name = name_of_path(file.path);
  if (name == "libjvm.so") mapped.hotspot = true;
  if (name.starts_with("libj9vm")) mapped.openj9 = true;
  if (name == "libcoreclr.so") mapped.coreclr = true;
  if (name == "libjvm.so" || name == "libcoreclr.so") mapped.vm_path = file.path;
  if (name == "libjli.so" || name == "java") mapped.launcher = true;
  if (name == "libhostfxr.so" || name == "dotnet") mapped.launcher = true;
  if (name == kAgentName) mapped.agent_path = file.path;
  if (file.path.find("/hsperfdata_") != file.path.npos) mapped.counters_path = file.path;
  if (name.starts_with("ld-musl-") || name.starts_with("libc.musl-"))
    mapped.libc = platforms::LibcKind::kMusl;
  // On musl there may be stand-ins for glibc, too; they lie anywhere among the others.
  const bool glibc = name == "libc.so.6" || (name.starts_with("libc-2.") && name.ends_with(".so"));
  if (glibc && mapped.libc == platforms::LibcKind::kUnknown)
    mapped.libc = platforms::LibcKind::kGlibc;
}

int read_mapped(std::uint32_t pid, Mapped& out) {
  return platforms::visit_mapped_files(
      pid,
      [](void* context, const MappedName& file) {
        note_library(file, *static_cast<Mapped*>(context));
        return true;
      },
      &out);
}

// OpenJ9 brings a libjvm.so too, so it is asked for first.
VmKind kind_of(const Mapped& mapped) {
  if (mapped.openj9) return VmKind::kOpenJ9;
  if (mapped.hotspot) return VmKind::kHotSpot;
  if (mapped.coreclr) return VmKind::kCoreClr;
  return mapped.launcher ? VmKind::kStarting : VmKind::kNone;
}

std::string read_text(std::uint32_t pid, platforms::ProcessText which, std::size_t capacity) {
  std::string text(capacity, '\0');
  const std::int64_t bytes = platforms::read_process_text(pid, which, text.data(), text.size());
  text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return text;
}

std::vector<std::string> read_words(std::uint32_t pid, platforms::ProcessText which) {
  const std::string text = read_text(pid, which, kUsualTextBytes);
  return words_between_zeros(text.size() < kUsualTextBytes ? text
                                                           : read_text(pid, which, kMaxTextBytes));
}

// /proc names a process' files as we see them; below a root directory of its own it names them shorter itself.
std::string as_itself_names(std::uint32_t pid, const std::string& path) {
  char root[kMaxPath];
  if (platforms::read_process_link(pid, "root", root, sizeof root) != 0) return path;
  const std::string_view prefix(root);
  const bool below = prefix.size() > 1 && path.size() > prefix.size() && path.starts_with(prefix) &&
                     path[prefix.size()] == '/';
  return below ? path.substr(prefix.size()) : path;
}

std::string working_path(std::uint32_t pid) {
  char path[kMaxPath];
  if (platforms::read_process_link(pid, "cwd", path, sizeof path) != 0) return {};
  const std::string text = as_itself_names(pid, path);
  return text.ends_with(" (deleted)") || !text.starts_with('/') ? std::string() : text;
}

// A program that was published as one file has its runtime inside, under no name of its own; the runtime's socket tells.
bool has_diagnostics_file(const Target& target) {
  const OtherProcess& process = target.process;
  const platforms::Descriptor root =
      platforms::open_process_directory(process.pid, platforms::ProcessDirectory::kRoot);
  const platforms::Descriptor folder =
      platforms::open_directory_inside(root.get(), target.dotnet.temporary.c_str());
  platforms::FileOwner owner;
  return folder.valid() &&
         platforms::read_owner_in(folder.get(), diagnostics_name(process).c_str(), owner) == 0 &&
         owner.is_socket && owner.user == process.effective_user;
}

void note_command_line(Target& target, const std::vector<std::string>& environment) {
  const auto words = read_words(target.process.pid, platforms::ProcessText::kCommandLine);
  target.command_line = target.vm == VmKind::kCoreClr ? parse_dotnet_command_line(words)
                                                      : parse_java_command_line(words);
  target.options = effective_options(target.command_line, environment);
}

// Where the command line does not show all options the VM's own list counts.
void note_counters(Target& target) {
  const platforms::Descriptor root =
      platforms::open_process_directory(target.process.pid, platforms::ProcessDirectory::kRoot);
  VmCounters counters;
  if (root.valid()) counters = read_vm_counters(root.get(), target.counters_path);
  target.collector = std::move(counters.collector);
  const bool in_files = names_option_file(target.options);
  target.options_hidden = in_files && !counters.options_whole;
  if (counters.options_whole && (in_files || target.command_line.kind == MainKind::kProgram))
    target.options = std::move(counters.options);
}

int look_inside(Target& target) {
  const std::uint32_t pid = target.process.pid;
  Mapped mapped;
  if (const int error = read_mapped(pid, mapped); error != 0) return error;
  if (const int error = platforms::has_other_root(pid, target.other_root); error != 0) return error;
  target.vm = kind_of(mapped);
  target.libc = mapped.libc;
  if (!mapped.agent_path.empty()) target.agent_path = as_itself_names(pid, mapped.agent_path);
  if (!mapped.vm_path.empty()) target.vm_path = as_itself_names(pid, mapped.vm_path);
  if (!mapped.counters_path.empty())
    target.counters_path = as_itself_names(pid, mapped.counters_path);
  const auto environment = read_words(pid, platforms::ProcessText::kEnvironment);
  target.dotnet = parse_dotnet_settings(environment);
  if (target.vm == VmKind::kNone && has_diagnostics_file(target)) target.vm = VmKind::kCoreClr;
  if (target.vm != VmKind::kNone) note_command_line(target, environment);
  if (target.vm == VmKind::kHotSpot) note_counters(target);
  return 0;
}

AttachOutcome refusal_of(int error, const OtherProcess& process) {
  if (error == 0) return {};
  if (error == EACCES || error == EPERM) return refused(not_permitted_text(process));
  if (error == ESRCH) return ended_text(process);
  return refused(named(process) + " cannot be looked at (error " + std::to_string(error) + ")");
}

}  // namespace

std::string named(const OtherProcess& process) {
  std::string text = "process " + std::to_string(process.pid);
  if (process.effective_user == platforms::own_effective_user()) return text;
  char user[kMaxUserName];
  platforms::user_name(process.effective_user, user, sizeof user);
  return text + " (user " + user + ")";
}

std::string not_permitted_text(const OtherProcess& process) {
  const std::uint32_t own = platforms::own_effective_user();
  if (own == 0)
    return named(process) +
           " is closed to root too: this container or sandbox lacks CAP_SYS_PTRACE";
  if (process.effective_user == own)
    return named(process) +
           " is protected, though it is yours (it has more rights than you, or may not be dumped);"
           " run holdfast as root";
  char user[kMaxUserName];
  platforms::user_name(process.effective_user, user, sizeof user);
  return "process " + std::to_string(process.pid) + " belongs to user " + user +
         "; run holdfast as that user or as root";
}

AttachOutcome no_such_process(std::uint32_t pid) {
  return {ExitCode::kWrongUsage, "no process has the number " + std::to_string(pid)};
}

AttachOutcome ended_text(const OtherProcess& process) {
  return refused("process " + std::to_string(process.pid) + " has ended meanwhile");
}

AttachOutcome check_numbers() {
  if (platforms::proc_has_our_numbers()) return {};
  return refused(
      "/proc is missing here or shows another process namespace, so its numbers may mean other"
      " processes; run holdfast where /proc is its own (docker run --pid=host, unshare "
      "--mount-proc)");
}

AttachOutcome look_who_it_is(std::uint32_t pid, OtherProcess& out) {
  if (auto refusal = check_numbers(); !refusal.good()) return refusal;
  if (platforms::read_other_process(pid, out) != 0) return no_such_process(pid);
  if (out.group_pid != pid)
    return {ExitCode::kWrongUsage,
            std::to_string(pid) + " is a thread of process " + std::to_string(out.group_pid)};
  if (out.state == platforms::ProcessState::kDead)
    return refused("process " + std::to_string(pid) + " has ended already (a zombie)");
  return {};
}

TargetLook look_at_process(std::uint32_t pid) {
  TargetLook look;
  OtherProcess& process = look.target.process;
  look.refusal = look_who_it_is(pid, process);
  if (!look.refusal.good()) return look;
  const int error = as_ours_or_theirs(process, [&] { return look_inside(look.target); });
  look.not_permitted = error == EACCES || error == EPERM;
  look.refusal = refusal_of(error, process);
  if (look.refusal.good() && !platforms::same_process(process)) look.refusal = ended_text(process);
  return look;
}

int open_target_files(const OtherProcess& process, TargetFiles& out) {
  using platforms::ProcessDirectory;
  return as_ours_or_theirs(process, [&] {
    out.root = platforms::open_process_directory(process.pid, ProcessDirectory::kRoot);
    out.working = platforms::open_process_directory(process.pid, ProcessDirectory::kWorking);
    if (out.root.valid()) out.working_path = working_path(process.pid);
    return out.root.error();
  });
}

}  // namespace holdfast::cli
