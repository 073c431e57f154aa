#include "cli/compare/account_trend_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/compare/growth_json.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr std::pair<const char*, std::uint64_t AmountView::*> kAmountKeys[] = {
    {"objects", &AmountView::objects},
    {"bytes", &AmountView::bytes},
    {"objects_error", &AmountView::objects_error},
    {"bytes_error", &AmountView::bytes_error}};

// A list for each part of an amount; null where it is not known.
Json amounts_json(const AccountTrend& trend, const OneAccount& one,
                  const std::vector<AmountView>& amounts) {
  Json json = Json::object();
  for (const auto& [key, part] : kAmountKeys) {
    Json values = Json::array();
    for (std::size_t at = 0; at < trend.series->points().size(); ++at) {
      const bool known = listed_at(one, at) && std::ranges::binary_search(trend.compared, at);
      values.push_back(known ? Json(amounts[at].*part) : Json(nullptr));
    }
    json[key] = std::move(values);
  }
  return json;
}

Json judged_by(const AccountTrend& trend) {
  if (!trend.live_known) return nullptr;
  return trend.by_objects ? "live_objects" : "live_bytes";
}

}  // namespace

Json accounting_json(const AccountTrend& trend) {
  if (!trend.told()) return nullptr;
  const Accounting& accounting = trend.accounting();
  return {{"mode", mode_word(accounting.exact, accounting.live_counted)},
          {"live_known", trend.live_known},
          {"sample_interval_bytes", accounting.sample_interval_bytes},
          {"began_utc", utc_for_programs(accounting.began_utc_ms)},
          {"began_utc_ms", accounting.began_utc_ms},
          {"points", trend.compared.size()},
          {"left_out", optional_text(accounts_left_out(trend))},
          {"judged_by", judged_by(trend)},
          {"tests", trend.tests},
          {"reports_needed", least_points(std::max<std::size_t>(trend.tests, 1))},
          {"rows_dropped", trend.series->dropped()}};
}

Json account_row_json(const AccountTrend& trend, const AccountTrendRow& row) {
  Json json{{"account", row.series->account}};
  json.update(growth_json(trend.live_known ? row.growth : Growth{}));
  if (!trend.live_known) json["course"] = json["per_hour"] = nullptr;
  json["live"] =
      trend.live_known ? amounts_json(trend, *row.series, row.series->live) : Json(nullptr);
  json["allocated"] = amounts_json(trend, *row.series, row.series->allocated);
  json["allocated_bytes_per_second"] = per_second(row.change.allocated(true).bytes, row.elapsed_ms);
  return json;
}

}  // namespace holdfast::cli
