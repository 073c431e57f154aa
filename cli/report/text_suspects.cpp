// Each suspect: what holds it, from the GC root down; why it is one; what lies below the accumulation point.
#include <algorithm>

#include "cli/report/path_lines.h"
#include "cli/report/rivals.h"
#include "cli/report/text_sections.h"
#include "cli/report/words.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

void write_headline(Page& page, const SuspectView& suspect, std::size_t total) {
  const std::string title =
      "SUSPECT " + std::to_string(suspect.rank) + " of " + std::to_string(total);
  const std::string figures = human_bytes(suspect.retained_bytes) + " · " +
                              percent(suspect.retained_bytes, suspect.whole_bytes) +
                              " · confidence " + std::to_string(suspect.confidence_percent) + " %";
  const std::string count = suspect.group ? thousands(suspect.instances) + ' ' : "";
  const std::size_t used = title.size() + count.size() + display_width(figures) + 5;
  const std::size_t room = page.columns() > used + 20 ? page.columns() - used : 20;
  page.heading(title, count + shorten_name(printable(suspect.class_name), room) + " · " + figures);
}

void write_root(Page& page, const PathView& path) {
  std::string text = root_text(path);
  if (path.strength != Firmness::kStrong) {
    text.append("; the weakest reference on the path is ").append(word(path.strength));
  }
  page.labelled("GC root", text);
}

void write_levels(Page& page, const SuspectView& suspect) {
  if (suspect.levels.empty()) return;
  Table table({{"below it, class by class", ColumnKind::kName, 24},
               {"objects"},
               {"shallow", ColumnKind::kNumber, 0, true},
               {"retained"}});
  for (const LevelView& level : suspect.levels) {
    table.row({{std::string(level.class_name), level.platform ? Style::kPlain : Style::kBold},
               {thousands(level.instances)},
               {human_bytes(level.shallow_bytes)},
               {human_bytes(level.retained_bytes)}});
  }
  table.write(page, Page::kLabelColumns);
}

void write_rivals(const TextContext& context, const SuspectView& suspect) {
  const ReportView& whole =
      context.options.whole != nullptr ? *context.options.whole : context.view;
  const auto rivals = rivals_of(whole, suspect, context.page.columns() / 2);
  for (const std::string& rival : rivals)
    context.page.labelled(&rival == rivals.data() ? "rivals" : "", "• " + rival);
  if (rivals.empty()) context.page.labelled("rivals", "none that this report shows");
}

void write_suspect(const TextContext& context, std::size_t index) {
  const SuspectView& suspect = context.view.suspects[index];
  write_headline(context.page, suspect, context.view.suspects_total);
  write_root(context.page, suspect.path);
  write_path(context.page, suspect.path);
  if (suspect.holder)
    if (const std::string shared = shared_text(*suspect.holder, suspect.whole_bytes);
        !shared.empty())
      context.page.labelled("shares", "the accumulation point " + shared);
  if (suspect.holder)
    if (const std::string known = known_text(*suspect.holder, context.view.origin); !known.empty())
      context.page.labelled("known", object_text(*suspect.holder) + " is " + known);
  for (std::size_t i = 0; i < suspect.evidence.size(); ++i) {
    context.page.labelled(i == 0 ? "why" : "", "• " + std::string(suspect.evidence[i]));
  }
  write_levels(context.page, suspect);
  write_rivals(context, suspect);
}

}  // namespace

void write_suspects(const TextContext& context) {
  const std::size_t listed = context.view.suspects.size();
  const std::size_t shown = std::min(listed, context.options.top);
  for (std::size_t i = 0; i < shown; ++i) write_suspect(context, i);
  const std::size_t more = listed - shown + context.view.suspects_unlisted.value_or(0);
  if (more > 0) context.page.paragraph(counted(more, "more suspect"), Style::kDim, Page::kIndent);
}

}  // namespace holdfast::cli
