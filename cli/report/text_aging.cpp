// Aging: the classes that piled up before the dump, then how old sampled objects are and at which age others died.
#include <algorithm>
#include <numeric>
#include <span>

#include "cli/report/text_sections.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"
#include "common/ages/sampled_ages.h"
#include "common/time_units.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kAgingClassesShown = 10;
constexpr std::size_t kLivesShown = 3;  // where the report is cut down to some classes

std::uint64_t sum_of(const std::vector<std::uint64_t>& list, std::size_t from, std::size_t to) {
  return std::accumulate(list.begin() + static_cast<std::ptrdiff_t>(from),
                         list.begin() + static_cast<std::ptrdiff_t>(to), std::uint64_t{0});
}

std::string share_of(std::uint64_t part, std::uint64_t all) {
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
  const std::size_t shown =
      std::min({aging.classes.size(), context.options.top, kAgingClassesShown});
  for (std::size_t i = 0; i < shown; ++i) {
    const AgingClassView& row = aging.classes[i];
    const std::size_t all = row.died_ages.size();
    table.row(
        {{"about " + human_bytes(row.old_bytes)},
         {human_bytes(row.live_bytes)},
         {share_of(row.old_objects, row.live_objects)},
         {share_of(sum_of(row.died_ages, 0, age_range(kOldAge)), sum_of(row.died_ages, 0, all))},
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

std::string range_text(std::size_t range) {
  const std::uint64_t from = range_begin(range);
  if (range + 1 == kAgeDoublings) return thousands(from) + "+";
  return from < 2 ? thousands(from) : thousands(from) + "-" + thousands(2 * from - 1);
}

// How long objects of one class live: at which age they died, and at which those are that do not.
void write_lives(const TextContext& context, const AgingClassView& row) {
  const std::uint64_t died = sum_of(row.died_ages, 0, row.died_ages.size());
  context.page.blank();
  context.page.line(
      {{std::string(Page::kIndent, ' ') +
        shorten_name(printable(row.class_name), context.page.columns() - Page::kIndent)}});
  Table table({{"collections survived"}, {"died then"}, {"of all that died"}, {"live"}});
  for (std::size_t range = 0; range < kAgeDoublings; ++range) {
    if (row.died_ages[range] + row.live_ages[range] == 0) continue;
    table.row({{range_text(range)},
               {thousands(row.died_ages[range])},
               {share_of(row.died_ages[range], died)},
               {thousands(row.live_ages[range])}});
  }
  table.write(context.page);
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
  const std::size_t shown = std::min({all.size(), context.options.top, kAgingClassesShown});
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
      "Were they still allocated as before, there would be such a silence of any class in less "
      "than "
      "1 of 100 reports. Their holders show whether they are still needed.",
      Style::kDim, Page::kIndent);
}

}  // namespace

void write_aging(const TextContext& context) {
  if (!context.view.aging) return;
  const AgingView& aging = *context.view.aging;
  if (context.filtered() && aging.classes.empty() && aging.suspects.empty()) return;
  std::string sum = thousands(aging.collections) + " collections";
  if (!aging.suspects.empty())
    sum += ", " + counted(aging.suspects.size(), "class", "classes") + " piled up";
  else if (!context.filtered())
    sum += ", no class piled up";
  context.page.heading("AGING", sum);
  if (!aging.suspects.empty()) write_suspects_table(context, aging);
  if (!aging.classes.empty()) write_samples_table(context, aging);
  if (context.filtered())
    for (const AgingClassView& row :
         std::span(aging.classes).first(std::min(aging.classes.size(), kLivesShown)))
      write_lives(context, row);
  write_loitering(context, aging);
}

}  // namespace holdfast::cli
