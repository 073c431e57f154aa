#include "cli/html/trend_page.h"

#include <algorithm>

namespace holdfast::cli {
namespace {

constexpr std::size_t kFiguresOfPoint = 3;

std::size_t longest_list(const Json& document) {
  std::size_t longest = 0;
  for (const Json& process : document["processes"])
    if (process.contains("classes")) longest = std::max(longest, process["classes"].size());
  return longest;
}

bool has_fewer(const Json& document, std::size_t top) {
  return std::ranges::any_of(document["processes"], [top](const Json& process) {
    return process.contains("classes") &&
           process["classes"].size() < std::min(top, process["classes_total"].get<std::size_t>());
  });
}

void cut_lists(Json& document, std::size_t top) {
  for (Json& process : document["processes"]) {
    if (!process.contains("classes") || process["classes"].size() <= top) continue;
    Json& rows = process["classes"];
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(top), rows.end());
  }
}

}  // namespace

std::size_t trend_page_rows(std::size_t points, std::size_t top) {
  const std::size_t values = std::max<std::size_t>(1, points) * kFiguresOfPoint;
  return std::clamp<std::size_t>(kMostPageValues / values, 1, top);
}

std::string trend_page(Json document, std::size_t top, std::size_t most_bytes) {
  const std::size_t rows = longest_list(document);
  if (has_fewer(document, top)) document["page_rows_limit"] = rows;
  return bounded_page(kTrendPage, {rows, most_bytes}, [&](std::size_t most) -> Json {
    cut_lists(document, most);
    return document;
  });
}

}  // namespace holdfast::cli
