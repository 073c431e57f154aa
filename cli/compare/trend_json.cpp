#include "cli/compare/trend_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/compare/account_trend_json.h"
#include "cli/compare/change_text.h"
#include "cli/compare/facts_json.h"
#include "cli/compare/growth_json.h"
#include "cli/compare/object_trend_json.h"
#include "cli/compare/state_changes.h"
#include "cli/report/verdict.h"
#include "cli/text/json_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

Json known_json(const ProcessTrend& trend, const OneSeries& one, ClassOrder which) {
  Json values = Json::array();
  for (const auto& value : trend.series->known(one, which))
    values.push_back(value ? Json(*value) : Json(nullptr));
  return values;
}

bool all_retained(const ProcessTrend& trend) {
  return std::ranges::all_of(trend.choice.points,
                             [&](std::size_t at) { return trend.process->reports[at].retained; });
}

Json row_json(const ProcessTrend& trend, const TrendRow& row, bool retained) {
  Json json{{"class", row.series->name},
            {"loader", optional_text(row.series->loader)},
            {"platform", row.series->platform}};
  json.update(growth_json(row.growth));
  json["instances"] = known_json(trend, *row.series, ClassOrder::kInstances);
  json["shallow_bytes"] = known_json(trend, *row.series, ClassOrder::kShallow);
  json["retained_bytes"] =
      retained ? known_json(trend, *row.series, ClassOrder::kRetained) : Json(nullptr);
  return json;
}

Json held_figures_json(const Figures& figures, bool retained) {
  return {{"instances", figures.instances},
          {"shallow_bytes", figures.shallow_bytes},
          {"retained_bytes", retained ? Json(figures.retained_bytes) : Json(nullptr)}};
}

Json points_json(const ProcessTrend& trend) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < trend.points(); ++i) {
    const ReportFacts& facts = trend.process->reports[trend.choice.points[i]];
    const SeriesPoint& point = trend.series->points()[i];
    Json row{{"file", facts.file},
             {"dumped_utc", utc_for_programs(facts.dumped_utc_ms)},
             {"dumped_utc_ms", facts.dumped_utc_ms},
             {"kind", facts.extended ? "extended" : "simple"}};
    row.update(held_figures_json(point.totals, facts.retained));
    row["heap_used_bytes"] =
        facts.heap_used_bytes > 0 ? Json(facts.heap_used_bytes) : Json(nullptr);
    row["at_most"] = point.whole ? Json(nullptr) : held_figures_json(point.at_most, facts.retained);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json process_json(const ProcessReports& process) {
  const ReportFacts& first = process.reports.front();
  const std::uint64_t start_ms = first.vm_start_ms();
  return {{"main_name", first.main_name},
          {"vm_name", first.vm_name},
          {"vm_version", first.vm_version},
          {"host", first.host},
          {"container", optional_text(first.container)},
          {"pid", first.pid},
          {"vm_started_utc", start_ms == 0 ? Json(nullptr) : Json(utc_for_programs(start_ms))},
          {"reports", process.reports.size()},
          {"copies", process.copies},
          {"first_utc", utc_for_programs(first.dumped_utc_ms)},
          {"last_utc", utc_for_programs(process.reports.back().dumped_utc_ms)}};
}

void add_trend(Json& json, const ProcessTrend& trend) {
  json["verdict"] = trend_verdict(trend, kFullNames);
  json["caution"] = optional_text(trend_caution(trend));
  json["judged_by"] = figure_word(trend.order);
  json["counted"] = word(trend.choice.counted);
  json["comparable_reports"] = trend.choice.comparable;
  json["reports_needed"] = trend.needed();
  json["window_ms"] = trend.window_ms();
  json["tests"] = trend.tests;
  json["level"] = kTrendLevel;
  json["points"] = points_json(trend);
  json["heap"] = growth_json(trend.heap);
  json["classes_total"] = trend.rows.size();
  json["rows_dropped"] = trend.series->dropped();
  json["states"] = state_series_json(trend);
  json["tracking"] = object_tracking_json(trend.objects);
  json["objects_total"] = trend.objects.rows.size();
  json["accounting"] = accounting_json(trend.accounts);
  json["accounts_total"] = trend.accounts.rows.size();
}

std::string text_of(const Json& json) { return json_text(json, -1); }

// The object without its end, and a list begun in it.
void open_object(std::ostream& out, const Json& json, const char* list) {
  std::string text = text_of(json);
  text.pop_back();
  out << text << ",\n\"" << list << "\": [";
}

// The rows of a list that was begun, each on a line, and its end.
template <class Row, class RowJson>
void write_rows(std::ostream& out, const std::vector<Row>& rows, std::size_t top,
                const RowJson& row_json_of) {
  for (std::size_t i = 0; i < std::min(top, rows.size()); ++i)
    out << (i == 0 ? "\n" : ",\n") << text_of(row_json_of(rows[i]));
  out << "\n]";
}

// A further list, null where the reports have nothing of its kind.
template <class Trend, class RowJson>
void write_list(std::ostream& out, const char* list, const Trend& trend, std::size_t top,
                const RowJson& row_json_of) {
  out << ",\n\"" << list << "\": ";
  if (!trend.told()) {
    out << "null";
    return;
  }
  out << '[';
  write_rows(out, trend.rows, top, [&](const auto& row) { return row_json_of(trend, row); });
}

void write_with_rows(std::ostream& out, const Json& json, const ProcessTrend& trend,
                     std::size_t top) {
  const bool retained = all_retained(trend);
  open_object(out, json, "classes");
  write_rows(out, trend.rows, top,
             [&](const TrendRow& row) { return row_json(trend, row, retained); });
  write_list(out, "objects", trend.objects, top, object_row_json);
  write_list(out, "accounts", trend.accounts, top, account_row_json);
  out << '}';
}

}  // namespace

void TrendJson::begin_process() { out_ << (written_++ == 0 ? "\n" : ",\n"); }

void TrendJson::add_others_before(const ProcessReports* process) {
  while (written_ < processes_.size() && &processes_[written_] != process) {
    Json json = process_json(processes_[written_]);
    json["shown"] = false;
    begin_process();
    out_ << text_of(json);
  }
}

void TrendJson::add(const ProcessTrend& trend) {
  if (written_ == 0) {
    verdict_ = trend_verdict(trend, kFullNames);
    open_object(out_, {{"schema_version", kTrendSchemaVersion}, {"verdict", verdict_}},
                "processes");
  }
  add_others_before(trend.process);
  Json json = process_json(*trend.process);
  json["shown"] = true;
  add_trend(json, trend);
  begin_process();
  write_with_rows(out_, json, trend, top_);
}

void TrendJson::finish(const std::vector<SkippedFile>& skipped) {
  add_others_before(nullptr);
  Json files = Json::array();
  for (const SkippedFile& file : skipped)
    files.push_back({{"file", file.file}, {"reason", file.reason}});
  out_ << "\n],\n\"skipped\": " << text_of(files) << "}\n";
}

}  // namespace holdfast::cli
