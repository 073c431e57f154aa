// The object graph in figures: GC roots by kind, objects by strength, its shape.
#include <string>

#include "cli/report/text_sections.h"
#include "cli/report/words.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

void write_root_kinds(const TextContext& context, const GraphView& graph) {
  Table table({{"GC roots", ColumnKind::kText, 16},
               {"roots"},
               {"objects"},
               {"retained"},
               {"share", ColumnKind::kNumber, 0, true}});
  for (const RootKindView& row : graph.root_kinds) {
    if (row.roots == 0) continue;
    table.row({{std::string(phrase(row.kind))},
               {thousands(row.roots)},
               {thousands(row.objects)},
               {human_bytes(row.retained_bytes)},
               {percent(row.retained_bytes, graph.held_bytes)}});
  }
  if (!table.empty()) table.write(context.page);
}

void write_strengths(const TextContext& context, const GraphView& graph) {
  Table table({{"objects by firmest path", ColumnKind::kText, 16}, {"objects"}, {"shallow"}});
  for (const StrengthView& row : graph.strengths) {
    if (row.objects == 0) continue;
    table.row({{std::string(word(row.strength))},
               {thousands(row.objects)},
               {human_bytes(row.shallow_bytes)}});
  }
  if (table.empty()) return;
  context.page.blank();
  table.write(context.page);
}

std::string shape_text(const GraphView& graph) {
  std::string text = "dominator tree " + counted(graph.dominator_depth, "level") +
                     " deep; at most " + counted(graph.max_out_degree, "reference") +
                     " from one object";
  if (graph.max_out_degree_object) text += " (" + object_text(*graph.max_out_degree_object) + ')';
  return text;
}

// What the roots do not reach must not go unsaid: unreachable objects, or roots that the capture does not know.
std::string coverage_text(const ReportView& view, const GraphView& graph) {
  const std::uint64_t used = view.dump.heap_used_after_bytes;
  return "the GC roots reach " + human_bytes(graph.shallow_bytes) + " of " + human_bytes(used) +
         " heap in use (" + percent(graph.shallow_bytes, used) +
         "); the rest is unreachable or the VM's own";
}

}  // namespace

void write_graph(const TextContext& context) {
  if (!context.view.graph) return;
  const GraphView& graph = *context.view.graph;
  context.page.heading("OBJECT GRAPH", counted(graph.objects, "object") + " of " +
                                           human_bytes(graph.shallow_bytes) + " with " +
                                           counted(graph.references, "reference") + " from " +
                                           counted(graph.roots, "GC root"));
  context.page.paragraph(shape_text(graph), Style::kPlain, Page::kIndent);
  if (context.view.dump.heap_used_after_bytes > 0) {
    context.page.paragraph(coverage_text(context.view, graph), Style::kPlain, Page::kIndent);
  }
  context.page.blank();
  write_root_kinds(context, graph);
  write_strengths(context, graph);
}

}  // namespace holdfast::cli
