#include "cli/export/row_text.h"

#include <nlohmann/json.hpp>

#include "cli/text/csv_field.h"
#include "cli/text/json_text.h"

namespace holdfast::cli {
namespace {

std::string text_of(const Row& value) { return json_text(value, -1); }

// The library repairs text while it writes it, so text is written and read once.
std::string valid_text(const Row& value) { return Row::parse(text_of(value)).get<std::string>(); }

void append_cell(std::string& line, const Row& value) {
  if (value.is_string())
    append_csv_field(line, valid_text(value));
  else if (!value.is_null())
    line += text_of(value);
}

}  // namespace

std::string json_line(const Row& row) { return text_of(row) + '\n'; }

std::string csv_line(const Row& row) {
  std::string line;
  for (const auto& cell : row.items()) {
    if (&cell.value() != &row.front()) line += ',';
    append_cell(line, cell.value());
  }
  return line + "\r\n";
}

std::string csv_header(const std::vector<std::string>& columns) {
  std::string line;
  for (const std::string& column : columns) line.append(line.empty() ? "" : ",").append(column);
  return line + "\r\n";
}

}  // namespace holdfast::cli
