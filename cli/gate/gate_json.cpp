// The answer for programs; the keys are described in docs/reference/json-answers.md.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/compare/facts_json.h"
#include "cli/gate/gate_output.h"
#include "cli/report/json_value.h"
#include "cli/text/json_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr int kGateSchemaVersion = 1;

const char* word(Ruling ruling) {
  switch (ruling) {
    case Ruling::kHolds:
      return "holds";
    case Ruling::kFails:
      return "fails";
    case Ruling::kUndecided:
      break;
  }
  return "undecided";
}

// Whole numbers as such; a bound that is not there as null.
Json number(double value) {
  constexpr double kWhole = 9.0e15;  // below 2^53
  if (!std::isfinite(value)) return nullptr;
  if (std::abs(value) < kWhole && std::floor(value) == value)
    return static_cast<std::int64_t>(value);
  return value;
}

Json rows_json(const Judgement& judgement) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(kRowsShown, judgement.found.rows.size()); ++i) {
    const MatchedRow& row = judgement.found.rows[i];
    rows.push_back({{"name", row.name},
                    {"loader", optional_text(row.loader)},
                    {"instances", row.instances},
                    {"shallow_bytes", row.shallow_bytes},
                    {"retained_bytes", row.retained_bytes}});
  }
  return rows;
}

Json judgement_json(const Judgement& judgement) {
  const Assertion& assertion = judgement.assertion;
  const bool known = judgement.found.known;
  return {{"expression", assertion.text},
          {"result", word(judgement.ruling)},
          {"message", sentence_of(judgement)},
          {"quantity", quantity_text(assertion)},
          {"comparison", word(assertion.comparison)},
          {"limit", number(judgement.limit)},
          {"unit", assertion.in_bytes() ? "bytes" : "count"},
          {"found", judgement.found.exact() ? number(judgement.found.least) : Json(nullptr)},
          {"least", known ? number(judgement.found.least) : Json(nullptr)},
          {"most", known ? number(judgement.found.most) : Json(nullptr)},
          {"why_undecided", optional_text(judgement.why)},
          {"matches", judgement.found.rows.size()},
          {"largest", rows_json(judgement)}};
}

}  // namespace

std::string gate_json(const GateResult& result) {
  Json document{{"schema_version", kGateSchemaVersion},
                {"result", word(overall(result.judgements))},
                {"file", result.file},
                {"baseline", optional_text(result.baseline)},
                {"warnings", warnings_json(result.warnings)},
                {"main_name", result.view.origin.main_name},
                {"started_utc", utc_for_programs(result.view.origin.started_utc_ms)},
                {"holds", count_of(result.judgements, Ruling::kHolds)},
                {"fails", count_of(result.judgements, Ruling::kFails)},
                {"undecided", count_of(result.judgements, Ruling::kUndecided)}};
  Json rows = Json::array();
  for (const Judgement& judgement : result.judgements) rows.push_back(judgement_json(judgement));
  document["assertions"] = std::move(rows);
  return json_text(document) + '\n';
}

}  // namespace holdfast::cli
