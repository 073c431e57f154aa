#include "cli/talk/agent_report.h"

#include <cerrno>
#include <cstring>
#include <optional>

#include "analysis/report/file_header.h"
#include "cli/output_file.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

std::string open_error_text(int error) {
  return error == ELOOP ? "is a link, and links are not followed" : std::strerror(error);
}

Stop no_report(const std::string& shown, const char* why) {
  return {ExitCode::kBadInput, shown + ": is not the report that the agent wrote: " + why};
}

void check_owner(int file, std::uint32_t user, const std::string& shown) {
  platforms::FileOwner owner;
  if (const int error = platforms::read_owner(file, owner); error != 0)
    throw Stop{ExitCode::kRefused, shown + ": cannot be read: " + std::strerror(error)};
  if (!owner.is_plain_file) throw no_report(shown, "no plain file");
  if (owner.user != user) throw no_report(shown, "not a file of the process' user");
}

bool begins_as_report(const std::vector<std::byte>& image) {
  return image.size() >= analysis::kReportMagic.size() &&
         std::memcmp(image.data(), analysis::kReportMagic.data(), analysis::kReportMagic.size()) ==
             0;
}

}  // namespace

AgentReports::AgentReports(std::uint32_t pid) {
  if (platforms::read_other_process(pid, process_) != 0) return;
  const int error = open_target_files(process_, files_);
  if (error == EACCES || error == EPERM)
    throw Stop{ExitCode::kRefused, not_permitted_text(process_)};
  opened_ = error == 0;
}

// A relative path starts where the process works. Its steps are resolved inside its root wherever that place has a name there.
platforms::Descriptor AgentReports::directory_of(const std::string& path) const {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (path.starts_with('/'))
    return platforms::open_directory_inside(files_.root.get(), directory.c_str());
  const bool here = directory == "." || directory == "./";
  if (!here && !files_.working_path.empty())
    return platforms::open_directory_inside(files_.root.get(),
                                            (files_.working_path + "/" + directory).c_str());
  return platforms::open_directory_inside(files_.working.get(), directory.c_str());
}

platforms::Descriptor AgentReports::open(const std::string& path) const {
  std::optional<platforms::BorrowedIdentity> theirs;
  if (platforms::own_effective_user() == 0)
    theirs.emplace(process_.effective_user, process_.effective_group);
  if (theirs && theirs->error() != 0) return platforms::Descriptor(-theirs->error());
  const platforms::Descriptor directory = directory_of(path);
  if (!directory.valid()) return platforms::Descriptor(-directory.error());
  return platforms::open_file_in(directory.get(), path.substr(path.rfind('/') + 1).c_str());
}

std::vector<std::byte> AgentReports::read(const std::string& path, std::uint64_t bytes,
                                          const std::string& shown) const {
  if (!opened_)
    throw Stop{ExitCode::kRefused,
               shown + ": cannot be read: process " + std::to_string(process_.pid) + " has ended"};
  if (bytes > kMaxAgentReportBytes)
    throw Stop{ExitCode::kRefused, shown + ": has " + human_bytes(bytes) +
                                       ", as the agent says; at most " +
                                       human_bytes(kMaxAgentReportBytes) + " are read"};
  const platforms::Descriptor file = open(path);
  if (!file.valid())
    throw Stop{ExitCode::kRefused, shown + ": cannot be read: " + open_error_text(file.error())};
  check_owner(file.get(), process_.effective_user, shown);
  std::vector<std::byte> image(bytes + 1);  // one more, to notice a longer file
  const std::int64_t got = platforms::read_descriptor(file.get(), image.data(), image.size());
  if (got < 0)
    throw Stop{ExitCode::kRefused,
               shown + ": cannot be read: " + std::strerror(static_cast<int>(-got))};
  if (static_cast<std::uint64_t>(got) != bytes) throw no_report(shown, "another length");
  image.resize(bytes);
  if (!begins_as_report(image)) throw no_report(shown, "it begins otherwise");
  return image;
}

}  // namespace holdfast::cli
