#include "cli/compare/facts_json.h"

#include <nlohmann/json.hpp>

#include "cli/text/number_text.h"

namespace holdfast::cli {

Json facts_json(const ReportFacts& facts) {
  const std::uint64_t start_ms = facts.vm_start_ms();
  return {{"file", facts.file},
          {"main_name", facts.main_name},
          {"vm_name", facts.vm_name},
          {"vm_version", facts.vm_version},
          {"host", facts.host},
          {"container", optional_text(facts.container)},
          {"pid", facts.pid},
          {"sequence", facts.sequence},
          {"vm_started_utc", start_ms == 0 ? Json(nullptr) : Json(utc_for_programs(start_ms))},
          {"dumped_utc", utc_for_programs(facts.dumped_utc_ms)},
          {"dumped_utc_ms", facts.dumped_utc_ms},
          {"kind", facts.extended ? "extended" : "simple"},
          {"trigger", facts.trigger},
          {"rung", facts.rung},
          {"counted", word(facts.counted)},
          {"graph", facts.graph},
          {"heap_complete", facts.heap_complete}};
}

Json warnings_json(const std::vector<CompareWarning>& warnings) {
  Json rows = Json::array();
  for (const CompareWarning& warning : warnings)
    rows.push_back({{"code", warning.code}, {"text", warning.text}});
  return rows;
}

}  // namespace holdfast::cli
