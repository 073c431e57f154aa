#include "cli/report/report_json.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/report/json_value.h"
#include "cli/report/section_list.h"
#include "cli/report/verdict.h"
#include "cli/text/json_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

// 64 bits do not survive a reader that takes numbers for doubles, so a hash is text.
std::string hash_text(std::uint64_t hash) {
  char text[32];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

Json origin_json(const OriginView& origin) {
  return {{"tool_version", origin.tool_version},
          {"vm_name", origin.vm_name},
          {"vm_version", origin.vm_version},
          {"vm_vendor", origin.vm_vendor},
          {"collector", origin.collector},
          {"main_name", origin.main_name},
          {"host", origin.host},
          {"container", optional_text(origin.container)},
          {"pid", origin.pid},
          {"sequence", origin.sequence},
          {"command_line_hash", hash_text(origin.command_line_hash)},
          {"started_utc", utc_for_programs(origin.started_utc_ms)},
          {"started_utc_ms", origin.started_utc_ms},
          {"vm_uptime_ms", origin.vm_uptime_ms}};
}

Json options_json(const ReportView& view) {
  Json json = Json::object();
  for (const OptionView& option : view.options) json[std::string(option.key)] = option.value;
  return json;
}

Json dump_json(const DumpView& dump) {
  return {
      {"kind", dump.extended ? "extended" : "simple"},
      {"trigger", dump.trigger},
      {"rung", dump.rung},
      {"merged_requests", dump.merged_requests},
      {"refused_requests", dump.refused_requests},
      {"pause_ms", milliseconds(dump.pause_ns)},
      {"predicted_pause_ms", milliseconds(dump.predicted_pause_ns)},
      {"pause_limit_ms", dump.pause_limit_ns ? milliseconds(*dump.pause_limit_ns) : Json(nullptr)},
      {"prepare_ms", milliseconds(dump.prepare_ns)},
      {"seal_ms", milliseconds(dump.seal_ns)},
      {"clone_ms", milliseconds(dump.clone_ns)},
      {"predicted_growth_bytes", dump.predicted_growth_bytes},
      {"capture_ms", milliseconds(dump.capture_ns)},
      {"analysis_ms", milliseconds(dump.analysis_ns)},
      {"heap_used_before_bytes", dump.heap_used_before_bytes},
      {"heap_used_after_bytes", dump.heap_used_after_bytes},
      {"heap_committed_bytes", dump.heap_committed_bytes},
      {"heap_max_bytes", dump.heap_max_bytes}};
}

Json losses_json(const LossView& losses) {
  return {{"heap_complete", losses.heap_complete()},
          {"input_damaged", losses.input_damaged},
          {"objects_unknown_class", losses.objects_unknown_class},
          {"roots_dropped", losses.roots_dropped},
          {"references_to_unknown", losses.references_to_unknown},
          {"names_dropped", losses.names_dropped},
          {"names_cut", losses.names_cut},
          {"notes_dropped", losses.notes_dropped},
          {"passes_left_out", losses.passes_left_out},
          {"basic", losses.basic}};
}

Json memory_json(const MemoryView& memory) {
  Json categories = Json::array();
  for (const LedgerView& row : memory.categories) {
    categories.push_back({{"category", row.category}, {"peak_bytes", row.peak_bytes}});
  }
  return {{"limit_bytes", memory.limit_bytes},
          {"peak_bytes", memory.peak_bytes},
          {"categories", std::move(categories)},
          {"vm_tag_bytes_estimate", memory.vm_tag_bytes_estimate},
          {"process_growth_bytes", memory.process_growth_bytes}};
}

Json passes_json(const ReportView& view) {
  Json rows = Json::array();
  for (const PassView& pass : view.passes) {
    rows.push_back({{"pass", pass.name},
                    {"wall_ms", milliseconds(pass.wall_ns)},
                    {"cpu_ms", milliseconds(pass.cpu_ns)},
                    {"scratch_peak_bytes", pass.scratch_peak_bytes},
                    {"left_out", optional_text(pass.left_out)}});
  }
  return rows;
}

void leave_out_sections(Json& document, const std::vector<std::string>& wanted) {
  for (const Section& section : all_sections()) {
    if (is_wanted(wanted, section.name)) continue;
    for (const std::string_view key : section.json_keys) document.erase(std::string(key));
  }
}

}  // namespace

Json report_document(const ReportView& view, const JsonOptions& options) {
  const ReportView& whole = options.whole != nullptr ? *options.whole : view;
  Json document{{"schema_version", kJsonSchemaVersion},
                {"verdict", verdict_text(whole, kFullNames)}};
  document["origin"] = origin_json(view.origin);
  document["options"] = options_json(view);
  document["dump"] = dump_json(view.dump);
  document["losses"] = losses_json(view.losses);
  document["memory"] = memory_json(view.memory);
  document["graph"] = graph_json(view);
  document["suspects"] = suspects_json(view, whole, options.top);
  add_tables_json(document, view, options);
  document["tree"] = tree_json(view, options.top);
  document["top_objects"] = top_objects_json(view, options.top);
  document["tracking"] = tracking_json(view);
  document["reachable"] = reachable_json(view, options.top);
  document["cuts"] = cuts_json(view, options.top);
  document["states"] = states_json(view, options.top);
  document["holders"] = holders_json(view, options.top);
  document["accounts"] = accounts_json(view, options.top);
  document["collections"] = collections_json(view);
  document["aging"] = aging_json(view, options.top);
  document["ages"] = ages_json(view, options.top);
  document["passes"] = passes_json(view);
  document["notes"] = view.notes;
  document["report_bytes"] = view.report_bytes;
  leave_out_sections(document, options.sections);
  return document;
}

std::string report_json(const ReportView& view, const JsonOptions& options) {
  return json_text(report_document(view, options)) + '\n';
}

}  // namespace holdfast::cli
