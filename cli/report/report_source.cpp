#include "cli/report/report_source.h"

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "analysis/report/report_generated.h"
#include "analysis/snapshot_file/block_format.h"
#include "platforms/clock.h"
#include "platforms/file.h"

namespace holdfast::cli {
namespace {

// The optional passes have 10 s, but of a process that may get little of a core.
constexpr std::uint64_t kMostWaitNs = 30'000'000'000;
constexpr std::uint64_t kLookEveryNs = 50'000'000;

}  // namespace

bool is_snapshot_file(const std::string& path) {
  std::error_code ignored;  // to open a pipe waits for whoever writes into it, perhaps for ever
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  constexpr std::size_t kNameBytes = 4;  // 0x89 'H' 'F' 'S'
  std::array<char, kNameBytes> name{};
  std::ifstream file(path, std::ios::binary);
  return file.read(name.data(), kNameBytes) &&
         std::memcmp(name.data(), analysis::kSnapshotMagic.data(), kNameBytes) == 0;
}

std::optional<InputError> ReportSource::open(const std::string& path) {
  return is_snapshot_file(path) ? open_snapshot(path) : open_report(path);
}

std::optional<InputError> ReportSource::open_image(const std::string& name,
                                                   std::span<const std::byte> image) {
  const auto report = analysis::check_report(image);
  if (!report) return describe_image_error(name, report.error(), image.size());
  report_ = *report;
  report_bytes_ = image.size();
  return std::nullopt;
}

Result<const report::Report*> ReportSource::open_settled(const std::string& path) {
  const std::uint64_t until = platforms::monotonic_ns() + kMostWaitNs;
  while (true) {
    // Before the file is looked at: the lock goes after the full report has come.
    const bool unfinished = platforms::is_being_written(path.c_str());
    const auto report = file_.open(path.c_str());
    if (!report || !(*report)->basic() || !unfinished || platforms::monotonic_ns() > until)
      return report;
    platforms::sleep_ns(kLookEveryNs);
  }
}

std::optional<InputError> ReportSource::open_report(const std::string& path) {
  const auto report = open_settled(path);
  if (!report) return describe_input_error(path, report.error(), file_.file_bytes());
  report_ = *report;
  report_bytes_ = file_.file_bytes();
  return std::nullopt;
}

std::optional<InputError> ReportSource::open_snapshot(const std::string& path) {
  if (const auto read = inside_.open(path.c_str()); !read)
    return describe_snapshot_error(path, read.error(), inside_.file_bytes());
  if (inside_.image().empty()) return describe_missing_report(path);
  const auto report = analysis::check_report(inside_.image());
  if (!report) return describe_embedded_error(path, report.error(), inside_.image().size());
  report_ = *report;
  report_bytes_ = inside_.image().size();
  return std::nullopt;
}

}  // namespace holdfast::cli
