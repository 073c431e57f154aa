#include "cli/compare/tree_comparison.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace holdfast::cli {
namespace {

using PathKey = std::tuple<std::uint32_t, std::string_view, std::string_view>;

// What a node's children retain that are not in the report; of the GC roots as well.
struct LeftOver {
  std::uint64_t children = 0;
  std::uint64_t retained_bytes = 0;
};

// How one report's tree adds to the paths.
class TreeReader {
 public:
  TreeReader(const ReportView& view, Side PathChange::*side, NameOf name_of)
      : view_(view), side_(side), name_of_(name_of) {}

  void add_to(std::vector<PathChange>& paths, std::map<PathKey, std::uint32_t>& places) {
    std::vector<std::uint32_t> path_of(view_.tree.size(), kNoRow);
    std::uint64_t top_bytes = 0;
    for (const TreeNodeView& node : view_.tree) {
      const std::uint32_t parent = node.parent == kNoRow ? kNoRow : path_of[node.parent];
      if (parent == kNoRow) top_bytes += node.retained_bytes;
      const std::string_view name =
          name_of_(node.object ? node.object->class_name : node.group_class);
      const std::string_view stands_for =
          node.object ? name_of_(node.object->class_object_of) : std::string_view{};
      const auto [at, added] =
          places.try_emplace({parent, name, stands_for}, static_cast<std::uint32_t>(paths.size()));
      if (added) paths.push_back({parent, name, stands_for, {}, {}});
      path_of[node.id] = at->second;
      add_node(paths[at->second], at->second, node);
    }
    const std::uint64_t held = view_.whole_bytes();
    top_.retained_bytes = held - std::min(held, top_bytes);
    top_.children = top_.retained_bytes > 0 ? 1 : 0;
  }

  // After both trees are there.
  void mark_unlisted(std::vector<PathChange>& paths) const {
    for (PathChange& path : paths) {
      Side& side = path.*side_;
      if (side.presence == Presence::kListed) continue;
      const LeftOver left = left_over(paths, path.parent);
      if (left.children == 0) continue;
      side.presence = Presence::kUnlisted;
      side.at_most = {left.children, left.retained_bytes, left.retained_bytes};
    }
  }

 private:
  void add_node(PathChange& path, std::uint32_t place, const TreeNodeView& node) {
    Side& side = path.*side_;
    side.presence = Presence::kListed;
    side.figures.instances += node.instances;
    side.figures.shallow_bytes += node.shallow_bytes;
    side.figures.retained_bytes += node.retained_bytes;
    ++side.definitions;
    if (rest_.size() <= place) rest_.resize(place + 1);
    rest_[place].children += node.rest_children;
    rest_[place].retained_bytes += node.rest_retained_bytes;
  }
  // Parents come first, so a parent that is not listed has its bound already.
  LeftOver left_over(const std::vector<PathChange>& paths, std::uint32_t parent) const {
    if (parent == kNoRow) return top_;
    const Side& side = paths[parent].*side_;
    if (side.presence == Presence::kListed) return rest_[parent];
    if (side.presence == Presence::kAbsent) return {};
    return {side.at_most.instances, side.at_most.retained_bytes};
  }

  const ReportView& view_;
  Side PathChange::*side_;
  NameOf name_of_;
  std::vector<LeftOver> rest_;  // by path
  LeftOver top_;
};

}  // namespace

std::vector<PathChange> compare_trees(const ReportView& before, const ReportView& after,
                                      NameOf name_of) {
  std::vector<PathChange> paths;
  std::map<PathKey, std::uint32_t> places;
  TreeReader earlier(before, &PathChange::before, name_of);
  TreeReader later(after, &PathChange::after, name_of);
  earlier.add_to(paths, places);
  later.add_to(paths, places);
  earlier.mark_unlisted(paths);
  later.mark_unlisted(paths);
  return paths;
}

}  // namespace holdfast::cli
