#include "cli/report/json_value.h"

#include <nlohmann/json.hpp>

#include "cli/talk/dump_words.h"
#include "cli/talk/heap_json.h"
#include "cli/talk/status_view.h"
#include "cli/text/json_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

using control::Status;

Json process_json(const Status& status) {
  return {{"main_name", status.main_name},
          {"pid", status.pid},
          {"host", status.host},
          {"container", optional_text(status.container)},
          {"vm_name", status.vm_name},
          {"vm_version", status.vm_version},
          {"vm_vendor", status.vm_vendor},
          {"collector", status.collector},
          {"uptime_ms", status.vm_uptime_ms}};
}

Json agent_json(const Status& status) {
  const std::uint64_t uptime_ns = status.agent_uptime_ms * 1'000'000;
  return {{"tool_version", status.tool_version},
          {"build_description", optional_text(status.build_description)},
          {"uptime_ms", status.agent_uptime_ms},
          {"cpu_ms", milliseconds(status.agent_cpu_ns)},
          {"cpu_share", uptime_ns == 0 ? Json(nullptr)
                                       : Json(static_cast<double>(status.agent_cpu_ns) /
                                              static_cast<double>(uptime_ns))},
          {"dir", status.dir},
          {"frozen_refusal", optional_text(status.frozen_refusal)},
          {"connections", status.connections},
          {"connections_refused", status.connections_refused},
          {"watchers", status.watchers}};
}

Json memory_json(const Status& status) {
  Json categories = Json::array();
  for (const control::NamedBytes& row : status.memory)
    categories.push_back(
        {{"category", row.name}, {"bytes", row.bytes}, {"peak_bytes", row.peak_bytes}});
  return {{"limit_bytes", status.memory_limit_bytes},
          {"used_bytes", status.memory_used_bytes},
          {"peak_bytes", status.memory_peak_bytes},
          {"categories", std::move(categories)}};
}

Json requests_json(const Status& status) {
  return {{"accepted", status.requests.accepted},
          {"merged", status.requests.merged},
          {"refused_cooldown", status.requests.refused_cooldown},
          {"refused_closed", status.requests.refused_closed},
          {"reports", status.reports},
          {"failed", status.failed}};
}

Json triggers_json(const Status& status) {
  Json rows = Json::array();
  for (const control::TriggerState& trigger : status.triggers)
    rows.push_back({{"trigger", trigger.name},
                    {"setting", trigger.setting},
                    {"state", trigger.state},
                    {"fired", trigger.fired},
                    {"refused", trigger.refused}});
  return rows;
}

}  // namespace

std::string status_json(const Status& status) {
  Json document{{"schema_version", kJsonSchemaVersion},
                {"utc", utc_for_programs(status.utc_ms)},
                {"utc_ms", status.utc_ms}};
  document["process"] = process_json(status);
  document["agent"] = agent_json(status);
  document["heap"] = heap_json(status.heap);
  document["collections"] = collections_json(status.collections);
  document["memory"] = memory_json(status);
  document["requests"] = requests_json(status);
  document["triggers"] = triggers_json(status);
  document["dumps"] = Json::array();
  for (const DumpProgress& dump : status.dumps)
    document["dumps"].push_back(dump_progress_json(dump));
  document["options"] = Json::object();
  for (const control::NamedText& option : status.options)
    document["options"][std::string(option.name)] = option.text;
  return json_text(document) + '\n';
}

}  // namespace holdfast::cli
