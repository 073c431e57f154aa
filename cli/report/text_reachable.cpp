// Reachable sizes: what retained sizes hide, and how many objects reach how much more than they retain.
#include <algorithm>

#include "cli/report/text_sections.h"
#include "cli/report/words.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

// Limits are whole numbers of their unit.
std::string limit_text(std::uint64_t bytes) {
  std::string text = human_bytes(bytes);
  if (const auto at = text.find(".0 "); at != std::string::npos) text.erase(at, 2);
  return text;
}

std::string range_text(const std::vector<DifferenceView>& rows, std::size_t i) {
  if (i == 0) return rows[0].up_to_bytes ? "less than " + limit_text(*rows[0].up_to_bytes) : "any";
  const std::string from = limit_text(rows[i - 1].up_to_bytes.value_or(0));
  return rows[i].up_to_bytes ? from + " to " + limit_text(*rows[i].up_to_bytes)
                             : from + " and more";
}

void write_differences(const TextContext& context, const ReachableView& reachable) {
  const auto& rows = reachable.differences;
  const auto last = std::ranges::find_if(rows.rbegin(), rows.rend(),
                                         [](const DifferenceView& row) { return row.objects > 0; });
  const auto shown = static_cast<std::size_t>(rows.rend() - last);
  std::uint64_t all = 0;
  for (const DifferenceView& row : rows) all += row.objects;
  Table table(
      {{"held objects, by how much more they reach than they retain", ColumnKind::kText, 24},
       {"objects"},
       {"share"}});
  for (std::size_t i = 0; i < shown; ++i)
    table.row(
        {{range_text(rows, i)}, {thousands(rows[i].objects)}, {percent(rows[i].objects, all)}});
  if (table.empty()) return;
  context.page.blank();
  table.write(context.page);
}

void write_hidden(const TextContext& context, const ReachableView& reachable) {
  if (reachable.hidden.empty()) {
    context.page.paragraph(
        "Retained sizes hide nothing here: what objects share is small, or shows "
        "in the retained size of what holds them all.",
        Style::kPlain, Page::kIndent);
    return;
  }
  Table table({{"retained"}, {"reaches"}, {"share"}, {"object", ColumnKind::kName, 20}});
  const std::size_t shown = std::min(reachable.hidden.size(), context.options.top);
  for (std::size_t i = 0; i < shown; ++i) {
    const ObjectView& object = reachable.hidden[i];
    table.row({{human_bytes(object.retained_bytes)},
               {reachable_text(object.reachable_bytes, object.reachable_estimated)},
               {percent(object.reachable_bytes, context.view.whole_bytes())},
               {object_text(object)}});
  }
  context.page.paragraph(
      "What retained sizes hide: these retain little and lead to much, because "
      "others lead there, too.",
      Style::kPlain, Page::kIndent);
  table.write(context.page);
}

// Which figure it is, and why no better one.
std::string exactness_text(const ReportView& view) {
  const ReachableView& reachable = *view.reachable;
  if (reachable.estimated_objects == 0) return "exact";
  return "estimated for " + thousands(reachable.estimated_objects) + " of " +
         counted(view.graph ? view.graph->objects : 0, "object");
}

void write_estimates(const TextContext& context) {
  const ReachableView& reachable = *context.view.reachable;
  if (reachable.estimated_objects == 0) return;
  const std::string why = reachable.reason == Shortage::kTime
                              ? "there was no more time for them"
                              : "memory= or the system had no room for them";
  const std::string error = std::to_string((reachable.error_per_mille + 5) / 10);
  context.page.paragraph("Sizes with \"about\" are estimates, as " + why +
                             ": mostly within \u00B1 " + error + " %. All others are exact.",
                         Style::kPlain, Page::kIndent);
}

std::string mean_text(const ReachableView& reachable) {
  std::uint64_t objects = 0;
  for (const DifferenceView& row : reachable.differences) objects += row.objects;
  if (objects == 0 || !reachable.retained_sum_bytes || !reachable.reachable_sum_bytes) return {};
  return "On average a held object retains " +
         human_bytes(*reachable.retained_sum_bytes / objects) + " and reaches " +
         human_bytes(*reachable.reachable_sum_bytes / objects) + ".";
}

}  // namespace

void write_reachable(const TextContext& context) {
  if (!context.view.reachable) return;
  const ReachableView& reachable = *context.view.reachable;
  if (context.filtered() && reachable.hidden.empty()) return;
  context.page.heading("REACHABLE SIZES",
                       "all that an object leads to, whoever else leads there \u00B7 " +
                           exactness_text(context.view));
  write_estimates(context);
  write_hidden(context, reachable);
  if (context.filtered()) return;
  write_differences(context, reachable);
  if (const std::string mean = mean_text(reachable); !mean.empty())
    context.page.paragraph(mean, Style::kPlain, Page::kIndent);
}

}  // namespace holdfast::cli
