// A comparison for programs; the document is described in docs/reference/json-compare.md.
// Shape:  one object, all rows unless `top`.   Zone: offline.   Errors: none.
#pragma once

#include <string>
#include <vector>

#include "cli/compare/diff.h"
#include "cli/report/json_value.h"

namespace holdfast::cli {

inline constexpr int kDiffSchemaVersion = 1;

// As diff_json() prints it.
Json diff_document(const Diff& diff, std::size_t top, const std::vector<std::string>& sections);
std::string diff_json(const Diff& diff, std::size_t top, const std::vector<std::string>& sections);

}  // namespace holdfast::cli
