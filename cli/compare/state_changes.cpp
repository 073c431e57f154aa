#include "cli/compare/state_changes.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/compare/change_text.h"
#include "cli/compare/sparkline.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

using StateJson = nlohmann::ordered_json;
using Known = std::vector<std::optional<std::uint64_t>>;

constexpr std::size_t kLeastStateColumns = 14;
constexpr std::size_t kStateSparkColumns = 12;

std::string state_name(std::string_view state) {
  std::string text(state);
  std::ranges::replace(text, '_', ' ');
  return text;
}

bool has_something(const StateFigures& one) {
  return one.bytes != 0 || one.objects.value_or(0) != 0;
}

std::string objects_text(const std::optional<std::uint64_t>& objects) {
  return objects ? thousands(*objects) : "-";
}

StateJson side_json(const StateFigures& one) {
  return {{"objects", one.objects ? StateJson(*one.objects) : StateJson(nullptr)},
          {"shallow_bytes", one.bytes}};
}

// One state at each point of a trend; absent where that report says nothing of states.
struct StateSeries {
  std::string_view state;
  Known objects, bytes;
};

std::vector<StateSeries> series_of(const ProcessTrend& trend) {
  std::vector<StateSeries> all;
  const auto facts = [&](std::size_t at) -> const ReportFacts& {
    return trend.process->reports[at];
  };
  for (const std::size_t at : trend.choice.points) {
    if (facts(at).states.empty()) continue;
    for (const StateFigures& one : facts(at).states) all.push_back({one.state, {}, {}});
    break;
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const std::size_t at : trend.choice.points) {
      const bool told = !facts(at).states.empty();
      all[i].objects.push_back(told ? facts(at).states[i].objects : std::nullopt);
      all[i].bytes.push_back(told ? std::optional(facts(at).states[i].bytes) : std::nullopt);
    }
  std::erase_if(all, [](const StateSeries& one) {
    return std::ranges::all_of(one.bytes, [](const auto& v) { return v.value_or(0) == 0; }) &&
           std::ranges::all_of(one.objects, [](const auto& v) { return v.value_or(0) == 0; });
  });
  return all;
}

StateJson values_json(const Known& values) {
  StateJson list = StateJson::array();
  for (const auto& value : values) list.push_back(value ? StateJson(*value) : StateJson(nullptr));
  return list;
}

}  // namespace

void write_state_changes(const ReportFacts& before, const ReportFacts& after, Page& page) {
  if (before.states.empty() || after.states.empty()) return;
  page.heading("HEAP BY STATE", "what fills the heap in use");
  Table table({{"state", ColumnKind::kText, kLeastStateColumns},
               {"before", ColumnKind::kNumber, 0, true},
               {"after"},
               {"change"},
               {"objects", ColumnKind::kNumber, 0, true}});
  for (std::size_t i = 0; i < before.states.size(); ++i) {
    const StateFigures& one = before.states[i];
    const StateFigures& two = after.states[i];
    if (!has_something(one) && !has_something(two)) continue;
    const auto change = static_cast<std::int64_t>(two.bytes - one.bytes);
    const bool both = one.objects && two.objects;
    table.row({{state_name(one.state)},
               {human_bytes(one.bytes)},
               {human_bytes(two.bytes)},
               {signed_bytes(change), change_style(change)},
               {both ? signed_count(static_cast<std::int64_t>(*two.objects - *one.objects))
                     : objects_text(std::nullopt)}});
  }
  table.write(page);
}

StateJson state_changes_json(const ReportFacts& before, const ReportFacts& after) {
  if (before.states.empty() || after.states.empty()) return nullptr;
  StateJson rows = StateJson::array();
  for (std::size_t i = 0; i < before.states.size(); ++i) {
    const StateFigures& one = before.states[i];
    const StateFigures& two = after.states[i];
    const bool both = one.objects && two.objects;
    rows.push_back(
        {{"state", one.state},
         {"before", side_json(one)},
         {"after", side_json(two)},
         {"change",
          {{"objects", both ? StateJson(static_cast<std::int64_t>(*two.objects - *one.objects))
                            : StateJson(nullptr)},
           {"shallow_bytes", static_cast<std::int64_t>(two.bytes - one.bytes)}}}});
  }
  return rows;
}

void write_state_series(const ProcessTrend& trend, const TrendTextOptions& options, Page& page) {
  const std::vector<StateSeries> all = series_of(trend);
  if (all.empty()) return;
  page.heading("HEAP BY STATE", "shallow size of what fills the heap in use");
  Table table({{"state", ColumnKind::kText, kLeastStateColumns},
               {"course", ColumnKind::kText, kStateSparkColumns, true},
               {"first"},
               {"last"},
               {"objects", ColumnKind::kNumber, 0, true}});
  const auto bytes = [](const auto& v) { return v ? human_bytes(*v) : std::string("?"); };
  for (const StateSeries& one : all)
    table.row({{state_name(one.state)},
               {sparkline(one.bytes, kStateSparkColumns, options.blocks), Style::kAccent},
               {bytes(one.bytes.front())},
               {bytes(one.bytes.back())},
               {objects_text(one.objects.back())}});
  table.write(page);
}

StateJson state_series_json(const ProcessTrend& trend) {
  const std::vector<StateSeries> all = series_of(trend);
  if (all.empty()) return nullptr;
  StateJson rows = StateJson::array();
  for (const StateSeries& one : all)
    rows.push_back({{"state", one.state},
                    {"objects", values_json(one.objects)},
                    {"shallow_bytes", values_json(one.bytes)}});
  return rows;
}

}  // namespace holdfast::cli
