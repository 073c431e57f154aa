#include "cli/analyze/root_tree.h"

#include <algorithm>
#include <queue>

namespace holdfast::cli {
namespace {

using namespace analysis;

// Each target once, with its first link, by rising numbers.
std::vector<LinkedObject> distinct_links(const CountedReferences& references,
                                         const LinkScope& scope, std::uint32_t object) {
  const LinkRow row(references, scope, object);
  std::vector<LinkedObject> links;
  std::uint32_t at = 0;
  for (std::uint32_t to = row.next(at); to != ObjectId::kNoneValue; to = row.next(at))
    links.push_back({to, row.is_soft(at - 1)});
  std::ranges::stable_sort(links, {}, &LinkedObject::object);
  const auto same = [](const LinkedObject& a, const LinkedObject& b) {
    return a.object == b.object;
  };
  links.erase(std::unique(links.begin(), links.end(), same), links.end());
  return links;
}

// Lists of siblings, each in its order, merged: the largest subtree of all that are next comes next.
class TreeBuilder {
 public:
  TreeBuilder(const CountedReferences& references, const LinkScope& scope,
              const Ownership& ownership, const RootTreeLimits& limits)
      : references_(references), scope_(scope), owned_(ownership), limits_(limits) {}

  RootTree built() {
    std::vector<LinkedObject> roots;
    for (const std::uint32_t root : owned_.roots) roots.push_back({root, false});
    add_siblings(kAbove, std::move(roots));
    while (!next_.empty() && tree_.nodes.size() < limits_.nodes) {
      Siblings& from = lists_[next_.top().list];
      next_.pop();
      show(from);
    }
    for (const Siblings& list : lists_) settle(list);
    return std::move(tree_);
  }

 private:
  static constexpr std::uint32_t kAbove = 0xFFFFFFFFu;  // the parent of roots

  struct Siblings {
    std::uint32_t parent = kAbove;  // node
    std::vector<LinkedObject> objects;
    std::size_t shown = 0;
  };
  struct Next {
    std::uint64_t bytes;
    std::uint32_t object;
    std::size_t list;
    friend bool operator<(const Next& a, const Next& b) {
      return a.bytes != b.bytes ? a.bytes < b.bytes : a.object > b.object;
    }
  };

  Next next_of(std::size_t list) const {
    const std::uint32_t object = lists_[list].objects[lists_[list].shown].object;
    return {owned_.objects[object].subtree_bytes, object, list};
  }

  void add_siblings(std::uint32_t parent, std::vector<LinkedObject> siblings) {
    if (siblings.empty()) return;
    const auto sorted = static_cast<std::ptrdiff_t>(std::min(siblings.size(), limits_.nodes));
    std::partial_sort(siblings.begin(), siblings.begin() + sorted, siblings.end(),
                      [&](const LinkedObject& a, const LinkedObject& b) {
                        const std::uint64_t left = owned_.objects[a.object].subtree_bytes;
                        const std::uint64_t right = owned_.objects[b.object].subtree_bytes;
                        return left != right ? left > right : a.object < b.object;
                      });
    lists_.push_back({parent, std::move(siblings), 0});
    next_.push(next_of(lists_.size() - 1));
  }

  void show(Siblings& from) {
    const LinkedObject link = from.objects[from.shown++];
    const auto node = static_cast<std::uint32_t>(tree_.nodes.size());
    const bool root = from.parent == kAbove;
    const std::uint32_t depth = root ? 0 : tree_.nodes[from.parent].depth + 1;
    (root ? tree_.roots : tree_.nodes[from.parent].children).push_back(node);
    if (from.shown < from.objects.size())
      next_.push(next_of(static_cast<std::size_t>(&from - lists_.data())));
    tree_.nodes.push_back({link.object, depth, link.soft, {}, {}, {}, 0});
    if (depth + 1 < limits_.depth) open(node);  // `from` may move
  }

  void open(std::uint32_t node) {
    const std::uint32_t object = tree_.nodes[node].object;
    std::vector<LinkedObject> children, elsewhere;
    for (const LinkedObject& link : distinct_links(references_, scope_, object))
      (owned_.objects[link.object].parent == object ? children : elsewhere).push_back(link);
    tree_.nodes[node].elsewhere_count = elsewhere.size();
    if (elsewhere.size() <= RootTreeLimits::kFewLinks)
      tree_.nodes[node].elsewhere = std::move(elsewhere);
    add_siblings(node, std::move(children));
  }

  // What is left of a list; of one that nothing is shown of, its parent's own figures say as much.
  void settle(const Siblings& list) {
    if (list.shown == 0) return;
    SiblingRest& rest = list.parent == kAbove ? tree_.rest : tree_.nodes[list.parent].rest;
    for (std::size_t i = list.shown; i < list.objects.size(); ++i) {
      const std::uint32_t object = list.objects[i].object;
      ++rest.objects;
      rest.subtree_bytes += owned_.objects[object].subtree_bytes;
      rest.descendants += owned_.objects[object].descendants;
      rest.max_depth = std::max(rest.max_depth, owned_.objects[object].max_depth);
    }
  }

  const CountedReferences& references_;
  const LinkScope& scope_;
  const Ownership& owned_;
  const RootTreeLimits& limits_;
  RootTree tree_;
  std::vector<Siblings> lists_;
  std::priority_queue<Next> next_;
};

}  // namespace

RootTree root_tree(const CountedReferences& references, const LinkScope& scope,
                   const Ownership& ownership, const RootTreeLimits& limits) {
  return TreeBuilder(references, scope, ownership, limits).built();
}

bool is_soft_link(const CountedReferences& references, const LinkScope& scope, std::uint32_t from,
                  std::uint32_t to) {
  const LinkRow row(references, scope, from);
  std::uint32_t at = 0;
  for (std::uint32_t target = row.next(at); target != ObjectId::kNoneValue; target = row.next(at))
    if (target == to) return row.is_soft(at - 1);
  return false;
}

}  // namespace holdfast::cli
