#include "cli/talk/agent_options.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "cli/output_file.h"
#include "cli/talk/report_path.h"
#include "common/options.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

struct Owner {
  bool known = false;
  ::uid_t user = 0;
  std::vector<::gid_t> groups;  // the effective one and the supplementary ones
};

// "Uid: real effective saved file-system", and so for Gid.
Owner owner_of(const std::string& status_path) {
  Owner owner;
  std::ifstream status(status_path);
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string key;
    std::uint32_t real = 0, effective = 0;
    words >> key;
    if (key == "Uid:" && words >> real >> effective) {
      owner.user = effective;
      owner.known = true;
    } else if (key == "Gid:" && words >> real >> effective) {
      owner.groups.push_back(effective);
    } else if (key == "Groups:") {
      while (words >> real) owner.groups.push_back(real);
    }
  }
  return owner;
}

// By the mode alone: what an access list says beyond it, the agent finds out and says itself.
int write_error(const Owner& owner, const std::string& directory) {
  struct stat facts {};
  struct statvfs system {};
  if (!owner.known) return ESRCH;
  if (::stat(directory.c_str(), &facts) != 0) return errno;
  if (!S_ISDIR(facts.st_mode)) return ENOTDIR;
  if (facts.st_nlink == 0) return ENOENT;  // removed: root too makes no file in it
  if (::statvfs(directory.c_str(), &system) != 0) return errno;
  if ((system.f_flag & ST_RDONLY) != 0) return EROFS;
  if (owner.user == 0) return 0;
  const ::mode_t wanted = S_IWOTH | S_IXOTH;
  ::mode_t granted = facts.st_mode;
  if (facts.st_uid == owner.user)
    granted >>= 6;
  else if (std::ranges::find(owner.groups, facts.st_gid) != owner.groups.end())
    granted >>= 3;
  return (granted & wanted) == wanted ? 0 : EACCES;
}

// What a person calls a directory is seen from here; where the process sees other files it must be named as seen from there.
std::string asked_directory(std::uint32_t pid, const std::string& directory,
                            const std::string& proc) {
  if (fs::path(directory).is_absolute()) return directory;
  if (sees_our_files(pid, proc)) return fs::absolute(directory).lexically_normal().string();
  throw Stop{ExitCode::kWrongUsage,
             "--dir " + directory +
                 ": the process sees other files than this command; wanted is a directory of its "
                 "own, from its root"};
}

}  // namespace

std::string chosen_directory(std::uint32_t pid, const std::string& proc) {
  const std::string working = proc + "/" + std::to_string(pid) + "/cwd";
  return write_error_of(pid, working, proc) == 0 ? "." : "/tmp";
}

int write_error_of(std::uint32_t pid, const std::string& directory, const std::string& proc) {
  return write_error(owner_of(proc + "/" + std::to_string(pid) + "/status"), directory);
}

std::string start_options(std::uint32_t pid, const StartWishes& wishes, const std::string& proc) {
  Options options;
  OptionError error;
  if (!parse_options(wishes.options, options, error))
    throw Stop{ExitCode::kWrongUsage, std::string("--options: ") + error.text};
  std::string text = option_named(options, "on") ? "" : "on=off";
  const auto append = [&](const std::string& more) { text += (text.empty() ? "" : ",") + more; };
  if (!option_named(options, "dir")) {
    const std::string directory = wishes.directory.empty()
                                      ? chosen_directory(pid, proc)
                                      : asked_directory(pid, wishes.directory, proc);
    if (directory.find(',') != std::string::npos)
      throw Stop{ExitCode::kWrongUsage,
                 "--dir " + directory + ": a directory without ',' in its name is wanted"};
    append("dir=" + directory);
  } else if (!wishes.directory.empty()) {
    throw Stop{ExitCode::kWrongUsage, "--dir and dir= in --options: one of them is wanted"};
  }
  if (!wishes.options.empty()) append(wishes.options);
  return text;
}

}  // namespace holdfast::cli
