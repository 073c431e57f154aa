// A process as a dump of it meets it: read once, judged by process_findings().
// Shape:  plain values; what /proc says (attach/target.h), what its files say of the VM's version, what an agent in it answers.
// Zone:   offline.   Errors: Stop: no such process. Everything else is in the values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/attach/target.h"
#include "cli/doctor/system_look.h"
#include "cli/talk/agent_door.h"

namespace holdfast::cli {

// What the agent in it says of itself; of control::Status, whose views do not last.
struct AgentLook {
  std::string version, build, vm_version, collector, frozen_refusal, directory;
  std::uint64_t last_pause_ns = 0, last_predicted_ns = 0;  // of the last extended dump; 0: none
};

struct ProcessLook {
  Target target;
  AttachOutcome refusal;  // it may not be looked at, or has ended
  platforms::ProcessFacts facts;
  platforms::GroupFacts groups;
  platforms::SystemFacts system;
  std::string vm_version;  // "17.0.17"; empty: its files do not say it
  bool loaded = false;     // libholdfast.so is in its memory
  std::optional<AgentLook> agent;
  std::string agent_trouble;  // why one that is there could not be asked
  LibraryLook library;
  AttachOutcome fit;             // is the library for its machine and libc?
  std::string fit_trouble;       // why that is not known
  platforms::Reading direct_io;  // files that are open with O_DIRECT, where the kernel needs care
  DiskLook directory;            // where reports would go, as the process names it
  std::string own_version, own_build;
};
ProcessLook look_at_one(std::uint32_t pid, const std::string& asked_library, const AgentDoor& door);
Findings process_findings(const ProcessLook& look);

// A directory of a process, as it names it itself: absolute, or from its working directory. Its user is asked for, not ours.
DiskLook look_at_disk_of(const platforms::OtherProcess& process, const std::string& directory);
// Asks the agent in it. One of a process that is stopped is not waited for.
void look_for_agent(const AgentDoor& door, ProcessLook& look);
// Is the library `path` for this process? Sets fit and fit_trouble.
void look_at_fit(const std::string& path, ProcessLook& look);

// The version of a CLR from where its library lies: 9.0.1 of ".../Microsoft.NETCore.App/9.0.1/libcoreclr.so".
std::string dotnet_version_of(const std::string& library_path);
// 1 of "1.1.13": .NET has no versions that begin with "1." for nothing, as Java has.
unsigned dotnet_major(std::string_view version);

}  // namespace holdfast::cli
