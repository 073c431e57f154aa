// A report that another process' agent says it wrote: read with the rights of that process, and only if it is one.
// Why not simply opened: the agent is the application's, which may be hostile. Where root asked for the dump, a path or a link that
//      leads to somebody else's file must not hand that file out, nor a link of a container lead into our own file system.
// Shape:  the process' directories are opened before the dump; the file is read as the process' user, never through a link in its last
//         step, whole into memory, where it cannot change any more. It must be a plain file of that user and begin as a report.
// Zone:   offline; a command with one thread (root borrows the identity of the process' user for a while).
// Errors: Stop: 4 what cannot be opened or is too large, 3 what is no report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/attach/target.h"

namespace holdfast::cli {

// Reports have some hundred KB; the agent's own bounds keep them far below this.
inline constexpr std::uint64_t kMaxAgentReportBytes = std::uint64_t{64} << 20;

class AgentReports {
 public:
  // Refuses a process whose files are closed to us; one that has ended is refused by read().
  explicit AgentReports(std::uint32_t pid);
  // `path` as the agent names it, `shown` as we name it to people.
  std::vector<std::byte> read(const std::string& path, std::uint64_t bytes,
                              const std::string& shown) const;

 private:
  platforms::Descriptor open(const std::string& path) const;
  platforms::Descriptor directory_of(const std::string& path) const;

  platforms::OtherProcess process_;
  TargetFiles files_;
  bool opened_ = false;
};

}  // namespace holdfast::cli
