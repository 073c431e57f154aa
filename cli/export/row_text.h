// Rows as text that databases take: JSON lines, and CSV with one header.
// Shape:  one line a row (in CSV a name with a line end in quotes is part of its row); a null is an empty field of CSV. UTF-8,
//         invalid bytes are replaced. In CSV text that a spreadsheet would run is marked (csv_field.h); JSON lines have every
//         name as it is.
// Zone:   offline.   Errors: none.
#pragma once

#include <string>
#include <vector>

#include "cli/export/report_rows.h"

namespace holdfast::cli {

std::string json_line(const Row& row);
std::string csv_line(const Row& row);
std::string csv_header(const std::vector<std::string>& columns);

}  // namespace holdfast::cli
