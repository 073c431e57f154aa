// A process as a dump of it meets it: read once, judged by process_findings().
// Shape:  plain values; what /proc says (attach/target.h), what its files say of the VM's version, what an agent in it answers.
// Zone:   offline.   Errors: Stop: no such process. Everything else is in the values.
#pragma once

#include <optional>
#include <string>

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
  AttachOutcome fit;   // is the library for its machine and libc?
  DiskLook directory;  // where reports would go, as this command sees it
  std::string own_version, own_build;
};
ProcessLook look_at_one(std::uint32_t pid, const std::string& asked_library, const AgentDoor& door);
Findings process_findings(const ProcessLook& look);

// The version of a JVM or CLR from where its library lies and the file `release`: 9.0.1 of ".../9.0.1/libcoreclr.so".
std::string dotnet_version_of(const std::string& library_path);

}  // namespace holdfast::cli
