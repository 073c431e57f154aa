// Questions that only the whole graph answers: the options that `analyze`, and `report` on a snapshot, have beside the report.
//   --group-by KEY        the dominator tree by class, loader or package
//   --retained-of SET     minimum and exact retained size of a set of objects
//   --reachable-of SET    what they reach together, beside what they retain
//   --dominators-of SET   who holds them: immediate dominators by class, those of --skip patterns passed over
//   --paths-to SET        shortest paths from the GC roots, merged; --without leaves references out
//   --dominator-path AT   the way down the dominator tree to one object
//   --suspects mat        leak suspects by Eclipse MAT's rule
//   --statistics          the thesis' statistics of the heap, and how reachable and retained sizes differ: statistics_query.h
//   --from-roots, --root-of AT, --keeping-alive AT: HeapRoots' questions, see root_queries.h
// SET and AT: see object_names.h.
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
  // Unless --depth says more or less:
  static constexpr std::uint32_t kGroupDepth = 4, kPathDepth = 16, kRootDepth = 8;
  std::string group_by;
  std::uint32_t depth = 0;  // of --group-by, --paths-to and --from-roots; 0: not asked
  std::vector<std::string> retained_of, reachable_of, dominators_of, paths_to, dominator_path;
  std::vector<std::string> skip, without;
  std::string suspects;  // "mat"
  bool statistics = false;
  // How long reachable sizes of all objects, of --statistics and --objects, are searched for; then the rest is estimated.
  std::uint64_t reachable_wall_ns = UINT64_MAX;
  bool from_roots = false;
  std::vector<std::string> root_of, keeping_alive;
  bool strong_only = false, class_references = false;  // of what from_roots and these two follow

  bool any_of_roots() const { return from_roots || !root_of.empty() || !keeping_alive.empty(); }
  bool any() const {
    return !group_by.empty() || !retained_of.empty() || !reachable_of.empty() ||
           !dominators_of.empty() || !paths_to.empty() || !dominator_path.empty() ||
           !suspects.empty() || statistics || any_of_roots();
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
// Nothing where a figure would say something else than the column: empty for people, null for programs.
// An average is a number with two decimals for people, all of it for programs.
using Cell = std::variant<std::string, std::uint64_t, double, std::monostate>;
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
