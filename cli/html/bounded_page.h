// A page that stays small: where its document is too large, the lists in it are cut until it is not.
// Why bounded: pages are mailed and kept.
// Shape:  packs the document once, and again for each cut; a cut page says so (`page_rows_limit`).   Zone: offline.
// Errors: Stop (4) where the page is too large with one row of each list.
#pragma once

#include <functional>
#include <string>

#include "cli/html/html_page.h"

namespace holdfast::cli {

inline constexpr std::size_t kMostPageBytes = 3'000'000;

struct PageLimit {
  std::size_t rows = 0;  // of the longest list, as it was asked for
  std::size_t bytes = kMostPageBytes;
};
// The document with so many rows of each list.
using PageDocument = std::function<Json(std::size_t top)>;

std::string bounded_page(const PageAssets& assets, PageLimit limit, const PageDocument& document);

}  // namespace holdfast::cli
