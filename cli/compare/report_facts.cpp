#include "cli/compare/report_facts.h"

#include <algorithm>

#include "cli/compare/comparison.h"

namespace holdfast::cli {
namespace {

// Clocks are set by some seconds while a program runs; a VM that starts anew takes longer, or has a smaller uptime.
constexpr std::uint64_t kClockSlackMs = 10'000;
constexpr std::string_view kMatRules = "by Eclipse MAT's rules";  // command_analyze.cpp writes it
constexpr std::string_view kHistogramRung = "histogram";

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

std::string retain_of(const ReportView& view) {
  for (const OptionView& option : view.options)
    if (option.key == "retain") return std::string(option.value);
  return {};
}

Counted counted_of(const ReportView& view) {
  if (view.graph || view.dump.extended) return Counted::kHeld;
  return view.dump.rung == kHistogramRung ? Counted::kAll : Counted::kReached;
}

std::string named(const std::string& text) { return text.empty() ? "(not known)" : text; }

using Warnings = std::vector<CompareWarning>;

void warn_of_programs(const ReportFacts& a, const ReportFacts& b, Warnings& out) {
  if (a.main_name != b.main_name)
    out.push_back({"different_program", "these are different programs, " + named(a.main_name) +
                                            " and " + named(b.main_name) +
                                            ": the differences are not growth"});
  if (a.vm_name != b.vm_name || a.vm_version != b.vm_version)
    out.push_back({"different_vm", "the VMs differ (" + a.vm_name + ' ' + a.vm_version + ", then " +
                                       b.vm_name + ' ' + b.vm_version +
                                       "): sizes of objects and the platform's classes may, too"});
  if (a.host != b.host)
    out.push_back(
        {"different_host", "the hosts differ: " + named(a.host) + ", then " + named(b.host)});
}

void warn_of_processes(const ReportFacts& a, const ReportFacts& b, Warnings& out) {
  if (a.main_name != b.main_name || a.imported || b.imported || same_process(a, b)) return;
  const std::string who =
      a.pid == b.pid ? "pid " + std::to_string(a.pid) + " was started anew"
                     : "pid " + std::to_string(a.pid) + ", then pid " + std::to_string(b.pid);
  out.push_back({"different_process",
                 "these are different processes (" + who + "): what differs need not have grown"});
}

void warn_of_time(const ReportFacts& a, const ReportFacts& b, const PairNames& names,
                  Warnings& out) {
  if (same_dump(a, b))
    out.push_back({"same_dump", "both files are the same dump: there can be no difference"});
  else if (a.dumped_utc_ms > b.dumped_utc_ms)
    out.push_back(
        {"wrong_order", names.before + " is the later one: all changes are from later to earlier"});
}

void warn_of_rules(const ReportFacts& a, const ReportFacts& b, Warnings& out) {
  if (a.mat_rules != b.mat_rules)
    out.push_back({"different_rules",
                   "one was imported by Eclipse MAT's rules, the other was not: shallow and "
                   "retained sizes are not alike"});
  if (a.counted == Counted::kHeld && b.counted == Counted::kHeld && a.retain != b.retain)
    out.push_back({"different_retain", "what holds an object differs (retain=" + a.retain +
                                           ", then retain=" + b.retain +
                                           "): so do retained sizes"});
  if (a.imported != b.imported)
    out.push_back({"one_imported",
                   "one was imported from a dump of another tool: what it counts may differ"});
}

void warn_of_counting(const ReportFacts& a, const ReportFacts& b, const PairNames& names,
                      Warnings& out) {
  if (a.graph != b.graph)
    out.push_back({"no_graph", "only " + (a.graph ? names.before : names.after) +
                                   " has a graph: there are no retained sizes and no paths "
                                   "to compare"});
  if (a.graph && b.graph && a.retained != b.retained)
    out.push_back({"no_retained", "only " + (a.retained ? names.before : names.after) +
                                      " has retained sizes of classes (analyses=)"});
  if (a.counted != b.counted)
    out.push_back({"counted_differently", names.before + " counts " +
                                              std::string(phrase(a.counted)) + ", " + names.after +
                                              " " + std::string(phrase(b.counted))});
  for (const ReportFacts* facts : {&a, &b})
    if (!facts->heap_complete)
      out.push_back({"incomplete", (facts == &a ? names.before : names.after) +
                                       " is incomplete; 'holdfast report' says what it "
                                       "lost"});
}

}  // namespace

std::uint64_t ReportFacts::vm_start_ms() const {
  return uptime_ms == 0 || uptime_ms > dumped_utc_ms ? 0 : dumped_utc_ms - uptime_ms;
}

std::string ReportFacts::place() const {
  if (imported) return "heap dump";
  const std::string& where = container.empty() ? host : container;
  return "pid " + std::to_string(pid) + (where.empty() ? "" : " on " + where);
}

ReportFacts facts_of(const ReportView& view, const std::string& file) {
  ReportFacts facts;
  facts.file = file;
  facts.main_name = view.origin.main_name;
  facts.vm_name = view.origin.vm_name;
  facts.vm_version = view.origin.vm_version;
  facts.host = view.origin.host;
  facts.container = view.origin.container;
  facts.pid = view.origin.pid;
  facts.sequence = view.origin.sequence;
  facts.dumped_utc_ms = view.origin.started_utc_ms;
  facts.uptime_ms = view.origin.vm_uptime_ms;
  facts.trigger = view.dump.trigger;
  facts.rung = view.dump.rung;
  facts.retain = retain_of(view);
  facts.extended = view.dump.extended;
  facts.graph = view.graph.has_value();
  facts.retained = view.has_retained();
  facts.imported = view.dump.imported();
  facts.mat_rules = std::ranges::any_of(
      view.notes, [](std::string_view note) { return note.ends_with(kMatRules); });
  facts.heap_complete = view.losses.heap_complete();
  facts.counted = counted_of(view);
  facts.heap_used_bytes = view.dump.heap_used_before_bytes;
  facts.report_bytes = view.report_bytes;
  if (!view.states) return facts;
  for (std::size_t i = 0; i < kHeapStates; ++i) {
    const StateView row = view.states->of(static_cast<HeapState>(i));
    facts.states.push_back({word(static_cast<HeapState>(i)), row.objects, row.shallow_bytes});
  }
  facts.states.push_back({"not_reached", std::nullopt, not_reached_bytes(view)});
  return facts;
}

bool same_program(const ReportFacts& a, const ReportFacts& b) {
  return a.main_name == b.main_name && a.vm_name == b.vm_name && a.host == b.host &&
         a.container == b.container;
}

bool same_process(const ReportFacts& a, const ReportFacts& b) {
  if (!same_program(a, b) || a.vm_version != b.vm_version || a.pid != b.pid ||
      a.imported != b.imported)
    return false;
  if (a.vm_start_ms() == 0 || b.vm_start_ms() == 0) return true;
  const ReportFacts& first = a.dumped_utc_ms <= b.dumped_utc_ms ? a : b;
  const ReportFacts& second = &first == &a ? b : a;
  return first.uptime_ms <= second.uptime_ms + kClockSlackMs &&
         distance(a.vm_start_ms(), b.vm_start_ms()) <= kClockSlackMs;
}

bool same_dump(const ReportFacts& a, const ReportFacts& b) {
  return same_process(a, b) && a.sequence == b.sequence && a.dumped_utc_ms == b.dumped_utc_ms &&
         a.uptime_ms == b.uptime_ms && a.report_bytes == b.report_bytes;
}

std::string_view word(Counted counted) {
  if (counted == Counted::kHeld) return "held";
  return counted == Counted::kReached ? "reached" : "all";
}

std::string_view phrase(Counted counted) {
  if (counted == Counted::kHeld) return "what is held";
  return counted == Counted::kReached ? "what any reference reaches"
                                      : "the whole heap, garbage included";
}

std::vector<CompareWarning> warnings_of(const ReportFacts& before, const ReportFacts& after,
                                        const PairNames& names) {
  Warnings out;
  warn_of_time(before, after, names, out);
  warn_of_programs(before, after, out);
  warn_of_processes(before, after, out);
  warn_of_rules(before, after, out);
  warn_of_counting(before, after, names, out);
  return out;
}

}  // namespace holdfast::cli
