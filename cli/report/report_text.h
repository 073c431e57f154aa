// A report as text for a person: the verdict first, then what it rests on, then everything else.
// Shape:  sections in the order of report_text.cpp; lists cut at `top` rows, the rest summed up. O(report).
// Zone:   offline.   Errors: none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/report/selection.h"

namespace holdfast::cli {

struct TextOptions {
  std::size_t columns = 80;
  bool colour = false;
  std::size_t top = 15;
  std::optional<ClassOrder> order = std::nullopt;  // absent: by retained size, then by shallow size
};

std::string report_text(const ReportView& view, const TextOptions& options);

}  // namespace holdfast::cli
