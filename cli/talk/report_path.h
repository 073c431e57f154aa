// Where the caller finds a file that an agent wrote: the agent names it as its process sees it.
// Shape:  the same path where process and command have the same files in view; else through /proc/PID/root, or /proc/PID/cwd for a
//         path that is relative. Links in a foreign file system that begin with '/' lead astray; then the file is not there.
// Zone:   offline.   Errors: none; false, or a path that cannot be opened.
#pragma once

#include <cstdint>
#include <string>

namespace holdfast::cli {

// Decided before a dump is asked for: once its report is there, the process may have ended.
class ProcessPaths {
 public:
  explicit ProcessPaths(std::uint32_t pid, const std::string& proc = "/proc");
  std::string path_for_caller(const std::string& path) const;

 private:
  std::string root_;     // before a path that begins with '/'
  std::string working_;  // where other paths begin
};

// Same mount namespace, same root. `proc` is /proc but in tests.
bool sees_our_files(std::uint32_t pid, const std::string& proc = "/proc");

}  // namespace holdfast::cli
