// A report as OpenMetrics text: what a node's text-file collector or a push gateway takes.
// Why bounded: every class is a time series, and a heap has thousands of them; the largest --top are named, the others summed.
// Shape:  families holdfast_… (export-formats.md), each sample with the labels main and pid; "# EOF" at the end. Classes of one name
//         and loader are one series, added up. Label values are shortened to kMaxLabelColumns and escaped.
// Zone:   offline.   Errors: those of the sink.
// Source: OpenMetrics 1.0, "Text format".
#pragma once

#include "cli/export/export_format.h"

namespace holdfast::cli {

inline constexpr std::size_t kMaxLabelColumns = 200;
inline constexpr std::size_t kDefaultMetricClasses = 50;

void write_open_metrics(const ReportView& view, std::size_t top, const Sink& sink);

}  // namespace holdfast::cli
