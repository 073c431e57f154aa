// What the collector did, as JSON.
#include "cli/report/json_value.h"

#include <nlohmann/json.hpp>

#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

Json known(std::uint64_t value) { return value == kUnknownCount ? Json(nullptr) : Json(value); }
Json known_ms(std::uint64_t duration_ns) {
  return duration_ns == kUnknownCount ? Json(nullptr) : milliseconds(duration_ns);
}

}  // namespace

Json collection_counts_json(const CollectionFigures& figures) {
  return {{"young", known(figures.young)},
          {"full", known(figures.full)},
          {"concurrent", known(figures.cycles)},
          {"pause_ms", known_ms(figures.pause_ns)}};
}

Json heard_collections_json(const HeardCollections& heard) {
  if (heard.count == 0) return nullptr;
  return {{"collections", heard.count},
          {"since_utc", utc_for_programs(heard.since_utc_ms)},
          {"longest_pause_ms", known_ms(heard.longest_pause_ns)},
          {"reclaimed_bytes", known(heard.reclaimed_bytes)},
          {"last_before_bytes", known(heard.before_bytes)},
          {"last_after_bytes", known(heard.after_bytes)}};
}

Json collections_json(const ReportView& view) {
  if (!view.collections) return nullptr;
  const CollectionsView& told = *view.collections;
  Json json = collection_counts_json(told.now);
  json["last_pause_ms"] = known_ms(told.now.last_pause_ns);
  json["heard"] = heard_collections_json(told.now.heard);
  json["since_report"] = nullptr;
  if (told.last_report_utc_ms == 0) return json;
  Json since{{"utc", utc_for_programs(told.last_report_utc_ms)}};
  since.update(collection_counts_json(told.since));
  since["reclaimed_bytes"] = known(told.since.heard.reclaimed_bytes);
  json["since_report"] = since;
  return json;
}

}  // namespace holdfast::cli
