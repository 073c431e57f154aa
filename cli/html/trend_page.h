// The page of `holdfast trend`: the document of --json.
// Why fewer rows at first: 300 processes with 6,000 classes each would be a gigabyte before anything is packed.
// Shape:  at most kMostPageValues values of classes, whatever is asked for, and of accounts and single objects as many rows, which are 1,000
//         and 5,000 at most; then bounded_page.h.
// Zone:   offline.   Errors: Stop of bounded_page.h.
#pragma once

#include <string>

#include "cli/html/bounded_page.h"

namespace holdfast::cli {

// About 2,000 classes of one process with 64 points and three figures at each; 6 MB as values, 2 MB packed.
inline constexpr std::size_t kMostPageValues = 400'000;

// How many classes, how many objects, and how many accounts, of each process a page has room for; `points`: of all processes together.
std::size_t trend_page_rows(std::size_t points, std::size_t top);
// `top`: rows that were asked for. The document may have fewer; then the page says so.
std::string trend_page(Json document, std::size_t top, std::size_t most_bytes = kMostPageBytes);

}  // namespace holdfast::cli
