// The formats that `holdfast export` writes, as one table: help, completion and errors are made from it.
// Shape:  a writer is a function of one report, or of the report's rows; it gives its bytes to a sink, piece by piece.
// Zone:   offline.   Errors: a sink throws Stop when it takes no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "cli/report/report_view.h"

namespace holdfast::cli {

// Takes the next bytes of the output.
using Sink = std::function<void(std::string_view)>;

enum class ExportKind : unsigned char { kPprof, kFolded, kJsonLines, kCsv, kOpenMetrics, kHprof };

struct ExportFormat {
  ExportKind kind;
  std::string_view name;
  bool binary;
  bool rows;              // --rows says which, and many files make one table
  std::string_view mark;  // how none but its files begin: such a file may be replaced by -o
  std::string_view says;  // for --help
};

std::span<const ExportFormat> export_formats();
// Null for an unknown name.
const ExportFormat* export_format(std::string_view name);
std::string export_format_names();  // "pprof, folded, …"

}  // namespace holdfast::cli
