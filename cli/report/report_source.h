// Where a report is found: a report file (.hfr), or inside a snapshot (.hfs), told apart by content.
// A basic report whose process is still at it is waited for, so counts and comparisons take the full one, or what is there
// when the analysis has ended.
// Shape:  of a snapshot only the head is read, so the heap's size does not matter. The report points into this object's memory.
// Zone:   offline.   Errors: one line and the exit code, as input_error.h.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/report/reader.h"
#include "analysis/snapshot_file/embedded_report.h"
#include "cli/input_error.h"

namespace holdfast::cli {

// Told by the first bytes; false where there is no such file, or no regular one.
bool is_snapshot_file(const std::string& path);

class ReportSource {
 public:
  std::optional<InputError> open(const std::string& path);
  // A report that was read already, and outlives this object; `name` is for the words of errors.
  std::optional<InputError> open_image(const std::string& name, std::span<const std::byte> image);

  // After an open() without error.
  const report::Report& report() const { return *report_; }
  std::uint64_t report_bytes() const { return report_bytes_; }

 private:
  std::optional<InputError> open_report(const std::string& path);
  Result<const report::Report*> open_settled(const std::string& path);
  std::optional<InputError> open_snapshot(const std::string& path);

  analysis::ReportFile file_;
  analysis::EmbeddedReport inside_;
  const report::Report* report_ = nullptr;
  std::uint64_t report_bytes_ = 0;
};

}  // namespace holdfast::cli
