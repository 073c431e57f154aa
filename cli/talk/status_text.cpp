#include <algorithm>

#include "cli/report/collections_view.h"
#include "cli/talk/dump_words.h"
#include "cli/talk/status_view.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"
#include "cli/text/page.h"
#include "cli/text/table.h"
#include "common/time_units.h"

namespace holdfast::cli {
namespace {

using control::Status;

constexpr std::size_t kDateColumns = 19;  // without " UTC", which the header says

std::string since(std::uint64_t milliseconds_ago) {
  return human_duration(milliseconds_ago * kNsPerMs);
}

bool known(std::uint64_t count) { return count != kUnknownCount; }

void write_head(Page& page, const Status& status) {
  std::string head(status.main_name);
  head += " · pid " + std::to_string(status.pid) + " on " + std::string(status.host);
  if (!status.container.empty()) head += " (container " + std::string(status.container) + ")";
  head += " · up for " + since(status.vm_uptime_ms);
  page.paragraph(head, Style::kBold);
  page.blank();
}

std::string heap_text(const Status& status) {
  const HeapFigures& heap = status.heap;
  const CollectionFigures& gc = status.collections;
  std::string text;
  if (heap.max_bytes != 0)
    text = human_bytes(heap.used_bytes) + " in use of at most " + human_bytes(heap.max_bytes) +
           " when last looked at";
  if (const std::string last = last_collection_text(gc.heard); !last.empty()) {
    text += (text.empty() ? "" : "; ") + ("last collection: " + last);
  } else if (known(gc.used_after_bytes) && gc.used_after_bytes != 0) {
    if (!text.empty()) text += "; ";
    text += human_bytes(gc.used_after_bytes) + " after the last collection";
    if (heap.max_bytes == 0 && known(gc.max_bytes))
      text += ", of at most " + human_bytes(gc.max_bytes);
  }
  return text.empty() ? "not looked at yet" : text;
}

std::string collections_text(const Status& status) {
  const CollectionFigures& gc = status.collections;
  if (!known(gc.young) && !known(gc.full)) return "not known of this VM";
  std::string text;
  if (known(gc.young)) text = thousands(gc.young) + " young";
  if (known(gc.full)) text += (text.empty() ? "" : ", ") + thousands(gc.full) + " full";
  if (known(gc.cycles) && gc.cycles != 0) text += ", " + thousands(gc.cycles) + " beside it";
  if (known(gc.pause_ns))
    text += "; the application stood still for " + human_duration(gc.pause_ns) + " of its time (" +
            percent(gc.pause_ns, status.vm_uptime_ms * kNsPerMs) + ")";
  if (known(gc.last_pause_ns)) text += ", last " + human_duration(gc.last_pause_ns);
  if (known(gc.heard.longest_pause_ns))
    text += ", longest " + human_duration(gc.heard.longest_pause_ns);
  if (known(gc.heard.reclaimed_bytes))
    text += "; " + human_bytes(gc.heard.reclaimed_bytes) + " reclaimed in " +
            counted(gc.heard.count, "collection");
  return text;
}

std::string connections_text(const Status& status) {
  std::string text = counted(status.connections, "connection");
  if (status.watchers > 0) text += ", " + counted(status.watchers, "watcher");
  if (status.connections_refused > 0)
    text += ", " + thousands(status.connections_refused) + " turned away";
  return text;
}

std::string version_text(const Status& status) {
  std::string text(status.tool_version);
  if (!status.build_description.empty())
    text += " (build " + std::string(status.build_description) + ")";
  return text;
}

void write_agent(Page& page, const Status& status) {
  page.labelled("agent", "holdfast " + version_text(status) + ", there for " +
                             since(status.agent_uptime_ms) + ", " +
                             human_duration(status.agent_cpu_ns) + " of CPU (" +
                             percent(status.agent_cpu_ns, status.agent_uptime_ms * kNsPerMs) +
                             " of one core)");
  page.labelled("VM",
                std::string(status.vm_name) + " " + std::string(status.vm_version) +
                    (status.collector.empty() ? std::string()
                                              : ", collector " + std::string(status.collector)));
  page.labelled("heap", heap_text(status));
  page.labelled("collected", collections_text(status));
  if (status.frozen_refusal.empty())
    page.labelled("capture", "frozen: a graph costs a short pause");
  else
    page.labelled("capture", "no frozen copy: " + std::string(status.frozen_refusal),
                  Style::kWarning);
  page.labelled("reports", "in " + std::string(status.dir));
  page.labelled("talks to", connections_text(status));
}

void write_triggers(Page& page, const Status& status) {
  page.heading("TRIGGERS",
               status.triggers.empty() ? "none is armed" : "what makes a dump by itself");
  Table table({{"trigger", ColumnKind::kText, 10},
               {"set to", ColumnKind::kText, 6},
               {"fired", ColumnKind::kNumber, 0, true},
               {"refused", ColumnKind::kNumber, 0, true},
               {"state", ColumnKind::kText, 12}});
  for (const control::TriggerState& trigger : status.triggers)
    table.row({{std::string(trigger.name)},
               {std::string(trigger.setting)},
               {thousands(trigger.fired)},
               {thousands(trigger.refused)},
               {std::string(trigger.state)}});
  if (!table.empty()) table.write(page);
}

std::string dumps_remark(const Status& status) {
  const GateCounts& requests = status.requests;
  const std::uint64_t refused = std::uint64_t{requests.refused_cooldown} + requests.refused_closed;
  return counted(status.reports, "report") + ", " + thousands(status.failed) +
         " without one · requests: " + thousands(requests.accepted) + " accepted, " +
         thousands(requests.merged) + " merged, " + thousands(refused) + " refused (" +
         thousands(requests.refused_cooldown) + " by cooldown=)";
}

// " for 2.0 s, 3,300,000 objects: about 4.1 s on a free core, 88.0 s beside busy ones"
std::string analysis_words(const DumpProgress& dump, std::uint64_t now_utc_ms) {
  const std::string expected = expectation_phrase(dump);
  if (dump.stage != DumpStage::kAnalysing || expected.empty()) return {};
  const std::uint64_t since_ms = now_utc_ms - std::min(now_utc_ms, dump.analysis_began_utc_ms);
  return " for " + human_duration(since_ms * 1'000'000) + ", " + thousands(dump.objects) +
         " objects: takes " + expected;
}

// What came of it: the path, or why there is none.
void write_outcome(Page& page, const DumpProgress& dump, std::uint64_t now_utc_ms) {
  const std::string number = "#" + std::to_string(dump.number);
  if (dump.stage == DumpStage::kReported) {
    page.labelled(number, dump.report_path);
    if (dump.missing.text[0] != '\0')
      page.labelled("", std::string("not complete: ") + dump.missing.text, Style::kWarning);
    return;
  }
  if (dump.stage == DumpStage::kFailed)
    return page.labelled(number, "no report: " + failure_text(dump), Style::kWarning);
  page.labelled(number,
                std::string(stage_word(dump.stage)) + " …" + analysis_words(dump, now_utc_ms));
  if (dump.report_path[0] == '\0') return;
  page.labelled("", dump.report_path);
  page.labelled("",
                "basic report: classes, retained sizes, suspects, paths and threads; the optional "
                "parts go on");
}

void write_dumps(Page& page, const Status& status) {
  page.heading("DUMPS", dumps_remark(status));
  Table table({{"dump", ColumnKind::kText, 3},
               {"asked for (UTC)", ColumnKind::kText, 19, true},
               {"trigger", ColumnKind::kText, 7},
               {"rung", ColumnKind::kText, 9},
               {"predicted", ColumnKind::kNumber, 0, true},
               {"stopped"},
               {"report", ColumnKind::kNumber, 0, true}});
  for (const DumpProgress& dump : status.dumps) {
    const bool planned = dump.pause_limit_ns != 0;
    table.row({{"#" + std::to_string(dump.number)},
               {utc_for_people(dump.asked_utc_ms).substr(0, kDateColumns)},
               {std::string(trigger_word(dump.trigger))},
               {planned ? std::string(rung_word(dump.rung)) : "-"},
               {planned ? human_duration(dump.predicted_pause_ns) : "-"},
               {dump.pause_ns != 0 ? human_duration(dump.pause_ns) : "-"},
               {dump.report_bytes != 0 ? human_bytes(dump.report_bytes) : "-"}});
  }
  if (table.empty()) return;
  table.write(page);
  page.blank();
  for (const DumpProgress& dump : status.dumps) write_outcome(page, dump, status.utc_ms);
}

void write_memory(Page& page, const Status& status) {
  page.heading("NATIVE MEMORY", human_bytes(status.memory_used_bytes) + " now, at most " +
                                    human_bytes(status.memory_peak_bytes) + " so far, of " +
                                    human_bytes(status.memory_limit_bytes) + " allowed (memory=)");
  Table table({{"for", ColumnKind::kText, 16}, {"now"}, {"at most"}});
  for (const control::NamedBytes& row : status.memory) {
    if (row.bytes + row.peak_bytes == 0) continue;
    table.row({{std::string(row.name)}, {human_bytes(row.bytes)}, {human_bytes(row.peak_bytes)}});
  }
  if (!table.empty()) table.write(page);
}

void write_options(Page& page, const Status& status) {
  page.heading("OPTIONS", "in force; 'holdfast set' changes them");
  std::string text;
  for (const control::NamedText& option : status.options)
    text += (text.empty() ? "" : ", ") + std::string(option.name) + "=" + std::string(option.text);
  page.paragraph(text, Style::kPlain, Page::kIndent);
}

}  // namespace

std::string status_text(const Status& status, std::size_t columns, bool colour) {
  Page page(columns, colour);
  write_head(page, status);
  write_agent(page, status);
  write_triggers(page, status);
  write_dumps(page, status);
  write_memory(page, status);
  write_options(page, status);
  return page.text();
}

}  // namespace holdfast::cli
