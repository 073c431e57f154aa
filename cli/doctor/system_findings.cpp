#include <algorithm>
#include <cerrno>

#include "cli/doctor/system_look.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

using platforms::Reading;
using platforms::Seccomp;

constexpr std::uint64_t kLittleRoom = std::uint64_t{64}
                                      << 20;  // a report has at most 2 MB; a snapshot more
constexpr std::uint64_t kFewProcesses = 4;

Finding child_finding(const SystemLook& look) {
  const auto& child = look.child;
  if (child.error == 0)
    return {Verdict::kOk, "child process",
            "a copy-on-write child can be made (" + human_duration(child.took_ns) + ")"};
  return {Verdict::kLimited, "child process",
          "the system gives none: " + reason_text(child.error) + "; no fork snapshot from here",
          "permit clone in the seccomp profile, or raise the limit of processes"};
}

Finding seccomp_finding(const SystemLook& look) {
  const Reading& mode = look.own.seccomp;
  if (!mode.known())
    return unknown("seccomp", "the mode of this process cannot be read", mode.error);
  if (mode.value == static_cast<int>(Seccomp::kOff))
    return {Verdict::kOk, "seccomp", "no filter for this process"};
  return {Verdict::kOk, "seccomp",
          std::string("a filter is in force for this process") +
              (look.child.error == 0 ? "; it permits a child" : "")};
}

Finding ptrace_finding(const Reading& scope) {
  if (scope.error == ENOENT) return {Verdict::kOk, "ptrace", "Yama is not in this kernel"};
  if (!scope.known()) return unknown("ptrace", "ptrace_scope cannot be read", scope.error);
  return {Verdict::kOk, "ptrace",
          "ptrace_scope is " + std::to_string(scope.value) + "; holdfast traces no process"};
}

Finding namespaces_finding(const Reading& most) {
  if (!most.known()) return unknown("namespaces", "max_user_namespaces cannot be read", most.error);
  return {Verdict::kOk, "namespaces",
          most.value == 0 ? "user namespaces are off; holdfast needs none"
                          : "user namespaces can be made; holdfast needs none"};
}

Finding huge_pages_finding(const std::string& word) {
  if (word.empty())
    return {Verdict::kUnknown, "huge pages", "transparent huge pages: cannot be read"};
  if (word == "always") return {Verdict::kOk, "huge pages", "transparent huge pages: always"};
  return {Verdict::kOk, "huge pages",
          "transparent huge pages: " + word +
              "; a fork snapshot stops for about 20 ms a GB, with them 5",
          word == "madvise" ? "-XX:+UseTransparentHugePages in Java" : ""};
}

Finding overcommit_finding(const Reading& mode) {
  if (!mode.known()) return unknown("overcommit", "cannot be read", mode.error);
  if (mode.value != 2) return {Verdict::kOk, "overcommit", "a child's memory is not counted twice"};
  return {Verdict::kLimited, "overcommit",
          "strict: a child of a large process may be refused (vm.overcommit_memory=2)",
          "leave room for the process twice, or set 0"};
}

bool has(const platforms::ProcessFacts& facts, unsigned capability) {
  return (facts.capabilities >> capability & 1) != 0;
}

Finding rights_finding(const platforms::ProcessFacts& own) {
  if (own.error != 0) return unknown("rights", "/proc/self/status cannot be read", own.error);
  const std::string user = "user " + std::to_string(own.effective_user);
  using namespace platforms;
  const bool all =
      has(own, kCapSysPtrace) && has(own, kCapSetUid) && has(own, kCapSetGid) && has(own, kCapKill);
  if (all)
    return {Verdict::kOk, "rights", user + " with the capabilities for processes of all users"};
  if (own.effective_user != 0)
    return {Verdict::kOk, "rights", user + ": its own processes",
            "those of others need their user or root"};
  std::string lacks;
  for (const auto& [bit, name] :
       {std::pair{kCapSysPtrace, "CAP_SYS_PTRACE"}, std::pair{kCapSetUid, "CAP_SETUID"},
        std::pair{kCapSetGid, "CAP_SETGID"}, std::pair{kCapKill, "CAP_KILL"}})
    if (!has(own, bit)) lacks += (lacks.empty() ? "" : ", ") + std::string(name);
  return {Verdict::kLimited, "rights", "root without " + lacks + ": not all processes of others",
          "add the capability, or run as the user of the process"};
}

Finding sockets_finding(const SystemLook& look) {
  if (!look.sockets.empty())
    return {Verdict::kOk, "control socket",
            "an agent of this user would listen in " + look.sockets.front()};
  return {Verdict::kLimited, "control socket",
          "no directory for it can be written: XDG_RUNTIME_DIR, /run/user, /tmp",
          "set XDG_RUNTIME_DIR, or give the agent dir= that can be written"};
}

std::string java_method(const Runtime& java) {
  if (java.openj9) return "not supported";
  if (java.major == 0) return "version not known";
  return java.major >= 8 ? "fork snapshot" : "heap walk";
}

std::string dotnet_method(const Runtime& dotnet) {
  return dotnet.major >= 9 ? "fork snapshot" : "heap walk";
}

template <class Method>
Finding runtimes_finding(const std::string& subject, const std::vector<Runtime>& found,
                         Method method, const std::string& where) {
  constexpr std::size_t kMost = 4;
  if (found.empty()) return {Verdict::kOk, subject, "none is found in " + where};
  std::string text;
  for (std::size_t i = 0; i < found.size() && i < kMost; ++i) {
    text += (i == 0 ? "" : ", ") + (found[i].version.empty() ? found[i].home : found[i].version) +
            " (" + method(found[i]) + ")";
  }
  if (found.size() > kMost) text += ", and " + std::to_string(found.size() - kMost) + " more";
  return {Verdict::kOk, subject, text};
}

Finding numbers_finding(const AttachOutcome& numbers) {
  if (numbers.good()) return {Verdict::kOk, "/proc", "shows the processes of this namespace"};
  return {Verdict::kNo, "/proc", numbers.text};
}

std::string advice_for_missing(LibrarySource source) {
  switch (source) {
    case LibrarySource::kOption:
      return "name another file with --library, or leave the option out";
    case LibrarySource::kVariable:
      return "set HOLDFAST_LIB to another file, or unset it";
    case LibrarySource::kUsualPlace:
      break;
  }
  return "install libholdfast.so beside the command";
}

std::string advice_for_another_build(LibrarySource source) {
  switch (source) {
    case LibrarySource::kOption:
      return "name one of this build with --library, or leave the option out";
    case LibrarySource::kVariable:
      return "set HOLDFAST_LIB to one of this build, or unset it";
    case LibrarySource::kUsualPlace:
      break;
  }
  return "install both of one build";
}

}  // namespace

std::string version_text(const std::string& version, const std::string& build) {
  return build.empty() ? version : version + " (build " + build + ")";
}

Finding library_finding(const LibraryLook& library, const std::string& own_version,
                        const std::string& own_build) {
  if (!library.refusal.good())
    return {Verdict::kNo, "library", library.refusal.text, advice_for_missing(library.source)};
  if (library.mark.version.empty())
    return {Verdict::kUnknown, "library", library.path + ": its version is not in it"};
  const std::string fact =
      library.path + ", " + version_text(library.mark.version, library.mark.build);
  const bool same_build =
      own_build.empty() || library.mark.build.empty() || own_build == library.mark.build;
  if (library.mark.version == own_version && same_build)
    return {Verdict::kOk, "library", fact + ", as this command"};
  return {Verdict::kLimited, "library",
          fact + "; this command is " + version_text(own_version, own_build),
          advice_for_another_build(library.source)};
}

Finding disk_finding(const std::string& subject, const DiskLook& disk) {
  if (disk.error != 0)
    return {Verdict::kLimited, subject,
            disk.path + ": cannot be written: " + reason_text(disk.error),
            "name another one: -o, --dir, or the agent's dir="};
  if (disk.free_bytes == UINT64_MAX)
    return {Verdict::kUnknown, subject, disk.path + ": the free room cannot be read"};
  const std::string fact = disk.path + ": " + human_bytes(disk.free_bytes) + " free";
  if (disk.free_bytes < kLittleRoom)
    return {Verdict::kLimited, subject, fact + "; a report has up to 2 MB, a snapshot more",
            "make room, or give another directory"};
  return {Verdict::kOk, subject, fact};
}

Finding memory_finding(const platforms::GroupFacts& groups, const Reading& available,
                       const Reading& resident) {
  std::uint64_t room = groups.room_bytes;
  if (available.known()) room = std::min(room, static_cast<std::uint64_t>(available.value));
  std::string fact = groups.version == 0 ? "no control group is seen"
                                         : "cgroup v" + std::to_string(groups.version);
  if (groups.limit_bytes != UINT64_MAX) fact += ", limit " + human_bytes(groups.limit_bytes);
  if (groups.version != 0 && groups.limit_bytes == UINT64_MAX) fact += ", no limit";
  if (room == UINT64_MAX)
    return {Verdict::kUnknown, "memory", fact + "; the free memory cannot be read"};
  fact += "; " + human_bytes(room) + " left";
  const auto used = static_cast<std::uint64_t>(resident.value);
  if (!resident.known() || used == 0 || room >= used) return {Verdict::kOk, "memory", fact};
  return {Verdict::kLimited, "memory",
          fact + ", the process has " + human_bytes(used) +
              ": the graph and the pages that are copied may not fit",
          "raise the limit; without room the graph is written to disk, or a simple dump is made"};
}

Finding processes_finding(const platforms::GroupFacts& groups, std::uint64_t needed,
                          const std::string& of_what, const std::string& advice) {
  if (groups.most_processes == UINT64_MAX) {
    if (groups.version == 0)
      return {Verdict::kUnknown, "processes", "no control group is seen, so no limit of one"};
    return {Verdict::kOk, "processes", "no limit of the control group"};
  }
  const std::uint64_t left = groups.most_processes - groups.processes;
  const std::string fact = thousands(left) + " more" + of_what;
  if (left >= needed) return {Verdict::kOk, "processes", fact};
  return {Verdict::kLimited, "processes", fact, advice};
}

Findings system_findings(const SystemLook& look) {
  const auto& system = look.system;
  const Finding processes =
      processes_finding(look.groups, kFewProcesses, " until the control group's limit",
                        "raise pids.max: a fork snapshot needs one, an agent a few threads");
  DiskLook temporary = look.temporary;
  Finding copies = disk_finding("/tmp", temporary);
  if (copies.verdict == Verdict::kOk && temporary.no_exec)
    copies = {Verdict::kLimited, "/tmp",
              copies.fact + ", but no code may be loaded from it (noexec)",
              "a library for a process in a container is copied to another place"};
  return {
      {"SYSTEM",
       {{Verdict::kOk, "kernel", system.kernel},
        numbers_finding(look.numbers),
        child_finding(look),
        seccomp_finding(look),
        ptrace_finding(system.ptrace_scope),
        namespaces_finding(system.user_namespaces),
        huge_pages_finding(system.huge_pages),
        overcommit_finding(system.overcommit)}},
      {"ROOM",
       {memory_finding(look.groups, system.available_bytes, {0, ENODATA}), processes,
        disk_finding("directory", look.working), copies, sockets_finding(look)}},
      {"HOLDFAST",
       {rights_finding(look.own), library_finding(look.library, look.own_version, look.own_build),
        runtimes_finding("Java", look.java, java_method, "JAVA_HOME, PATH, /usr/lib/jvm"),
        runtimes_finding(".NET", look.dotnet, dotnet_method,
                         "DOTNET_ROOT, PATH, /usr/share/dotnet, /usr/lib/dotnet")}}};
}

}  // namespace holdfast::cli
