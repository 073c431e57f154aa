// The options in force, as text that could be given again: a report should tell how to get another one like it.
#include "analysis/report/report_parts.h"
#include "common/option_text.h"

namespace holdfast::analysis {
namespace {

// The value's text lives in the arena until the strings are written.
Result<std::string_view> value_text(ReportJob& job, std::string_view key) noexcept {
  HF_TRY(text, job.arena.make_filled<char>(kMaxPrintedValue, '\0'));
  OptionText room = "";
  const std::string_view printed = option_text(job.options, key, room);
  if (printed.data() != room) return printed;
  std::copy(printed.begin(), printed.end(), text.begin());
  return std::string_view(text.data(), printed.size());
}

}  // namespace

Result<Offset<RowList<report::Option>>> write_options(ReportJob& job) noexcept {
  std::string_view keys[kMaxReportOptions];
  std::size_t count = 0;
  for (const OptionRow& row : option_table()) {
    if (count < kMaxReportOptions) keys[count++] = row.key;
  }
  return write_rows<report::Option>(
      job, count, kOptionBytes, [&](std::size_t i) -> Result<Offset<report::Option>> {
        HF_TRY(value, value_text(job, keys[i]));
        return report::CreateOption(job.builder(), job.text(keys[i]), job.text(value));
      });
}

}  // namespace holdfast::analysis
