#include "cli/html/bounded_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/output_file.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

// Half of the rows each time: all cuts together take as long as the first page did.
constexpr std::size_t kCutFactor = 2;
constexpr std::size_t kLeastRows = 1;

Stop too_large(std::size_t bytes, std::size_t most_bytes) {
  return {ExitCode::kRefused, "--html: with one row a list the page would still have " +
                                  human_bytes(bytes) + "; allowed: " + human_bytes(most_bytes)};
}

}  // namespace

std::string bounded_page(const PageAssets& assets, PageLimit limit, const PageDocument& document) {
  std::size_t top = limit.rows;
  std::string page = html_page(assets, document(top));
  while (page.size() > limit.bytes && top > kLeastRows) {
    top = std::max(kLeastRows, top / kCutFactor);
    Json cut = document(top);
    cut["page_rows_limit"] = top;
    page = html_page(assets, cut);
  }
  if (page.size() > limit.bytes) throw too_large(page.size(), limit.bytes);
  return page;
}

}  // namespace holdfast::cli
