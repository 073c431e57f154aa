#include "cli/talk/report_path.h"

#include <filesystem>

namespace holdfast::cli {

namespace fs = std::filesystem;

bool sees_our_files(std::uint32_t pid, const std::string& proc) {
  const fs::path process = fs::path(proc) / std::to_string(pid);
  std::error_code error;
  const fs::path ours = fs::read_symlink(fs::path(proc) / "self/ns/mnt", error);
  if (error) return false;
  const fs::path theirs = fs::read_symlink(process / "ns/mnt", error);
  if (error || ours != theirs) return false;
  return fs::equivalent(process / "root", "/", error) && !error;
}

ProcessPaths::ProcessPaths(std::uint32_t pid, const std::string& proc) {
  const fs::path process = fs::path(proc) / std::to_string(pid);
  working_ = (process / "cwd").string();
  if (!sees_our_files(pid, proc)) {
    root_ = (process / "root").string();
    return;
  }
  std::error_code error;
  const fs::path directory = fs::read_symlink(working_, error);
  if (!error) working_ = directory.string();
}

std::string ProcessPaths::path_for_caller(const std::string& path) const {
  if (fs::path(path).is_absolute()) return root_ + path;
  return (fs::path(working_) / fs::path(path).lexically_normal()).string();
}

}  // namespace holdfast::cli
