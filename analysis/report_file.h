// Where a finished report goes: its name by the pattern of file=, as a whole or not at all, and older ones beyond max-dumps gone.
// Why the name first: the report holds its own number (%n), so a free name is found before the report is built.
// Shape:  a number is taken upwards until the name is free; a pattern without %n gets "-2", "-3" ... before its ending.
//         Only files that begin with the pattern's constant part and end alike count for max-dumps.
// Zone:   worker.
// Errors: kBadOption (the pattern), kExists (no free name), kIo (detail: errno); no file is left behind.
#pragma once

#include <cstddef>
#include <span>

#include "common/atomic_file.h"
#include "common/dump_engine.h"
#include "common/file_name.h"

namespace holdfast::analysis {

// Moves input.record.sequence on to the first number whose name is free.
Result<FileName> choose_report_name(AnalysisInput& input) noexcept;

// A report's ways to disk: the basic one early, locked as long as a fuller one may follow, then the full one in its place.
class ReportFiles {
 public:
  ReportFiles(const AnalysisInput& input, const FileName& name) noexcept
      : input_(input), name_(name) {}

  Result<void> publish_basic(std::span<const std::byte> image) noexcept;
  Result<void> publish(std::span<const std::byte> image) noexcept;
  bool has_basic() const noexcept { return has_basic_; }
  // Of what was published last.
  const AnalysisOutcome& outcome() const noexcept { return outcome_; }

 private:
  Result<void> open(AtomicFile& file, std::span<const std::byte> image) noexcept;
  void note(const AtomicFile& file, std::size_t bytes) noexcept;

  const AnalysisInput& input_;
  const FileName& name_;
  AtomicFile basic_;
  bool has_basic_ = false;
  AnalysisOutcome outcome_;
};

// Removes what processes that are gone left half-written, and the oldest reports beyond max-dumps.
void tidy_directory(const AnalysisInput& input) noexcept;

}  // namespace holdfast::analysis
