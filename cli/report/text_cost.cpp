// What the dump cost: the timeline, each pass, native memory by category.
#include <string>

#include "cli/report/text_sections.h"
#include "cli/report/words.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

void write_timeline(const TextContext& context) {
  const DumpView& dump = context.view.dump;
  context.page.labelled("before", human_duration(dump.prepare_ns) +
                                      " to prepare (names and layouts; the application runs)");
  context.page.labelled("pause", human_duration(dump.pause_ns) + " (the application stands still)");
  context.page.labelled("after", human_duration(dump.seal_ns) + " to seal the snapshot, " +
                                     human_duration(dump.analysis_ns) +
                                     " to analyse it at low priority");
  if (dump.merged_requests + dump.refused_requests == 0) return;
  context.page.labelled("requests", counted(dump.merged_requests, "further request") +
                                        " merged into this dump, " +
                                        thousands(dump.refused_requests) + " refused");
}

}  // namespace

void write_timing(const TextContext& context) {
  context.page.heading("TIME",
                       human_duration(context.view.dump.capture_ns) + " from request to snapshot");
  write_timeline(context);
  Table table({{"pass", ColumnKind::kText, 16},
               {"time"},
               {"cpu"},
               {"scratch"},
               {"", ColumnKind::kText, 10}});
  for (const PassView& pass : context.view.passes) {
    const bool ran = pass.left_out.empty();
    table.row({{std::string(pass.name)},
               {ran ? human_duration(pass.wall_ns) : "-"},
               {ran ? human_duration(pass.cpu_ns) : "-"},
               {ran ? human_bytes(pass.scratch_peak_bytes) : "-"},
               {ran ? "" : "left out: " + std::string(pass.left_out), Style::kWarning}});
  }
  if (table.empty()) return;
  context.page.blank();
  table.write(context.page);
}

void write_memory(const TextContext& context) {
  const MemoryView& memory = context.view.memory;
  context.page.heading(
      "NATIVE MEMORY",
      std::string(context.view.dump.imported() ? "at most " : "of the agent: at most ") +
          human_bytes(memory.peak_bytes) + limit_phrase(memory, " allowed (memory=)"));
  Table table({{"for", ColumnKind::kText, 16}, {"at most"}});
  for (const LedgerView& row : memory.categories)
    table.row({{std::string(row.category)}, {human_bytes(row.peak_bytes)}});
  if (!table.empty()) table.write(context.page);
  if (memory.vm_tag_bytes_estimate > 0) {
    context.page.paragraph("The VM itself took about " + human_bytes(memory.vm_tag_bytes_estimate) +
                               " for object tags, outside this limit.",
                           Style::kPlain, Page::kIndent);
  }
  if (memory.process_growth_bytes > 0) {
    context.page.paragraph("The whole process grew by " + human_bytes(memory.process_growth_bytes) +
                               " during the dump.",
                           Style::kPlain, Page::kIndent);
  }
}

}  // namespace holdfast::cli
