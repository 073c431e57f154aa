#include "cli/talk/age_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "cli/text/display_text.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kLeastAgeColumns = 16;
constexpr std::size_t kAgeLinesBefore = 2;  // a blank one and the headers

std::span<const AgeSuspect> suspects_of(const AgeVerdict& verdict) {
  return std::span(verdict.suspects).first(std::min<std::size_t>(verdict.count, kMostAgeSuspects));
}

std::string none_text(const AgeVerdict& verdict) {
  std::string text = "no class piles up: " + thousands(verdict.collections) + " collections";
  if (verdict.candidates != 0)
    text += ", " + thousands(verdict.candidates) + " with old objects of many ages";
  return text;
}

Json suspect_json(const AgeSuspect& suspect) {
  return {{"class", suspect.name},
          {"instances", suspect.instances},
          {"shallow_bytes", suspect.shallow_bytes},
          {"more_instances", suspect.more_instances},
          {"more_bytes", suspect.more_bytes},
          {"collections", suspect.collections},
          {"window_ms", suspect.window_ms},
          {"looks", suspect.looks},
          {"old_samples", suspect.old_samples},
          {"ages_at_least", suspect.ages},
          {"old_percent", suspect.old_percent},
          {"confidence_percent", suspect.confidence_percent}};
}

}  // namespace

std::size_t age_suspect_lines(const AgeVerdict& verdict, std::size_t rows) {
  if (!verdict.on) return 0;
  if (verdict.count == 0) return kAgeLinesBefore;
  return kAgeLinesBefore + std::min(rows, suspects_of(verdict).size());
}

void write_age_suspects(const AgeVerdict& verdict, std::size_t rows, Page& page) {
  if (!verdict.on) return;
  page.blank();
  if (verdict.count == 0) {
    const std::string text = none_text(verdict);
    return page.line({{std::string(prefix_of_width(text, page.columns())), Style::kDim}});
  }
  Table table({{"piles up", ColumnKind::kName, kLeastAgeColumns},
               {"instances", ColumnKind::kNumber, 0, true},
               {"more"},
               {"in collections"},
               {"ages", ColumnKind::kNumber, 0, true},
               {"old", ColumnKind::kNumber, 0, true},
               {"sure"}});
  const std::span<const AgeSuspect> all = suspects_of(verdict);
  for (const AgeSuspect& suspect : all.first(std::min(rows, all.size())))
    table.row({{suspect.name},
               {thousands(suspect.instances)},
               {"+" + thousands(suspect.more_instances), Style::kWarning},
               {thousands(suspect.collections)},
               {thousands(suspect.ages)},
               {std::to_string(suspect.old_percent) + " %"},
               {std::to_string(suspect.confidence_percent) + " %", Style::kAlarm}});
  table.write(page, 0);
}

Json ages_json(const AgeVerdict& verdict) {
  if (!verdict.on) return nullptr;
  Json json{
      {"collections", verdict.collections},
      {"looked_utc", verdict.utc_ms == 0 ? Json(nullptr) : Json(utc_for_programs(verdict.utc_ms))},
      {"candidates", verdict.candidates},
      {"looks", verdict.looks}};
  json["suspects"] = Json::array();
  for (const AgeSuspect& suspect : suspects_of(verdict))
    json["suspects"].push_back(suspect_json(suspect));
  return json;
}

}  // namespace holdfast::cli
