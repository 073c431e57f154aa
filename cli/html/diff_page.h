// The page of `holdfast diff`: the document of --json.
// Shape:  bounded_page.h.   Zone: offline.   Errors: Stop of bounded_page.h.
#pragma once

#include <string>

#include "cli/compare/diff.h"
#include "cli/html/bounded_page.h"
#include "cli/report/selection.h"

namespace holdfast::cli {

// `top`: rows of each list, as --top says.
std::string diff_page(const Diff& diff, std::size_t top = kAllRows,
                      std::size_t most_bytes = kMostPageBytes);

}  // namespace holdfast::cli
