// This machine and this command, as a dump meets them: read once, judged by system_findings().
// Shape:  plain values.   Zone: offline.   Errors: none; each fact carries its own reason.
#pragma once

#include <string>
#include <vector>

#include "cli/attach/attach_outcome.h"
#include "cli/attach/library_choice.h"
#include "cli/doctor/finding.h"
#include "cli/doctor/library_mark.h"
#include "cli/doctor/runtimes.h"
#include "platforms/system_facts.h"

namespace holdfast::cli {

// A directory that something is written to.
struct DiskLook {
  std::string path;
  int error = 0;  // errno: nothing can be written there
  std::uint64_t free_bytes = UINT64_MAX;
  bool no_exec = false;  // a library that is copied there cannot be loaded
};
DiskLook look_at_disk(const std::string& path);
// The current directory, which may have been removed.
DiskLook look_at_working_directory();
// Can a control socket of ours be in this directory? One that is not there yet would be made.
bool usable_for_sockets(const std::string& directory);

struct LibraryLook {
  AttachOutcome refusal;
  std::string path;
  LibraryMark mark;
  LibrarySource source = LibrarySource::kUsualPlace;
};
LibraryLook look_at_library(const std::string& asked);

struct SystemLook {
  platforms::SystemFacts system;
  platforms::ProcessFacts own;
  platforms::GroupFacts groups;
  platforms::ChildTrial child;
  AttachOutcome numbers;  // does /proc show the processes that we can signal?
  LibraryLook library;
  DiskLook working, temporary;
  std::vector<std::string> sockets;  // the usual places for control sockets that can be used
  std::vector<Runtime> java, dotnet;
  std::string own_version, own_build;
};
SystemLook look_at_system(const std::string& asked_library);
Findings system_findings(const SystemLook& look);

// Of both kinds of look.
Finding library_finding(const LibraryLook& library, const std::string& own_version,
                        const std::string& own_build);
Finding disk_finding(const std::string& subject, const DiskLook& disk);
std::string version_text(const std::string& version, const std::string& build);
Finding processes_finding(const platforms::GroupFacts& groups, std::uint64_t needed,
                          const std::string& of_what, const std::string& advice);
// "a cgroup limit ...": memory of a process' groups, and of the machine.
Finding memory_finding(const platforms::GroupFacts& groups, const platforms::Reading& available,
                       const platforms::Reading& resident);

}  // namespace holdfast::cli
