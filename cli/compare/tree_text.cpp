#include "cli/compare/tree_text.h"

#include <algorithm>

#include "cli/compare/change_selection.h"
#include "cli/compare/change_text.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kChangeColumns = 11;
constexpr std::size_t kSideColumns = 9;
constexpr std::size_t kDeepestIndent = 16;  // deeper nodes stay there
constexpr std::size_t kLeastLabelColumns = 10;
constexpr ClassOrder kRetained = ClassOrder::kRetained;

std::string right(const std::string& text, std::size_t columns) {
  return std::string(columns - std::min(columns, display_width(text)), ' ') + text;
}

class PathWriter {
 public:
  PathWriter(const std::vector<PathChange>& tree, Page& page)
      : tree_(tree), page_(page), children_(tree.size()) {}

  void write(const std::vector<std::uint32_t>& ids) {
    for (const std::uint32_t id : ids)
      (tree_[id].parent == kNoRow ? top_ : children_[tree_[id].parent]).push_back(id);
    push(top_, 0);
    while (!stack_.empty()) {
      const auto [id, depth] = stack_.back();
      stack_.pop_back();
      line(tree_[id], depth);
      push(children_[id], depth + 1);
    }
  }

 private:
  // The largest change is taken from the stack first.
  void push(std::vector<std::uint32_t>& ids, std::size_t depth) {
    std::ranges::stable_sort(ids, {}, [&](std::uint32_t id) {
      const std::int64_t certain = certain_change(tree_[id].before, tree_[id].after, kRetained);
      return certain < 0 ? -certain : certain;
    });
    for (const std::uint32_t id : ids) stack_.emplace_back(id, depth);
  }

  void line(const PathChange& path, std::size_t depth) {
    const std::int64_t certain = certain_change(path.before, path.after, kRetained);
    const std::string change =
        right(change_text(path.before, path.after, kRetained), kChangeColumns);
    const std::string before =
        path.before.presence == Presence::kAbsent ? "new" : side_text(path.before, kRetained);
    const std::string after =
        path.after.presence == Presence::kAbsent ? "gone" : side_text(path.after, kRetained);
    const std::string sides =
        "  " + right(before, kSideColumns) + " → " + right(after, kSideColumns) + "  ";
    std::string margin(2 * std::min(depth, kDeepestIndent), ' ');
    if (depth > 0) margin.replace(margin.size() - 2, 2, "└ ");
    const bool narrow = page_.columns() < kNarrow;
    const std::string shown_sides = narrow ? "  " : sides;
    const std::size_t used =
        Page::kIndent + kChangeColumns + display_width(shown_sides) + display_width(margin);
    const std::size_t room =
        std::max(kLeastLabelColumns, page_.columns() - std::min(used, page_.columns()));
    page_.line({{std::string(Page::kIndent, ' ')},
                {change, change_style(certain)},
                {shown_sides, Style::kDim},
                {margin, Style::kDim},
                {shorten_name(printable(path_label(path)), room)}});
  }

  static constexpr std::size_t kNarrow = 72;
  const std::vector<PathChange>& tree_;
  Page& page_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<std::uint32_t> top_;
  std::vector<std::pair<std::uint32_t, std::size_t>> stack_;
};

}  // namespace

std::string path_label(const PathChange& path) {
  if (!path.class_object_of.empty()) return "class " + std::string(path.class_object_of);
  const std::uint64_t most = std::max(path.before.figures.instances, path.after.figures.instances);
  if (most <= 1) return std::string(path.class_name);
  std::string counts = thousands(path.after.figures.instances);
  if (path.before.presence == Presence::kListed && path.after.presence == Presence::kListed &&
      path.before.figures.instances != path.after.figures.instances)
    counts = thousands(path.before.figures.instances) + " → " + counts;
  else if (path.after.presence != Presence::kListed)
    counts = thousands(path.before.figures.instances);
  return counts + " × " + std::string(path.class_name);
}

void write_tree_changes(const std::vector<PathChange>& tree, std::size_t top, Page& page) {
  const std::vector<std::uint32_t> ids = select_paths(tree, top);
  if (tree.empty()) return;
  std::size_t changes = 0;
  for (const PathChange& path : tree) changes += changed(path.before, path.after) ? 1 : 0;
  page.heading("DOMINATOR TREE", "by change of what is retained along each path · " +
                                     thousands(ids.size()) + " of " + counted(tree.size(), "path") +
                                     ", " + thousands(changes) + " changed");
  PathWriter(tree, page).write(ids);
}

}  // namespace holdfast::cli
