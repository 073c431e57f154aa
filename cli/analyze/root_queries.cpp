#include "cli/analyze/root_queries.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/heap_roots/keeping_alive.h"
#include "cli/analyze/root_tree.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

using namespace analysis;

LinkScope scope_of(const GraphQueries& queries) {
  return {queries.strong_only, queries.class_references};
}

std::string scope_text(const GraphQueries& queries) {
  std::string text;
  if (queries.strong_only) text += " Soft links are left out.";
  if (queries.class_references) text += " References to class objects count.";
  return text;
}

std::vector<AnswerColumn> owned_columns() {
  return {{"object", "object", CellKind::kName},
          {"link", "link", CellKind::kName},
          {"shallow", "shallow_bytes", CellKind::kBytes},
          {"subtree", "subtree_bytes", CellKind::kBytes},
          {"descendants", "descendants", CellKind::kCount},
          {"depth", "max_depth", CellKind::kCount}};
}

// Who owns what, with rows of figures about it.
class Owned {
 public:
  Owned(const GraphQueries& queries, const QueryInput& input, const ObjectNames& names)
      : in_(input),
        names_(names),
        scope_(scope_of(queries)),
        references_(
            need(CountedReferences::make(input.snapshot, input.arena, cancel_), "references")),
        owned_(need(find_ownership(references_, scope_, input.arena, cancel_), "owners")) {}

  const Ownership& ownership() const { return owned_; }
  std::string kind_text(std::uint32_t root) const {
    return owned_.objects[root].parent == OwnedObject::kPureRoot ? "pure root" : "artificial root";
  }
  // "1 pure root with 10 objects, 96 B".
  std::string roots_text(bool pure) const {
    const auto roots =
        pure ? owned_.roots.first(owned_.pure_roots) : owned_.roots.subspan(owned_.pure_roots);
    std::uint64_t objects = roots.size(), bytes = 0;
    for (const std::uint32_t root : roots) {
      objects += owned_.objects[root].descendants;
      bytes += owned_.objects[root].subtree_bytes;
    }
    return counted(roots.size(), pure ? "pure root" : "artificial root") + " with " +
           counted(objects, "object") + ", " + human_bytes(bytes);
  }

  void add_object(Answer& answer, std::uint32_t object, bool soft, std::uint32_t depth) const {
    const std::string link = owned_.objects[object].is_root() ? kind_text(object)
                             : soft                           ? "soft"
                                                              : "";
    answer.rows.push_back(
        {{names_.object_text(ObjectId{object}), link, in_.snapshot.shallow_bytes(ObjectId{object}),
          owned_.objects[object].subtree_bytes, std::uint64_t{owned_.objects[object].descendants},
          std::uint64_t{owned_.objects[object].max_depth}},
         depth});
  }
  static void add_text(Answer& answer, const std::string& text, const std::string& link,
                       std::uint32_t depth) {
    constexpr std::monostate kNothing;
    answer.rows.push_back({{text, link, kNothing, kNothing, kNothing, kNothing}, depth});
  }
  static void add_rest(Answer& answer, const SiblingRest& rest, const char* what,
                       std::uint32_t depth) {
    if (rest.objects == 0) return;
    answer.rows.push_back(
        {{counted(rest.objects, "further " + std::string(what)), std::string(), std::monostate{},
          rest.subtree_bytes, rest.descendants, std::uint64_t{rest.max_depth}},
         depth});
  }

  void add_tree(Answer& answer, const RootTreeLimits& limits) const {
    const RootTree tree = root_tree(references_, scope_, owned_, limits);
    constexpr std::uint32_t kBehind = 0x80000000u;  // what stands behind the children of a node
    std::vector<std::uint32_t> stack(tree.roots.rbegin(), tree.roots.rend());
    while (!stack.empty()) {
      const std::uint32_t top = stack.back();
      stack.pop_back();
      const RootTreeNode& node = tree.nodes[top & ~kBehind];
      if ((top & kBehind) != 0) {
        add_behind(answer, node);
        continue;
      }
      add_object(answer, node.object, node.soft, node.depth);
      stack.push_back(top | kBehind);
      stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
    }
    add_rest(answer, tree.rest, "root", 0);
  }

  // From the root that owns it down to the object.
  std::vector<std::uint32_t> way_to(std::uint32_t object) const {
    std::vector<std::uint32_t> way = {object};
    while (!owned_.objects[way.back()].is_root()) way.push_back(owned_.objects[way.back()].parent);
    std::ranges::reverse(way);
    return way;
  }
  bool soft_step(std::uint32_t object) const {
    return !owned_.objects[object].is_root() &&
           is_soft_link(references_, scope_, owned_.objects[object].parent, object);
  }

 private:
  void add_behind(Answer& answer, const RootTreeNode& node) const {
    const std::uint32_t depth = node.depth + 1;
    add_rest(answer, node.rest, "object", depth);
    for (const LinkedObject& link : node.elsewhere) {
      const std::uint32_t owner = owned_.objects[link.object].owner;
      const std::string place = owner == owned_.objects[node.object].owner
                                    ? "placed elsewhere"
                                    : "owned by " + names_.address_text(owner);
      add_text(answer, names_.object_text(ObjectId{link.object}),
               (link.soft ? "soft, " : "") + place, depth);
    }
    if (node.elsewhere.empty() && node.elsewhere_count != 0)
      add_text(answer, counted(node.elsewhere_count, "object"), "placed elsewhere", depth);
  }

  const QueryInput& in_;
  const ObjectNames& names_;
  const CancelToken cancel_;
  const LinkScope scope_;
  const CountedReferences references_;
  const Ownership owned_;
};

struct ClassSums {
  std::uint64_t kept = 0, kept_bytes = 0, reached = 0, reached_bytes = 0;
};

// All together first, then class by class, those that keep most first.
std::vector<std::pair<std::string, ClassSums>> sums_by_class(const QueryInput& in,
                                                             const ObjectNames& names,
                                                             const KeepingAlive& found) {
  std::vector<ClassSums> by_id(in.snapshot.catalog.classes.size() + 1);
  found.reachable.for_each([&](std::uint32_t v) {
    const std::size_t id = std::min<std::size_t>(in.snapshot.class_of[v].value, by_id.size() - 1);
    const std::uint64_t bytes = in.snapshot.shallow_bytes(ObjectId{v});
    ++by_id[id].reached;
    by_id[id].reached_bytes += bytes;
    if (!found.kept.contains(v)) return;
    ++by_id[id].kept;
    by_id[id].kept_bytes += bytes;
  });
  std::map<std::string, ClassSums> by_name;  // classes of one name are one row
  for (std::size_t id = 0; id < by_id.size(); ++id) {
    if (by_id[id].reached == 0) continue;
    const bool known = id + 1 < by_id.size();
    ClassSums& sums =
        by_name[names.class_text(known ? ClassId{static_cast<std::uint32_t>(id)} : ClassId{})];
    sums.kept += by_id[id].kept;
    sums.kept_bytes += by_id[id].kept_bytes;
    sums.reached += by_id[id].reached;
    sums.reached_bytes += by_id[id].reached_bytes;
  }
  std::vector<std::pair<std::string, ClassSums>> rows(by_name.begin(), by_name.end());
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    return std::tie(a.second.kept_bytes, a.second.reached_bytes) >
           std::tie(b.second.kept_bytes, b.second.reached_bytes);
  });
  return rows;
}

AnswerRow sums_row(const std::string& name, const ClassSums& sums, std::uint32_t depth) {
  return {{name, sums.kept, sums.kept_bytes, sums.reached, sums.reached_bytes}, depth};
}

}  // namespace

Answer from_roots(const GraphQueries& queries, const QueryInput& input, const ObjectNames& names) {
  const Owned owned(queries, input, names);
  Answer answer{"from_roots",
                "DUMP FROM ROOTS",
                owned.roots_text(true) + "; " + owned.roots_text(false) + "." + scope_text(queries),
                owned_columns(),
                {}};
  owned.add_tree(answer, {std::min<std::size_t>(input.top, 100'000),
                          queries.depth != 0 ? queries.depth : GraphQueries::kRootDepth});
  return answer;
}

Answer root_of(const GraphQueries& queries, const QueryInput& input, const ObjectNames& names,
               const std::string& at) {
  const std::uint32_t object = names.object_at("--root-of", at);
  const Owned owned(queries, input, names);
  const std::uint32_t root = owned.ownership().objects[object].owner;
  Answer answer{"root_of",
                "ROOT OWNER OF " + at,
                names.object_text(ObjectId{root}) + ", " + owned.kind_text(root) +
                    "; below it each object as the search reached it." + scope_text(queries),
                owned_columns(),
                {}};
  const std::vector<std::uint32_t> way = owned.way_to(object);
  const std::size_t shown = std::min(way.size(), std::max<std::size_t>(input.top, 2));
  const std::size_t first = shown == way.size() ? shown : (shown + 1) / 2;
  for (std::size_t i = 0; i < way.size(); ++i) {
    if (i == first && shown < way.size()) {
      Owned::add_text(answer, counted(way.size() - shown, "object") + " left out", "", 0);
      i += way.size() - shown;
    }
    owned.add_object(answer, way[i], owned.soft_step(way[i]), 0);
  }
  return answer;
}

Answer keeping_alive(const GraphQueries& queries, const QueryInput& input, const ObjectNames& names,
                     const std::string& at) {
  const std::uint32_t object = names.object_at("--keeping-alive", at);
  const CancelToken cancel;
  const auto references =
      need(CountedReferences::make(input.snapshot, input.arena, cancel), "references");
  const KeepingAlive found =
      need(find_keeping_alive(references, scope_of(queries), ObjectId{object}, input.arena, cancel),
           "keeping alive");
  Answer answer{"keeping_alive",
                "KEPT ALIVE BY " + names.object_text(ObjectId{object}),
                "Of what it reaches, what nothing outside of that reaches but through it: objects, "
                "not GC roots, are asked." +
                    scope_text(queries),
                {{"class", "class", CellKind::kName},
                 {"keeps alive", "kept_objects", CellKind::kCount},
                 {"shallow", "kept_bytes", CellKind::kBytes},
                 {"reaches", "reachable_objects", CellKind::kCount},
                 {"shallow", "reachable_bytes", CellKind::kBytes}},
                {}};
  answer.rows.push_back(sums_row("(all)",
                                 {found.kept.objects, found.kept.shallow_bytes,
                                  found.reachable.objects, found.reachable.shallow_bytes},
                                 0));
  const auto classes = sums_by_class(input, names, found);
  const std::size_t shown = std::min(classes.size(), input.top);
  ClassSums rest;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto& [name, sums] = classes[i];
    if (i < shown) answer.rows.push_back(sums_row(name, sums, 1));
    if (i < shown) continue;
    rest = {rest.kept + sums.kept, rest.kept_bytes + sums.kept_bytes, rest.reached + sums.reached,
            rest.reached_bytes + sums.reached_bytes};
  }
  if (shown < classes.size())
    answer.rows.push_back(
        sums_row(counted(classes.size() - shown, "further class", "further classes"), rest, 1));
  return answer;
}

}  // namespace holdfast::cli
