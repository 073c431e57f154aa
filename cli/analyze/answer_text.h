// Answers to graph queries, for people and for programs.
// Shape:  text: a heading and a table each, rows of trees indented; JSON: {"schema_version": 1, "answers": [{"query", "title",
//         "remark", "rows": [{key: value}]}]}, rows of trees with their "depth".
// Zone:   offline.   Errors: none.
#pragma once

#include <span>
#include <string>

#include "cli/analyze/graph_queries.h"

namespace holdfast::cli {

std::string answers_text(std::span<const Answer> answers, std::size_t columns, bool colour);
std::string answers_json(std::span<const Answer> answers);

}  // namespace holdfast::cli
