// Questions that only the whole graph answers: the options that `analyze`, and `report` on a snapshot, have beside the report.
//   --group-by KEY        the dominator tree by class, loader or package
//   --retained-of SET     minimum and exact retained size of a set of objects
//   --dominators-of SET   who holds them: immediate dominators by class, those of --skip patterns passed over
//   --paths-to SET        shortest paths from the GC roots, merged; --without leaves references out
//   --dominator-path AT   the way down the dominator tree to one object
//   --suspects mat        leak suspects by Eclipse MAT's rule
// SET is a pattern for class names (*, ?), or loader:PATTERN, package:PATTERN.
// Shape:  each question gives one Answer: a table of plain cells, from which text and JSON are made alike.
// Zone:   offline.   Errors: throws QueryError, one line, for a set that matches nothing, an unknown address, no memory.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "analysis/results.h"
#include "common/arena.h"

namespace holdfast::cli {

struct GraphQueries {
  static constexpr std::uint32_t kGroupDepth = 4,
                                 kPathDepth = 16;  // unless --depth says more or less
  std::string group_by;
  std::uint32_t depth = 0;  // of --group-by and --paths-to; 0: not asked
  std::vector<std::string> retained_of, dominators_of, paths_to, dominator_path;
  std::vector<std::string> skip, without;
  std::string suspects;  // "mat"

  bool any() const {
    return !group_by.empty() || !retained_of.empty() || !dominators_of.empty() ||
           !paths_to.empty() || !dominator_path.empty() || !suspects.empty();
  }
};

class QueryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class CellKind : std::uint8_t { kName, kCount, kBytes };
struct AnswerColumn {
  std::string header;  // for people
  std::string key;     // for programs, with its unit
  CellKind kind = CellKind::kCount;
};
using Cell = std::variant<std::string, std::uint64_t>;
struct AnswerRow {
  std::vector<Cell> cells;  // as many as columns
  std::uint32_t depth = 0;  // of rows that form a tree
};
struct Answer {
  std::string query;   // "retained_of"
  std::string title;   // "RETAINED BY shop.Session"
  std::string remark;  // one sentence
  std::vector<AnswerColumn> columns;
  std::vector<AnswerRow> rows;
};

// The graph with what the passes found about it.
struct QueryInput {
  const Snapshot& snapshot;
  const analysis::Findings& findings;
  std::uint32_t holding = 0;                 // as holding_strengths() says
  std::span<const std::uint64_t> addresses;  // [objects]; empty: objects are named by their number
  std::size_t top = 0;                       // rows of each answer
  Arena& arena;
};

std::vector<Answer> answer_queries(const GraphQueries& queries, const QueryInput& input);

}  // namespace holdfast::cli
