#include "cli/report/collections_view.h"

#include <algorithm>

#include "analysis/report/report_generated.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {

CollectionsView collections_view(const report::CollectionFacts& from) {
  CollectionsView view;
  view.now.young = from.young();
  view.now.full = from.full();
  view.now.cycles = from.concurrent();
  view.now.pause_ns = from.pause_ns();
  view.now.last_pause_ns = from.last_pause_ns();
  view.now.heard = {from.heard(),           from.heard_since_utc_ms(), from.longest_pause_ns(),
                    from.reclaimed_bytes(), from.before_bytes(),       from.after_bytes()};
  view.last_report_utc_ms = from.last_report_utc_ms();
  view.since.young = from.since_report_young();
  view.since.full = from.since_report_full();
  view.since.cycles = from.since_report_concurrent();
  view.since.pause_ns = from.since_report_pause_ns();
  view.since.heard.reclaimed_bytes = from.since_report_reclaimed_bytes();
  return view;
}

std::string collection_counts_text(const CollectionFigures& figures) {
  std::string text;
  const auto add = [&text](std::uint64_t count, const char* what) {
    if (count == kUnknownCount) return;
    text += (text.empty() ? "" : ", ") + thousands(count) + what;
  };
  add(figures.young, " young");
  add(figures.full, " full");
  if (figures.cycles != 0) add(figures.cycles, " beside the application");
  return text;
}

std::string last_collection_text(const HeardCollections& heard) {
  const std::uint64_t before = heard.before_bytes, after = heard.after_bytes;
  if (heard.count == 0 || after == kUnknownCount) return {};
  if (before == kUnknownCount) return human_bytes(after) + " were left";
  return human_bytes(before) + " became " + human_bytes(after) + ", " +
         human_bytes(before - std::min(before, after)) + " reclaimed";
}

}  // namespace holdfast::cli
