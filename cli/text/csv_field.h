// One field of a CSV row.
// Why a marker: a spreadsheet runs text that begins with = + - @ or a tab as a formula, and names come from the application. A
//      field of text that does gets an apostrophe in front, which spreadsheets hide; no number ever does.
// Shape:  quoted where a comma, a quote or a line end is in it; quotes doubled. O(length).
// Zone:   offline.   Errors: none.
// Source: RFC 4180; OWASP, "CSV Injection".
#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

void append_csv_field(std::string& line, std::string_view text);

}  // namespace holdfast::cli
