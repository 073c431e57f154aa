#include "cli/analyze/graph_queries.h"

#include <algorithm>

#include "analysis/dominator_path.h"
#include "analysis/filtered_references.h"
#include "analysis/mat_suspects.h"
#include "analysis/merged_paths.h"
#include "analysis/object_sets.h"
#include "analysis/reachability.h"
#include "analysis/reachable/set_reach.h"
#include "analysis/set_dominators.h"
#include "analysis/set_retained.h"
#include "analysis/tree_groups.h"
#include "cli/analyze/object_names.h"
#include "cli/analyze/root_queries.h"
#include "cli/analyze/statistics_query.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

using namespace analysis;

class Answerer {
 public:
  Answerer(const GraphQueries& queries, const QueryInput& input)
      : queries_(queries), in_(input), names_(input) {
    if (input.findings.dominators.idom.empty())
      throw QueryError("the dominators were left out, and every question rests on them");
  }

  std::vector<Answer> all() {
    if (!queries_.group_by.empty()) answer([&] { return group_by(); });
    for (const std::string& set : queries_.retained_of) answer([&] { return retained_of(set); });
    for (const std::string& set : queries_.reachable_of) answer([&] { return reachable_of(set); });
    for (const std::string& set : queries_.dominators_of)
      answer([&] { return dominators_of(set); });
    for (const std::string& set : queries_.paths_to) answer([&] { return paths_to(set); });
    for (const std::string& at : queries_.dominator_path)
      answer([&] { return dominator_path(at); });
    if (!queries_.suspects.empty()) answer([&] { return suspects(); });
    if (queries_.statistics) {
      answer([&] { return heap_figures(in_); });
      answer([&] { return size_difference_figures(queries_, in_); });
    }
    if (queries_.from_roots) answer([&] { return from_roots(queries_, in_, names_); });
    for (const std::string& at : queries_.root_of)
      answer([&] { return root_of(queries_, in_, names_, at); });
    for (const std::string& at : queries_.keeping_alive)
      answer([&] { return keeping_alive(queries_, in_, names_, at); });
    return std::move(answers_);
  }

 private:
  template <class Ask>
  void answer(Ask ask) {
    const ArenaScope scratch(in_.arena);
    answers_.push_back(ask());
  }

  static AnswerColumn name(const char* header, const char* key) {
    return {header, key, CellKind::kName};
  }
  static AnswerColumn count(const char* header, const char* key) {
    return {header, key, CellKind::kCount};
  }
  static AnswerColumn bytes(const char* header, const char* key) {
    return {header, key, CellKind::kBytes};
  }

  std::vector<std::string_view> views(const std::vector<std::string>& texts) const {
    return {texts.begin(), texts.end()};
  }
  GroupLimits limits(std::uint32_t usual_depth) const {
    return {static_cast<std::uint32_t>(std::min<std::size_t>(in_.top, 100'000)),
            queries_.depth != 0 ? queries_.depth : usual_depth};
  }
  static std::string group_text(std::string_view key, const std::string& by) {
    return key.empty() && by == "package" ? "(default package)" : std::string(key);
  }

  Answer group_by() {
    TreeGroupQuery query;
    query.by = queries_.group_by == "class"    ? GroupBy::kClass
               : queries_.group_by == "loader" ? GroupBy::kLoader
                                               : GroupBy::kPackage;
    query.limits = limits(GraphQueries::kGroupDepth);
    const TreeGroups groups = need(
        tree_groups(in_.snapshot, in_.findings.dominators, query, in_.arena, cancel_), "grouping");
    Answer answer{
        "group_by",
        "DOMINATOR TREE BY " + queries_.group_by,
        "Objects of one level share nothing: their retained sizes add up.",
        {name(queries_.group_by.c_str(), queries_.group_by.c_str()), count("objects", "objects"),
         bytes("shallow", "shallow_bytes"), bytes("retained", "retained_bytes")},
        {}};
    add_tree(answer, groups.rows, [&](const TreeGroupRow& row) {
      return std::vector<Cell>{group_text(groups.keys.name(row.key), queries_.group_by),
                               row.sum.objects, row.sum.shallow_bytes, row.sum.retained_bytes};
    });
    if (groups.rest_groups != 0)
      answer.rows.push_back({{counted(groups.rest_groups, "further group"), std::uint64_t{0},
                              std::uint64_t{0}, groups.rest_retained_bytes},
                             0});
    return answer;
  }

  Answer retained_of(const std::string& text) {
    const ObjectSet set = names_.chosen(text);
    const MinimumRetained least = need(
        minimum_retained(in_.snapshot, in_.findings.dominators, set, cancel_), "retained size");
    const CountedReferences references = counted_references();
    const ObjectSet exact = need(
        retained_set(references, in_.holding, in_.findings.dominators, set, in_.arena, cancel_),
        "retained size");
    return {"retained_of",
            "RETAINED BY " + text,
            "Minimum: by dominators. Exact: what becomes unreachable when all of them are removed.",
            {name("set", "set"), count("objects", "objects"), bytes("shallow", "shallow_bytes"),
             bytes("retained, minimum", "minimum_retained_bytes"), bytes("exact", "retained_bytes"),
             count("objects with them", "retained_objects")},
            {{{text, least.members, least.member_shallow_bytes, least.retained_bytes,
               exact.shallow_bytes, exact.objects},
              0}}};
  }

  // Of the held members: all figures are of the same objects.
  Answer reachable_of(const std::string& text) {
    const ObjectSet set = names_.chosen(text);
    const Dominators& dominators = in_.findings.dominators;
    ObjectSet held = need(ObjectSet::make(in_.snapshot, in_.arena), "reachable size");
    set.for_each([&](std::uint32_t v) {
      if (dominators.idom[v] != ObjectId::kNoneValue) held.insert(in_.snapshot, v);
    });
    const MinimumRetained least =
        need(minimum_retained(in_.snapshot, dominators, held, cancel_), "retained size");
    const CountedReferences references = counted_references();
    const ObjectSet exact =
        need(retained_set(references, in_.holding, dominators, held, in_.arena, cancel_),
             "retained size");
    const ObjectSet reached =
        need(set_reach(references, in_.holding, held, in_.arena, cancel_), "reachable size");
    return {
        "reachable_of",
        "REACHED FROM " + text,
        "All that they reach together, themselves included, but for class objects of what is "
        "reached; beside it what they retain.",
        {name("set", "set"), count("objects", "objects"), bytes("shallow", "shallow_bytes"),
         bytes("reachable", "reachable_bytes"), count("objects with them", "reachable_objects"),
         bytes("retained, minimum", "minimum_retained_bytes"), bytes("exact", "retained_bytes")},
        {{{text, held.objects, held.shallow_bytes, reached.shallow_bytes, reached.objects,
           least.retained_bytes, exact.shallow_bytes},
          0}}};
  }

  Answer dominators_of(const std::string& text) {
    const ObjectSet set = names_.chosen(text);
    const auto skip = views(queries_.skip);
    const auto rows =
        need(set_dominators(in_.snapshot, in_.findings.dominators, set, skip, in_.arena, cancel_),
             "dominators");
    std::string remark = "By whom they are held: the immediate dominator";
    if (!skip.empty()) remark += ", or the first above it whose class does not match";
    for (const std::string& pattern : queries_.skip) remark += " " + pattern;
    Answer answer{
        "dominators_of",
        "DOMINATORS OF " + text,
        remark + ".",
        {name("dominator's class", "class"), count("dominators", "dominators"),
         bytes("retain", "dominator_retained_bytes"), count("of them hold", "members"),
         bytes("shallow", "member_shallow_bytes"), bytes("retained", "member_retained_bytes")},
        {}};
    for (const SetDominatorRow& row : rows.first(std::min(rows.size(), in_.top)))
      answer.rows.push_back(
          {{row.root ? std::string("(GC roots)") : names_.class_text(row.class_id), row.dominators,
            row.dominator_retained_bytes, row.members, row.member_shallow_bytes,
            row.member_retained_bytes},
           0});
    return answer;
  }

  Answer paths_to(const std::string& text) {
    const ObjectSet set = names_.chosen(text);
    const CountedReferences references = counted_references();
    Reachability found = in_.findings.reachability;
    if (!queries_.without.empty()) found = need(reachability_without(references), "paths");
    if (found.parent.empty()) throw QueryError("reachability was left out, and paths rest on it");
    const MergedPaths paths =
        need(merged_paths(in_.snapshot, found, set, limits(GraphQueries::kPathDepth), in_.arena,
                          cancel_),
             "paths");
    std::string remark =
        thousands(paths.paths) + " shortest paths from the GC roots, merged class by class";
    if (paths.without_path != 0)
      remark += "; " + thousands(paths.without_path) + " objects have none";
    for (const std::string& one : queries_.without) remark += "; without " + one;
    Answer answer{"paths_to",
                  "PATHS TO " + text,
                  remark + ".",
                  {name("class", "class"), count("objects", "objects"),
                   count("paths through", "paths"), bytes("shallow", "path_bytes")},
                  {}};
    add_tree(answer, paths.nodes, [&](const MergedPathNode& node) {
      return std::vector<Cell>{std::string(paths.keys.name(node.key)), node.sum.objects,
                               node.sum.paths, node.sum.path_bytes};
    });
    return answer;
  }

  // "soft+weak" names strengths, all else is Class.field.
  Result<Reachability> reachability_without(const CountedReferences& references) {
    ReferenceFilter filter;
    std::vector<std::string_view> fields;
    for (const std::string& one : queries_.without)
      if (!add_strengths(one, filter.without)) fields.push_back(one);
    for (const std::string_view field : fields)
      if (field.find('.') == field.npos)
        throw QueryError("--without " + std::string(field) +
                         ": wanted is soft, weak, final, phantom (joined by +) or Class.field");
    filter.fields = fields;
    HF_TRY(filtered, FilteredReferences::make(references, filter, in_.arena, cancel_));
    return find_reachability(filtered, in_.arena, cancel_);
  }
  static bool add_strengths(std::string_view text, StrengthSet& set) {
    StrengthSet found = 0;
    while (!text.empty()) {
      const std::string_view one = text.substr(0, text.find('+'));
      text.remove_prefix(std::min(text.size(), one.size() + 1));
      StrengthSet bit = 0;
      for (const Strength s :
           {Strength::kSoft, Strength::kWeak, Strength::kFinal, Strength::kPhantom})
        if (strength_name(s) == one) bit = strength_bit(s);
      if (bit == 0) return false;
      found |= bit;
    }
    set |= found;
    return true;
  }

  Answer dominator_path(const std::string& text) {
    const std::uint32_t object = names_.object_at("--dominator-path", text);
    const DominatorPath path =
        need(analysis::dominator_path(
                 in_.snapshot, in_.findings.dominators, ObjectId{object},
                 static_cast<std::uint32_t>(std::min<std::size_t>(in_.top, 100'000)), in_.arena),
             "dominator path");
    if (path.length == 0)
      throw QueryError("--dominator-path " + text + ": nothing holds this object");
    Answer answer{"dominator_path",
                  "DOMINATOR PATH TO " + text,
                  "Each object goes only when the one before goes.",
                  {name("object", "object"), bytes("shallow", "shallow_bytes"),
                   bytes("retained", "retained_bytes")},
                  {}};
    for (std::size_t i = 0; i < path.steps.size(); ++i) {
      const DominatorStep& step = path.steps[i];
      answer.rows.push_back(
          {{names_.object_text(step.object), step.shallow_bytes, step.retained_bytes}, 0});
      const bool gap = path.length > path.steps.size() && i == path.left_out_after;
      if (gap)
        answer.rows.push_back({{counted(path.length - path.steps.size(), "object") + " left out",
                                std::uint64_t{0}, std::uint64_t{0}},
                               0});
    }
    return answer;
  }

  Answer suspects() {
    const auto found =
        need(mat_suspects(in_.snapshot, in_.findings.dominators, MatLimits{}, in_.arena, cancel_),
             "suspects");
    Answer answer{
        "suspects",
        "LEAK SUSPECTS BY ECLIPSE MAT'S RULE",
        found.empty() ? "Nothing below the GC roots retains more than 20 % of the heap."
                      : "Below the GC roots, more than 20 % of the heap each; accumulation point: "
                        "where it spreads.",
        {name("suspect", "suspect"), count("objects", "objects"),
         bytes("retained", "retained_bytes"), name("accumulation point", "accumulation_point"),
         bytes("retains", "accumulation_retained_bytes")},
        {}};
    for (const MatSuspect& one : found) {
      const std::string what =
          one.object.valid() ? names_.object_text(one.object) : names_.class_text(one.class_id);
      const std::string where =
          one.accumulation_point.valid() ? names_.object_text(one.accumulation_point) : "";
      answer.rows.push_back(
          {{what, one.objects, one.retained_bytes, where, one.accumulation_retained_bytes}, 0});
    }
    return answer;
  }

  CountedReferences counted_references() {
    return need(CountedReferences::make(in_.snapshot, in_.arena, cancel_), "references");
  }

  // Rows that stand parents first, siblings by weight, into the order of a printed tree.
  template <class Nodes, class Cells>
  void add_tree(Answer& answer, const Nodes& nodes, Cells cells) {
    constexpr std::uint32_t kTop = 0xFFFFFFFFu;
    std::vector<std::vector<std::uint32_t>> children(nodes.size());
    std::vector<std::uint32_t> stack;
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
      (nodes[i].parent == kTop ? stack : children[nodes[i].parent]).push_back(i);
    std::ranges::reverse(stack);
    while (!stack.empty()) {
      const std::uint32_t i = stack.back();
      stack.pop_back();
      answer.rows.push_back({cells(nodes[i]), nodes[i].depth - 1});
      stack.insert(stack.end(), children[i].rbegin(), children[i].rend());
    }
  }

  const GraphQueries& queries_;
  const QueryInput& in_;
  const ObjectNames names_;
  const CancelToken cancel_;
  std::vector<Answer> answers_;
};

}  // namespace

std::vector<Answer> answer_queries(const GraphQueries& queries, const QueryInput& input) {
  return Answerer(queries, input).all();
}

}  // namespace holdfast::cli
