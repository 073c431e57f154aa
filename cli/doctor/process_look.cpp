#include "cli/doctor/process_look.h"

#include <cerrno>
#include <charconv>
#include <filesystem>

#include "cli/attach/library_choice.h"
#include "cli/output_file.h"
#include "cli/talk/agent_connection.h"
#include "cli/talk/agent_options.h"
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
  const auto& process = look.target.process;
  const bool said = look.agent && !look.agent->directory.empty();
  return look_at_disk_of(process, said ? look.agent->directory : chosen_directory(process.pid));
}

std::string path_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

}  // namespace

void look_for_agent(const AgentDoor& door, ProcessLook& look) {
  if (look.target.vm == VmKind::kNone) return;
  if (look.target.process.state != platforms::ProcessState::kStopped)
    ask_agent(look.target.process.pid, door, look);
  else if (look.loaded)
    look.agent_trouble =
        "libholdfast.so is in its memory; the process is stopped, so its agent "
        "cannot answer";
}

DiskLook look_at_disk_of(const platforms::OtherProcess& process, const std::string& directory) {
  DiskLook disk;
  disk.path = directory;
  TargetFiles files;
  disk.error = open_target_files(process, files);
  if (disk.error != 0) return disk;
  if (!directory.starts_with('/') && !files.working_path.empty())
    disk.path = (fs::path(files.working_path) / directory).lexically_normal().string();
  if (disk.path.size() > 1 && disk.path.ends_with('/')) disk.path.pop_back();
  platforms::Descriptor opened(-ENOENT);
  if (directory == ".")
    opened = std::move(files.working);
  else if (disk.path.starts_with('/'))
    opened = platforms::open_directory_inside(files.root.get(), disk.path.c_str());
  disk.error = opened.valid() ? write_error_of(process.pid, path_of(opened.get())) : opened.error();
  platforms::DirectoryFacts facts;
  if (disk.error != 0 || platforms::read_directory_facts(opened.get(), facts) != 0) return disk;
  disk.free_bytes = facts.free_bytes;
  disk.no_exec = facts.no_exec;
  return disk;
}

void look_at_fit(const std::string& path, ProcessLook& look) {
  platforms::ElfFacts program;
  const std::string exe = "/proc/" + std::to_string(look.target.process.pid) + "/exe";
  LibraryChoice choice;
  choice.path = path;
  if (const int error = as_ours_or_theirs(
          look.target.process, [&] { return platforms::read_elf_file(exe.c_str(), program); });
      error != 0)
    look.fit_trouble = "the program cannot be read: " + reason_text(error);
  else if (const int own = platforms::read_elf_file(path.c_str(), choice.facts); own != 0)
    look.fit_trouble = path + ": " + reason_text(own);
  else
    look.fit = check_fit(choice, look.target, program);
}

// A folder of another name is an application's own, as of one that was published with its runtime.
std::string dotnet_version_of(const std::string& library_path) {
  const fs::path folder = fs::path(library_path).parent_path();
  if (folder.parent_path().filename() != "Microsoft.NETCore.App") return {};
  const std::string name = folder.filename().string();
  return dotnet_major(name) != 0 && name.find('.') != std::string::npos ? name : std::string();
}

unsigned dotnet_major(std::string_view version) {
  unsigned major = 0;
  const auto read = std::from_chars(version.data(), version.data() + version.size(), major);
  return read.ec == std::errc{} ? major : 0;
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
  look_for_agent(door, look);
  look.vm_version = look.agent ? look.agent->vm_version : vm_version_of(look.target);
  if (look.library.refusal.good()) look_at_fit(look.library.path, look);
  if (!look.system.pins_direct_io)
    as_ours_or_theirs(look.target.process, [&] {
      look.direct_io = platforms::count_direct_io("", pid);
      return look.direct_io.error;
    });
  look.directory = directory_of(look);
  return look;
}

}  // namespace holdfast::cli
