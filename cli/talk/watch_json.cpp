#include "cli/talk/watch_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/talk/age_table.h"
#include "cli/talk/class_trend.h"
#include "cli/talk/heap_json.h"
#include "cli/text/json_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

Json class_json(const WatchedClass& row, bool first) {
  const bool enough = row.series.size() >= kLeastTrendSamples;
  return {{"class", row.name},
          {"identity", std::to_string(row.identity)},
          {"instances", row.instances},
          {"shallow_bytes", row.shallow_bytes},
          {"change_bytes", first ? Json(nullptr) : Json(row.change_bytes)},
          {"growth_bytes", first ? Json(nullptr) : Json(row.growth_bytes)},
          {"chance_of_rise", enough ? Json(chance_of_rise(row.series)) : Json(nullptr)}};
}

Json account_json(const AccountWatch& watch, const AccountWatchRow& row) {
  const AccountChange change = row.change();
  const bool live = watch.facts().live_known, known = row.known_before;
  const AmountView since = change.allocated(true);
  return {{"account", row.account},
          {"live", live ? amount_json(row.live) : Json(nullptr)},
          {"live_change_bytes", live && known ? Json(change.live_bytes()) : Json(nullptr)},
          {"live_change_bytes_error",
           live && known ? Json(change.live_errors().bytes_error) : Json(nullptr)},
          {"allocated", amount_json(row.allocated)},
          {"allocated_since_last", known ? amount_json(since) : Json(nullptr)},
          {"allocated_bytes_per_second",
           known ? Json(per_second(since.bytes, watch.elapsed_ms())) : Json(nullptr)}};
}

Json accounts_json(const AccountWatch& watch, std::size_t top) {
  const WatchedAccounts& facts = watch.facts();
  if (!facts.on) return nullptr;
  Json json{
      {"left_out", facts.left_out},         {"mode", facts.exact ? "exact" : "sampled"},
      {"live_known", facts.live_known},     {"began_utc", utc_for_programs(facts.began_utc_ms)},
      {"began_utc_ms", facts.began_utc_ms}, {"accounts_total", facts.total}};
  json["accounts"] = Json::array();
  for (std::size_t i = 0; i < std::min(top, watch.rows().size()); ++i)
    json["accounts"].push_back(account_json(watch, watch.rows()[i]));
  return json;
}

}  // namespace

std::string sample_json(const WatchState& state, const WatchedClasses& classes,
                        const FrameOptions& options, bool one_line, const Json* holders) {
  const ClassHistogram& last = state.last;
  const bool first = classes.samples() <= 1;
  Json document{{"schema_version", kJsonSchemaVersion},
                {"pid", state.process.pid},
                {"main_name", optional_text(state.process.name)},
                {"sample", classes.samples()},
                {"sequence", last.sequence},
                {"utc", utc_for_programs(last.taken_utc_ms)},
                {"utc_ms", last.taken_utc_ms},
                {"reachable_only", last.reachable_only},
                {"pause_ms", milliseconds(last.pause_ns)},
                {"cost_ms", milliseconds(last.cost_ns)}};
  document["heap"] = heap_json(last.heap);
  document["collections"] = collections_json(state.collections);
  document["total_instances"] = last.total_instances;
  document["total_bytes"] = last.total_bytes;
  document["classes_total"] = last.classes;
  document["left_out"] = state.left_out;
  document["classes"] = Json::array();
  const std::size_t top = options.top == 0 ? WatchedClasses::kMaxWatched : options.top;
  for (const WatchedClass* row : classes.rows(options.order, options.filter, top))
    document["classes"].push_back(class_json(*row, first));
  document["accounting"] = accounts_json(state.accounts, top);
  document["ages"] = ages_json(state.ages);
  if (holders != nullptr) document["holders"] = *holders;
  return json_text(document, one_line ? -1 : 1) + '\n';
}

}  // namespace holdfast::cli
