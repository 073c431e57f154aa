#include "cli/html/trend_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace holdfast::cli {
namespace {

constexpr std::size_t kFiguresOfPoint = 3;

struct RowList {
  const char* rows;
  const char* total;
};
constexpr RowList kRowLists[] = {
    {"classes", "classes_total"}, {"objects", "objects_total"}, {"accounts", "accounts_total"}};

bool has_list(const Json& process, const RowList& list) {
  return process.contains(list.rows) && process[list.rows].is_array();
}

std::size_t longest_list(const Json& document) {
  std::size_t longest = 0;
  for (const Json& process : document["processes"])
    for (const RowList& list : kRowLists)
      if (has_list(process, list)) longest = std::max(longest, process[list.rows].size());
  return longest;
}

bool has_fewer(const Json& document, std::size_t top) {
  return std::ranges::any_of(document["processes"], [top](const Json& process) {
    return std::ranges::any_of(kRowLists, [&](const RowList& list) {
      return has_list(process, list) &&
             process[list.rows].size() < std::min(top, process[list.total].get<std::size_t>());
    });
  });
}

void cut_lists(Json& document, std::size_t top) {
  for (Json& process : document["processes"])
    for (const RowList& list : kRowLists) {
      if (!has_list(process, list) || process[list.rows].size() <= top) continue;
      Json& rows = process[list.rows];
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
