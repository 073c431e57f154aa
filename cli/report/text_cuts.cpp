// The references to cut, the objects with the most references and referrers, and how the graph hangs together.
#include <algorithm>

#include "cli/report/path_lines.h"
#include "cli/report/text_sections.h"
#include "cli/report/words.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kImportantShown = 5;
constexpr std::size_t kAlwaysShown = 3;        // cuts, however small
constexpr std::uint64_t kSmallestShare = 200;  // of all held bytes, of the others

std::size_t worth_showing(const TextContext& context, const std::vector<CutView>& cuts) {
  const std::uint64_t least = context.view.whole_bytes() / kSmallestShare;
  const auto small =
      std::ranges::find_if(cuts, [&](const CutView& cut) { return cut.freed_bytes < least; });
  const auto large = static_cast<std::size_t>(small - cuts.begin());
  return std::min(cuts.size(), std::max(large, kAlwaysShown));
}

void write_cut_table(const TextContext& context, const CutsView& cuts) {
  Table table({{"freed"},
               {"share"},
               {"objects", ColumnKind::kNumber, 0, true},
               {"the reference to cut, and what it holds", ColumnKind::kName, 40}});
  const std::size_t shown = std::min(worth_showing(context, cuts.cuts), context.options.top);
  for (std::size_t i = 0; i < shown; ++i) {
    const CutView& cut = cuts.cuts[i];
    table.row({{human_bytes(cut.freed_bytes)},
               {percent(cut.freed_bytes, context.view.whole_bytes())},
               {thousands(cut.freed_objects)},
               {cut_text(cut)}});
    table.row({{""}, {""}, {""}, {"  \u2192 " + object_text(cut.reference.object), Style::kDim}});
  }
  const std::size_t more = cuts.cuts.size() - shown;
  if (more > 0)
    table.row({{""}, {""}, {""}, {thousands(more) + " more that free less", Style::kDim}});
  if (!table.empty())
    table.write(context.page);
  else if (!context.filtered())
    context.page.paragraph("No single reference holds much alone.", Style::kPlain, Page::kIndent);
}

void write_important(const TextContext& context, const std::vector<ImportantView>& rows,
                     const char* header, std::uint32_t ImportantView::*figure) {
  Table table({{header}, {"retained"}, {"object", ColumnKind::kName, 30}});
  const std::size_t shown = std::min({rows.size(), context.options.top, kImportantShown});
  for (std::size_t i = 0; i < shown; ++i)
    table.row({{thousands(rows[i].*figure)},
               {human_bytes(rows[i].object.retained_bytes)},
               {object_text(rows[i].object)}});
  if (table.empty()) return;
  context.page.blank();
  table.write(context.page);
}

// What hangs together, in words that do not need the theory.
std::string shape_text(const CutsView& cuts) {
  std::string text = cuts.parts == 1 ? "The graph is in one part."
                                     : "The graph is in " + thousands(cuts.parts) +
                                           " parts without references between them.";
  if (cuts.cyclic_components == 0) {
    text += " No two objects reach each other.";
  } else {
    text += ' ' + counted(cuts.cyclic_objects, "object") + " reach each other, in " +
            counted(cuts.cyclic_components, "group") + "; the largest has " +
            counted(cuts.largest_component_objects, "object") + '.';
  }
  text += ' ' + counted(cuts.articulation_points, "articulation point") +
          ": objects or groups without which a part falls apart. " +
          thousands(cuts.dominating_points) + " alone lead to all that they reach.";
  return text;
}

}  // namespace

void write_cuts(const TextContext& context) {
  if (!context.view.cuts) return;
  const CutsView& cuts = *context.view.cuts;
  const bool none =
      cuts.cuts.empty() && cuts.most_references.empty() && cuts.most_referrers.empty();
  if (context.filtered() && none) return;
  context.page.heading("CUTS", "cut this reference, and so much is freed");
  write_cut_table(context, cuts);
  write_important(context, cuts.most_references, "references", &ImportantView::references);
  write_important(context, cuts.most_referrers, "referrers", &ImportantView::referrers);
  if (context.filtered()) return;
  context.page.blank();
  context.page.paragraph(shape_text(cuts), Style::kPlain, Page::kIndent);
}

}  // namespace holdfast::cli
