// Who holds the instances of a class: the fields, arrays and GC roots that refer to them.
#include <algorithm>

#include "cli/report/text_holders.h"
#include "cli/report/text_sections.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kShownUnasked = 5;  // classes; in a report that was asked for nothing by name
constexpr std::size_t kPlaceIndent = 6;
constexpr std::size_t kLeastNameColumns = 12;

using Rows = std::vector<const HolderClassView*>;

bool is_of_suspect(const ReportView& view, const HolderClassView& row) {
  return std::ranges::any_of(view.suspects, [&](const SuspectView& suspect) {
    return suspect.class_name == row.class_name && suspect.loader == row.loader;
  });
}

// Where nobody asked, what may be a leak first.
Rows rows_shown(const TextContext& context) {
  Rows rows;
  for (const HolderClassView& row : context.view.holders->classes) rows.push_back(&row);
  std::size_t most = context.options.top;
  if (!context.filtered() && !context.options.asked_by_name) {
    std::ranges::stable_partition(
        rows, [&](const HolderClassView* row) { return is_of_suspect(context.view, *row); });
    most = std::min(most, kShownUnasked);
  }
  rows.resize(std::min(rows.size(), most));
  return rows;
}

// The class gives way where there is no room, its field does not.
void place_line(const HolderPlaceView& place, std::size_t count_columns, Page& page) {
  const std::string counts = place_counts(place);
  const PlaceWords words = place_words(place);
  const std::string behind = printable(words.behind);
  const std::string bytes = " (" + human_bytes(place.bytes) + ')';
  const std::string padding(count_columns - std::min(count_columns, counts.find(' ')), ' ');
  const std::size_t used = kPlaceIndent + padding.size() + counts.size() + words.before.size() +
                           display_width(behind) + bytes.size();
  const std::size_t room =
      std::max(page.columns() - std::min(page.columns(), used), kLeastNameColumns);
  const std::string name = shorten_name(printable(words.class_name), room);
  page.line({{std::string(kPlaceIndent, ' ') + padding + counts},
             {words.before + name + behind, Style::kAccent},
             {bytes, Style::kDim}});
}

}  // namespace

void write_holder_class(const HolderClassView& row, Page& page) {
  const std::string instances = "  " + counted(row.instances, "instance");
  const std::size_t used = Page::kIndent + instances.size();
  page.line({{std::string(Page::kIndent, ' ')},
             {shorten_name(printable(row.class_name),
                           page.columns() - std::min(page.columns() - kLeastNameColumns, used)),
              Style::kBold},
             {instances}});
  std::size_t widest = 0;
  for (const HolderPlaceView& place : row.places)
    widest = std::max(widest, thousands(place.references).size());
  for (const HolderPlaceView& place : row.places) place_line(place, widest, page);
  const std::string indent(kPlaceIndent, ' ');
  if (const std::string rest = rest_sentence(row); !rest.empty())
    page.line({{indent + rest, Style::kDim}});
  if (row.places.empty() && row.rest_references == 0)
    page.line({{indent + "no held object and no GC root refers to one", Style::kDim}});
}

void write_holders(const TextContext& context) {
  if (!context.view.holders || context.view.holders->classes.empty()) return;
  const Rows rows = rows_shown(context);
  context.page.heading("HOLDERS", "what refers to the instances of a class · " +
                                      thousands(rows.size()) + " of " +
                                      thousands(context.view.holders->classes.size()));
  for (const HolderClassView* row : rows) write_holder_class(*row, context.page);
  if (!context.filtered() && !context.options.asked_by_name)
    context.page.labelled("", "--class NAME tells it of a class, --section holders of more of them",
                          Style::kDim);
}

}  // namespace holdfast::cli
