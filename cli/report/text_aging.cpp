// Aging: the classes that piled up before the dump, then how old sampled objects are and at which age others died.
#include <algorithm>
#include <numeric>
#include <span>

#include "cli/report/text_sections.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"
#include "common/ages/sampled_ages.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kClassesShown = 10;
constexpr std::uint64_t kNsPerMs = 1'000'000;

std::uint64_t sum_of(const std::vector<std::uint64_t>& list, std::size_t from, std::size_t to) {
  return std::accumulate(list.begin() + static_cast<std::ptrdiff_t>(from),
                         list.begin() + static_cast<std::ptrdiff_t>(to), std::uint64_t{0});
}

std::string share_text(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? "-" : percent(part, all);
}

void write_suspects_table(const TextContext& context, const AgingView& aging) {
  Table table({{"instances"},
               {"more"},
               {"in collections"},
               {"ages"},
               {"old"},
               {"sure"},
               {"class", ColumnKind::kName, 20}});
  for (const AgingSuspectView& row : aging.suspects)
    table.row({{thousands(row.instances)},
               {"+" + thousands(row.more_instances)},
               {thousands(row.collections)},
               {thousands(row.ages)},
               {std::to_string(row.old_percent) + " %"},
               {std::to_string(row.confidence_percent) + " %"},
               {std::string(row.class_name)}});
  table.write(context.page);
}

void write_samples_table(const TextContext& context, const AgingView& aging) {
  Table table({{"old"},
               {"live"},
               {"of these old"},
               {"died before 4"},
               {"last born"},
               {"class", ColumnKind::kName, 20}});
  const std::size_t shown = std::min({aging.classes.size(), context.options.top, kClassesShown});
  for (std::size_t i = 0; i < shown; ++i) {
    const AgingClassView& row = aging.classes[i];
    const std::size_t all = row.died_ages.size();
    table.row(
        {{"about " + human_bytes(row.old_bytes)},
         {human_bytes(row.live_bytes)},
         {share_text(row.old_objects, row.live_objects)},
         {share_text(sum_of(row.died_ages, 0, age_range(kOldAge)), sum_of(row.died_ages, 0, all))},
         {thousands(row.born_before) + " ago"},
         {std::string(row.class_name)}});
  }
  context.page.blank();
  table.write(context.page);
  context.page.blank();
  context.page.paragraph(
      "Estimates from sampled objects. Old: survived 4 collections or more, garbage that no "
      "collection has looked for included. Died before 4: of those that are gone, by objects. Last "
      "born: collections since one was sampled.",
      Style::kDim, Page::kIndent);
}

void write_loitering(const TextContext& context, const AgingView& aging) {
  const auto all = aging.loitering();
  if (all.empty()) return;
  std::uint64_t bytes = 0;
  for (const AgingClassView* row : all) bytes += row->old_bytes;
  context.page.heading("LOITERING", counted(all.size(), "class", "classes") + ", about " +
                                        human_bytes(bytes) + ": old, and no longer allocated");
  Table table({{"old"},
               {"objects"},
               {"none sampled for"},
               {"collections", ColumnKind::kNumber, 0, true},
               {"class", ColumnKind::kName, 20},
               {"", ColumnKind::kText, 0, true}});
  const std::size_t shown = std::min({all.size(), context.options.top, kClassesShown});
  for (const AgingClassView* row : std::span(all).first(shown))
    table.row({{"about " + human_bytes(row->old_bytes)},
               {thousands(row->old_objects)},
               {human_duration(row->silent_ms * kNsPerMs)},
               {thousands(row->born_before)},
               {std::string(row->class_name)},
               {row->at_start_alone ? "since the start" : "", Style::kDim}});
  table.write(context.page);
  if (shown < all.size())
    context.page.paragraph(counted(all.size() - shown, "more class", "more classes"), Style::kDim,
                           Page::kIndent);
  context.page.blank();
  context.page.paragraph(
      "Were they still allocated as before, so long a silence would have a chance below 1 in 100. "
      "Whether anything needs them, their holders tell.",
      Style::kDim, Page::kIndent);
}

}  // namespace

void write_aging(const TextContext& context) {
  if (!context.view.aging) return;
  const AgingView& aging = *context.view.aging;
  if (context.filtered() && aging.classes.empty() && aging.suspects.empty()) return;
  std::string sum = thousands(aging.collections) + " collections";
  sum += aging.suspects.empty()
             ? ", no class piled up"
             : ", " + thousands(aging.suspects.size()) +
                   (aging.suspects.size() == 1 ? " class" : " classes") + " piled up";
  context.page.heading("AGING", sum);
  if (!aging.suspects.empty()) write_suspects_table(context, aging);
  if (!aging.classes.empty()) write_samples_table(context, aging);
  write_loitering(context, aging);
}

}  // namespace holdfast::cli
