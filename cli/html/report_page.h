// `--html OUT`: the page of a report, for `report` and `analyze`.
// Why bounded: pages are mailed and kept. A report has at most 2 MB, and its page at most kMostPageBytes: where packing is not
//      enough, the lists are cut until it is, and the page says so.
// Shape:  the document of --json, packed once; again for each cut.   Zone: offline.
// Errors: Stop of output_file.h: complete or absent; only an empty file or a page of ours is replaced.
#pragma once

#include <string>

#include "cli/output_file.h"
#include "cli/report/report_view.h"
#include "cli/report/selection.h"

namespace holdfast::cli {

inline constexpr std::size_t kMostPageBytes = 3'000'000;

// `top`: rows of each list, as --top says.
std::string report_page(const ReportView& view, std::size_t top = kAllRows,
                        std::size_t most_bytes = kMostPageBytes);
OutputFile page_file(const std::string& path);
void write_page(const OutputFile& file, const std::string& page);

}  // namespace holdfast::cli
