#include "cli/export/export_format.h"

#include <algorithm>

#include "cli/export/pprof.h"

namespace holdfast::cli {
namespace {

using namespace std::string_view_literals;

// Files of these formats begin as those of other programs do: none that has content is replaced. No file begins so.
constexpr std::string_view kNoMark = "\0no file of holdfast export begins with this\0"sv;

constexpr ExportFormat kFormats[] = {
    {ExportKind::kPprof, "pprof", true, false, kPprofMark,
     "profile.proto, for pprof and what reads its files"},
    {ExportKind::kFolded, "folded", false, false, kNoMark, "folded stacks, for flame graphs"},
    {ExportKind::kJsonLines, "jsonl", false, true, kNoMark, "one JSON object a row, for databases"},
    {ExportKind::kCsv, "csv", false, true, "file,host,main,", "the same rows as CSV (RFC 4180)"},
    {ExportKind::kOpenMetrics, "openmetrics", false, false, "# TYPE holdfast_",
     "gauges as text, for Prometheus and its kin"},
    {ExportKind::kHprof, "hprof", true, false, kNoMark,
     "a heap dump without contents, of a snapshot (.hfs)"},
};

}  // namespace

std::span<const ExportFormat> export_formats() { return kFormats; }

const ExportFormat* export_format(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &ExportFormat::name);
  return found == std::end(kFormats) ? nullptr : found;
}

std::string export_format_names() {
  std::string names;
  for (const ExportFormat& format : kFormats)
    names.append(names.empty() ? "" : ", ").append(format.name);
  return names;
}

}  // namespace holdfast::cli
