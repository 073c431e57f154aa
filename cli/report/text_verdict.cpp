// The first screen's upper half: who, the verdict, how sure, how big, what the dump cost.
#include <algorithm>

#include "cli/report/text_sections.h"
#include "cli/report/verdict.h"
#include "cli/report/words.h"
#include "cli/text/number_text.h"
#include "common/time_units.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kMoreSuspects = 2;  // named on the first screen beside the first one

std::size_t name_columns(const Page& page) {
  return std::max<std::size_t>(page.columns() * 2 / 3, 20);
}

void write_title(const TextContext& context) {
  const OriginView& origin = context.view.origin;
  const std::string_view place = origin.container.empty() ? origin.host : origin.container;
  std::string title = "holdfast · ";
  if (!origin.main_name.empty()) title.append(origin.main_name).append(" · ");
  title += context.view.dump.imported() ? "heap dump" : "pid " + std::to_string(origin.pid);
  if (!place.empty()) title.append(" on ").append(place);
  title += " · " + utc_for_people(origin.started_utc_ms) +
           (context.view.dump.extended ? " · extended" : " · simple");
  title.append(" dump (").append(context.view.dump.trigger).append(")");
  context.page.paragraph(title, Style::kDim);
}

std::string completeness_text(const ReportView& view) {
  if (view.losses.heap_complete())
    return view.graph           ? "the picture is complete, nothing was dropped"
           : view.dump.extended ? "all objects that are held were counted"
                                : "all objects were counted";
  return "INCOMPLETE, see NOTES AND LOSSES";
}

void write_certainty(const TextContext& context) {
  const ReportView& view = context.view;
  std::string text;
  if (!view.suspects.empty())
    text = "confidence " + std::to_string(view.suspects.front().confidence_percent) + " %; ";
  const bool complete = view.losses.heap_complete();
  context.page.labelled("how sure", text + completeness_text(view),
                        complete ? Style::kPlain : Style::kWarning);
}

// One dump does not know when it began; it knows how long the VM had run, and who knows more.
void write_since(const TextContext& context) {
  const OriginView& origin = context.view.origin;
  if (context.view.dump.imported() || origin.vm_uptime_ms == 0) return;
  context.page.labelled("since", "within the " + human_duration(origin.vm_uptime_ms * kNsPerMs) +
                                     " that the VM had run; 'holdfast watch " +
                                     std::to_string(origin.pid) + "' or a later dump shows growth");
}

void write_heap(const TextContext& context) {
  const ReportView& view = context.view;
  std::string text;
  if (view.graph) {
    text = accounted_text(view);
    if (view.dump.imported()) return context.page.labelled("heap", text);
    text += "; ";
  }
  text += human_bytes(view.dump.heap_used_before_bytes) + " in use";
  if (view.dump.heap_max_bytes > 0) text += " of at most " + human_bytes(view.dump.heap_max_bytes);
  context.page.labelled("heap", text);
}

std::string limit_text(const DumpView& dump) {
  return dump.pause_limit_ns ? human_duration(*dump.pause_limit_ns) + " allowed" : "no limit";
}

void write_pause(const TextContext& context) {
  const DumpView& dump = context.view.dump;
  if (dump.imported()) return;
  std::string text = human_duration(dump.pause_ns) + " stopped";
  if (dump.predicted_pause_ns > 0)
    text += ", " + human_duration(dump.predicted_pause_ns) + " predicted";
  text += ", " + limit_text(dump);
  if (!dump.rung.empty()) text.append("; capture rung: ").append(dump.rung);
  const bool too_long = dump.pause_limit_ns && dump.pause_ns > *dump.pause_limit_ns;
  context.page.labelled("pause", text, too_long ? Style::kWarning : Style::kPlain);
}

void write_cost(const TextContext& context) {
  const ReportView& view = context.view;
  context.page.labelled("cost", human_duration(view.dump.capture_ns) +
                                    (view.dump.imported() ? " to read, " : " to capture, ") +
                                    human_duration(view.dump.analysis_ns) + " to analyse; " +
                                    human_bytes(view.memory.peak_bytes) +
                                    limit_phrase(view.memory, "") + " native memory");
}

void write_further_suspects(const TextContext& context) {
  const std::vector<SuspectView>& suspects = context.view.suspects;
  for (std::size_t i = 1; i < std::min(suspects.size(), kMoreSuspects + 1); ++i) {
    context.page.labelled(i == 1 ? "also" : "",
                          suspect_sentence(suspects[i], name_columns(context.page) / 2));
  }
}

// Why there are no retained sizes, paths and suspects; the notes say where the graph is, or why no richer dump was taken.
void write_missing_graph(const TextContext& context) {
  if (context.view.graph) return;
  context.page.labelled(
      "no graph",
      context.view.dump.extended
          ? "it was written to a file and not analysed here, so there are no retained sizes, paths "
            "and suspects"
          : "a simple dump counts objects and follows no references, so there are no retained "
            "sizes, "
            "paths and suspects");
  for (const std::string_view note : context.view.notes) context.page.labelled("", note);
}

}  // namespace

void write_verdict(const TextContext& context) {
  write_title(context);
  context.page.blank();
  const bool alarm = !context.view.suspects.empty();
  context.page.paragraph(verdict_text(context.view, name_columns(context.page)),
                         alarm ? Style::kAlarm : Style::kBold);
  context.page.blank();
  write_certainty(context);
  write_since(context);
  write_heap(context);
  write_pause(context);
  write_cost(context);
  write_further_suspects(context);
  write_missing_graph(context);
}

}  // namespace holdfast::cli
