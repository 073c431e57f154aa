#include "cli/doctor/process_look.h"

#include <cctype>
#include <filesystem>

#include "cli/attach/library_choice.h"
#include "cli/output_file.h"
#include "cli/talk/agent_connection.h"
#include "common/version.h"
#include "platforms/file.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

// Of "/opt/jdk/lib/server/libjvm.so": the file `release` of the JDK, which is some folders further up.
std::string java_version_of(const Target& target, int root) {
  constexpr int kMostFoldersUp = 5;
  constexpr std::size_t kReleaseBytes = 4096;
  fs::path folder = fs::path(target.vm_path).parent_path();
  for (int i = 0; i < kMostFoldersUp && folder.has_relative_path(); ++i) {
    folder = folder.parent_path();
    const platforms::Descriptor opened = platforms::open_directory_inside(root, folder.c_str());
    if (!opened.valid()) continue;
    char text[kReleaseBytes];
    const std::int64_t bytes = platforms::read_first_in(opened.get(), "release", text, sizeof text);
    if (bytes > 0) return release_value({text, static_cast<std::size_t>(bytes)}, "JAVA_VERSION");
  }
  return {};
}

std::string vm_version_of(const Target& target) {
  if (target.vm == VmKind::kCoreClr) return dotnet_version_of(target.vm_path);
  if (target.vm_path.empty()) return {};
  std::string version;
  as_ours_or_theirs(target.process, [&] {
    const platforms::Descriptor root =
        platforms::open_process_directory(target.process.pid, platforms::ProcessDirectory::kRoot);
    if (root.valid()) version = java_version_of(target, root.get());
    return root.error();
  });
  return version;
}

AgentLook agent_look_of(const control::Status& status) {
  AgentLook agent;
  agent.version = status.tool_version;
  agent.build = status.build_description;
  agent.vm_version = status.vm_version;
  agent.collector = status.collector;
  agent.frozen_refusal = status.frozen_refusal;
  agent.directory = status.dir;
  if (status.last_extended != nullptr) {
    agent.last_pause_ns = status.last_extended->pause_ns;
    agent.last_predicted_ns = status.last_extended->predicted_pause_ns;
  }
  return agent;
}

void ask_agent(std::uint32_t pid, const AgentDoor& door, ProcessLook& look) {
  try {
    const int descriptor = door.connect(pid);
    if (descriptor == AgentDoor::kNoAgent) return;
    AgentConnection agent(descriptor, pid);
    look.agent = agent_look_of(
        agent.ask(request_for(control::Command::kStatus), control::AnswerKind::kStatus).status);
  } catch (const Stop& stop) {
    look.agent_trouble = stop.text;
  }
}

// The agent's own; else where an agent would write, as cli/talk/agent_options chooses.
DiskLook directory_of(const ProcessLook& look) {
  const std::string process = "/proc/" + std::to_string(look.target.process.pid);
  DiskLook disk;
  if (look.agent && look.agent->directory.starts_with('/'))
    disk = look_at_disk(process + "/root" + look.agent->directory);
  else
    disk = look_at_disk(process + "/cwd");
  if (disk.error != 0 && !look.agent) disk = look_at_disk(process + "/root/tmp");
  std::error_code error;
  const fs::path shown = fs::canonical(disk.path, error);
  if (!error) disk.path = shown.string();
  return disk;
}

AttachOutcome fit_of(const ProcessLook& look) {
  platforms::ElfFacts program;
  const std::string path = "/proc/" + std::to_string(look.target.process.pid) + "/exe";
  const int error = as_ours_or_theirs(
      look.target.process, [&] { return platforms::read_elf_file(path.c_str(), program); });
  if (error != 0 || look.library.path.empty()) return {};
  LibraryChoice choice;
  choice.path = look.library.path;
  if (platforms::read_elf_file(choice.path.c_str(), choice.facts) != 0) return {};
  return check_fit(choice, look.target, program);
}

}  // namespace

std::string dotnet_version_of(const std::string& library_path) {
  const std::string name = fs::path(library_path).parent_path().filename().string();
  return major_version(name) != 0 && name.find('.') != std::string::npos ? name : std::string();
}

ProcessLook look_at_one(std::uint32_t pid, const std::string& asked_library,
                        const AgentDoor& door) {
  ProcessLook look;
  TargetLook target = look_at_process(pid);
  if (target.refusal.code == ExitCode::kWrongUsage)
    throw Stop{target.refusal.code, target.refusal.text};
  look.target = std::move(target.target);
  look.refusal = std::move(target.refusal);
  look.facts = platforms::read_process_facts("", pid);
  look.groups = platforms::read_group_facts("", pid);
  look.system = platforms::read_system_facts("");
  look.own_version = std::string(kVersion);
  look.own_build = std::string(build_description());
  look.library = look_at_library(asked_library);
  if (!look.refusal.good()) return look;
  look.loaded = !look.target.agent_path.empty();
  if (look.target.vm != VmKind::kNone) ask_agent(pid, door, look);
  look.vm_version = look.agent ? look.agent->vm_version : vm_version_of(look.target);
  if (look.library.refusal.good()) look.fit = fit_of(look);
  look.directory = directory_of(look);
  return look;
}

}  // namespace holdfast::cli
