#include "cli/html/report_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/report/json_value.h"

namespace holdfast::cli {
namespace {

std::size_t longest_of_graph(const ReportView& view) {
  const std::size_t hidden = view.reachable ? view.reachable->hidden.size() : 0;
  if (!view.cuts) return hidden;
  return std::max({hidden, view.cuts->cuts.size(), view.cuts->most_references.size(),
                   view.cuts->most_referrers.size()});
}

std::size_t longest_of_accounts(const ReportView& view) {
  if (!view.accounts) return 0;
  return std::max({view.accounts->accounts.rows.size(), view.accounts->pairs.rows.size(),
                   view.accounts->classes.rows.size(), view.accounts->methods.rows.size(),
                   view.accounts->threads.rows.size(), view.accounts->annotations.rows.size()});
}

std::size_t longest_list(const ReportView& view) {
  return std::max(
      {view.classes.size(), view.loaders.size(), view.packages.size(), view.threads.size(),
       view.tree.size(), view.top_objects.size(), view.suspects.size(), longest_of_graph(view),
       longest_of_accounts(view), view.aging ? view.aging->classes.size() : 0,
       view.ages ? view.ages->classes.size() : 0, view.holders ? view.holders->classes.size() : 0});
}

}  // namespace

std::string report_page(const ReportView& view, std::size_t top, std::size_t most_bytes) {
  return bounded_page(kReportPage, {std::min(top, longest_list(view)), most_bytes},
                      [&](std::size_t rows) {
                        return report_document(view, {rows, std::nullopt});
                      });
}

}  // namespace holdfast::cli
