// Who holds the instances of a class: the fields, arrays and GC roots that refer to them.
#include "cli/report/text_holders.h"

#include <algorithm>

#include "cli/report/text_sections.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kShownUnasked = 5;  // classes; more where a filter or --top asks for them
constexpr std::size_t kPlaceIndent = 6;
constexpr std::size_t kLeastHolderColumns = 12;

using HolderRows = std::vector<const HolderClassView*>;

bool is_of_suspect(const ReportView& view, const HolderClassView& row) {
  return std::ranges::any_of(view.suspects, [&](const SuspectView& suspect) {
    return suspect.class_name == row.class_name && suspect.loader == row.loader;
  });
}

bool asked_for(const TextContext& context) {
  return context.filtered() || context.options.top > TextOptions{}.top;
}

// Where nobody asked, what may be a leak first.
HolderRows rows_shown(const TextContext& context) {
  HolderRows rows;
  for (const HolderClassView& row : context.view.holders->classes) rows.push_back(&row);
  std::size_t most = context.options.top;
  if (!asked_for(context)) {
    std::stable_partition(rows.begin(), rows.end(), [&](const HolderClassView* row) {
      return is_of_suspect(context.view, *row);
    });
    most = std::min(most, kShownUnasked);
  }
  rows.resize(std::min(rows.size(), most));
  return rows;
}

std::size_t left_of(std::size_t columns, std::size_t used) {
  return columns - std::min(columns, used);
}

// The class gives way where there is no room, its field does not; on a very narrow page whatever comes last.
void fitted_line(const std::string& before, const PlaceWords& words, const std::string& bytes,
                 Page& page) {
  const std::string behind = printable(words.behind);
  const std::string front = before + words.before;
  const std::size_t used = display_width(front) + display_width(behind) + bytes.size();
  const std::string name = shorten_name(
      printable(words.class_name), std::max(left_of(page.columns(), used), kLeastHolderColumns));
  const std::string place = words.before + name + behind;
  if (display_width(before) + display_width(place) + bytes.size() <= page.columns())
    return page.line({{before}, {place, Style::kAccent}, {bytes, Style::kDim}});
  page.line({{shorten_middle(before + place, page.columns())}});
}

void place_line(const HolderPlaceView& place, std::size_t count_columns, Page& page) {
  const std::string counts = place_counts(place);
  const std::string padding(left_of(count_columns, counts.find(' ')), ' ');
  fitted_line(std::string(kPlaceIndent, ' ') + padding + counts, place_words(place),
              " (" + human_bytes(place.bytes) + ')', page);
}

void class_line(const HolderClassView& row, Page& page) {
  const std::string instances = "  " + counted(row.instances, "instance");
  const std::size_t room = left_of(page.columns(), Page::kIndent + instances.size());
  const bool both = room >= kLeastHolderColumns;
  const std::size_t name_columns = both ? room : left_of(page.columns(), Page::kIndent);
  page.line({{std::string(Page::kIndent, ' ')},
             {shorten_name(printable(row.class_name), name_columns), Style::kBold},
             {both ? instances : ""}});
}

void remark_line(const std::string& text, Page& page) {
  const std::string indented = std::string(kPlaceIndent, ' ') + text;
  page.line({{std::string(prefix_of_width(indented, page.columns())), Style::kDim}});
}

}  // namespace

void write_holder_class(const HolderClassView& row, Page& page) {
  class_line(row, page);
  std::size_t widest = 0;
  for (const HolderPlaceView& place : row.places)
    widest = std::max(widest, thousands(place.references).size());
  for (const HolderPlaceView& place : row.places) place_line(place, widest, page);
  if (row.rest_references != 0)
    remark_line(rest_sentence(row), page);
  else if (row.places.empty())
    remark_line("no held object and no GC root refers to one", page);
}

void write_holders(const TextContext& context) {
  if (!context.view.holders || context.view.holders->classes.empty()) return;
  const HolderRows rows = rows_shown(context);
  const std::size_t listed = context.view.holders->classes.size();
  context.page.heading("HOLDERS", "what refers to the instances of a class · " +
                                      thousands(rows.size()) + " of " + thousands(listed));
  for (const HolderClassView* row : rows) write_holder_class(*row, context.page);
  if (rows.size() < listed)
    context.page.labelled("", "--class NAME tells it of a class, --top of more of them",
                          Style::kDim);
}

}  // namespace holdfast::cli
