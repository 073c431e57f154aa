#include "cli/analyze/answer_text.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/report/json_value.h"
#include "cli/text/json_text.h"
#include "cli/text/number_text.h"
#include "cli/text/page.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kLeastNameColumns = 16;
constexpr std::uint32_t kDeepestIndent = 16;

// Like 12,345.67: the whole part as other figures have it.
std::string two_decimals(double average) {
  const auto hundredths = static_cast<std::uint64_t>(std::llround(average * 100));
  const std::string rest = std::to_string(hundredths % 100);
  return thousands(hundredths / 100) + (rest.size() < 2 ? ".0" : ".") + rest;
}

std::string cell_text(const Cell& cell, CellKind kind, std::uint32_t depth) {
  if (kind == CellKind::kName)
    return std::string(2 * std::min(depth, kDeepestIndent), ' ') + std::get<std::string>(cell);
  if (std::holds_alternative<std::monostate>(cell)) return {};
  if (const auto* average = std::get_if<double>(&cell)) return two_decimals(*average);
  const std::uint64_t number = std::get<std::uint64_t>(cell);
  return kind == CellKind::kBytes ? human_bytes(number) : thousands(number);
}

void write_answer(Page& page, const Answer& answer) {
  page.heading(answer.title, answer.remark);
  std::vector<Column> columns;
  for (const AnswerColumn& column : answer.columns) {
    const bool is_name = column.kind == CellKind::kName;
    columns.push_back({column.header, is_name ? ColumnKind::kName : ColumnKind::kNumber,
                       is_name ? kLeastNameColumns : 0, false});
  }
  Table table(std::move(columns));
  for (const AnswerRow& row : answer.rows) {
    std::vector<Span> cells;
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      cells.push_back({cell_text(row.cells[c], answer.columns[c].kind, c == 0 ? row.depth : 0)});
    table.row(std::move(cells));
  }
  if (!table.empty()) table.write(page);
}

Json cell_json(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<std::uint64_t>(&cell)) return *number;
  if (const auto* average = std::get_if<double>(&cell)) return *average;
  return nullptr;
}

Json row_json(const Answer& answer, const AnswerRow& row) {
  Json object;
  for (std::size_t c = 0; c < row.cells.size(); ++c)
    object[answer.columns[c].key] = cell_json(row.cells[c]);
  object["depth"] = row.depth;
  return object;
}

}  // namespace

std::string answers_text(std::span<const Answer> answers, std::size_t columns, bool colour) {
  Page page(columns, colour);
  for (const Answer& answer : answers) write_answer(page, answer);
  return page.text();
}

std::string answers_json(std::span<const Answer> answers) {
  Json document;
  document["schema_version"] = 1;
  Json list = Json::array();
  for (const Answer& answer : answers) {
    Json one{{"query", answer.query}, {"title", answer.title}, {"remark", answer.remark}};
    one["rows"] = Json::array();
    for (const AnswerRow& row : answer.rows) one["rows"].push_back(row_json(answer, row));
    list.push_back(std::move(one));
  }
  document["answers"] = std::move(list);
  return json_text(document, 2) + '\n';
}

}  // namespace holdfast::cli
