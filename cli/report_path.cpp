#include "cli/report_path.h"

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

std::string path_for_caller(std::uint32_t pid, const std::string& path, const std::string& proc) {
  const fs::path process = fs::path(proc) / std::to_string(pid);
  const bool ours = sees_our_files(pid, proc);
  if (fs::path(path).is_absolute()) return ours ? path : (process / "root").string() + path;
  const fs::path plain = fs::path(path).lexically_normal();
  std::error_code error;
  const fs::path directory = ours ? fs::read_symlink(process / "cwd", error) : process / "cwd";
  return ((error ? process / "cwd" : directory) / plain).string();
}

}  // namespace holdfast::cli
