#include "cli/html/diff_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/compare/diff_json.h"

namespace holdfast::cli {

std::string diff_page(const Diff& diff, std::size_t top, std::size_t most_bytes) {
  const Comparison& all = diff.comparison;
  const std::size_t longest =
      std::max({all.classes.rows.size(), all.packages.rows.size(), all.loaders.rows.size(),
                all.tree.size(), diff.accounts.rows.size(), diff.objects.rows.size()});
  return bounded_page(kDiffPage, {std::min(top, longest), most_bytes},
                      [&](std::size_t rows) { return diff_document(diff, rows, {}); });
}

}  // namespace holdfast::cli
