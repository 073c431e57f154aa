#include "cli/text/csv_field.h"

namespace holdfast::cli {

void append_csv_field(std::string& line, std::string_view text) {
  const bool formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  const bool quoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
  if (quoted) line += '"';
  if (formula) line += '\'';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  if (quoted) line += '"';
}

}  // namespace holdfast::cli
