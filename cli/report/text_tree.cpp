// The upper dominator tree: an object that goes frees what is indented below.
#include <algorithm>

#include "cli/report/text_sections.h"
#include "cli/report/words.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kTreeBytesColumns = 9;
constexpr std::size_t kShareColumns = 6;
constexpr std::size_t kBarColumns = 12;
constexpr std::size_t kWideEnoughForBars = 100;
constexpr std::size_t kDeepestTreeIndent = 16;  // deeper nodes stay there
constexpr std::uint64_t kRestPerMille =
    10;  // sums of unlisted children below this share of the heap are not worth a line

std::string right(const std::string& text, std::size_t columns) {
  return std::string(columns - std::min(columns, display_width(text)), ' ') + text;
}

std::string bar(std::uint64_t part, std::uint64_t whole) {
  constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double share =
      whole == 0 ? 0.0 : std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
  const auto eighths = static_cast<std::size_t>(share * kBarColumns * 8 + 0.5);
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  text += kEighths[eighths % 8];
  return text + std::string(kBarColumns - display_width(text), ' ');
}

std::string label(const TreeNodeView& node) {
  if (node.object) return object_text(*node.object);
  return thousands(node.instances) + " × " + std::string(node.group_class);
}

class TreeWriter {
 public:
  explicit TreeWriter(const TextContext& context)
      : context_(context), view_(context.view), children_(view_.tree.size()) {
    std::vector<bool> chosen(view_.tree.size());
    for (const std::uint32_t id : select_tree(view_, rows(context.options))) {
      const std::uint32_t parent = view_.tree[id].parent;
      (parent == kNoRow ? top_ : children_[parent]).push_back(id);
      chosen[id] = true;
      ++shown_;
    }
    hides_some_.resize(view_.tree.size());
    for (const TreeNodeView& node : view_.tree)
      if (!chosen[node.id] && node.parent != kNoRow) hides_some_[node.parent] = true;
    any_hides_ = std::ranges::any_of(view_.tree, [&](const TreeNodeView& node) {
      return chosen[node.id] && hides_some_[node.id];
    });
  }

  std::size_t shown() const { return shown_; }
  bool any_hides() const { return any_hides_; }

  void write() {
    push(top_, 0);
    while (!stack_.empty()) {
      const Item item = stack_.back();
      stack_.pop_back();
      if (item.is_rest) {
        write_rest(item);
        continue;
      }
      write_node(item);
      push_rest(item);
      push(children_[item.id], item.depth + 1);
    }
  }

 private:
  struct Item {
    std::uint32_t id;
    std::size_t depth;
    bool is_rest;
  };

  static std::size_t rows(const TextOptions& options) {
    return options.tree_rows > 0 ? options.tree_rows : options.top;
  }
  void push(const std::vector<std::uint32_t>& ids, std::size_t depth) {
    std::vector<std::uint32_t> largest_last = ids;
    std::ranges::stable_sort(largest_last, {},
                             [&](std::uint32_t id) { return view_.tree[id].retained_bytes; });
    for (const std::uint32_t id : largest_last) stack_.push_back({id, depth, false});
  }
  void push_rest(const Item& item) {
    if (context_.options.tree_is_whole && !children_[item.id].empty())
      stack_.push_back({item.id, item.depth + 1, true});
  }

  void line(std::uint64_t bytes, std::size_t depth, const std::string& text, Style style,
            const std::string& number = "") {
    const std::uint64_t whole = view_.whole_bytes();
    const bool bars = context_.page.columns() >= kWideEnoughForBars;
    const std::string figures = std::string(Page::kIndent, ' ') +
                                right(human_bytes(bytes), kTreeBytesColumns) +
                                right(percent(bytes, whole), kShareColumns + 1) + "  ";
    std::string margin(2 * std::min(depth, kDeepestTreeIndent), ' ');
    if (depth > 0) margin.replace(margin.size() - 2, 2, "└ ");
    const std::size_t used = display_width(figures) + (bars ? kBarColumns + 2 : 0) +
                             display_width(margin) + number.size();
    const std::size_t room = std::max<std::size_t>(
        context_.page.columns() - std::min(used, context_.page.columns()), 10);
    context_.page.line({{figures, style},
                        {bars ? bar(bytes, whole) + "  " : "", Style::kAccent},
                        {margin, Style::kDim},
                        {shorten_name(printable(text), room), style},
                        {number, Style::kDim}});
  }
  void write_node(const Item& item) {
    const TreeNodeView& node = view_.tree[item.id];
    line(node.retained_bytes, item.depth, label(node), Style::kPlain,
         hides_some_[item.id] ? " #" + std::to_string(item.id) : "");
  }
  // What the node's children retain beside those that are shown.
  void write_rest(const Item& item) {
    const TreeNodeView& node = view_.tree[item.id];
    std::uint64_t count = node.children;
    std::uint64_t bytes = node.retained_bytes - std::min(node.retained_bytes, node.shallow_bytes);
    for (const std::uint32_t id : children_[item.id]) {
      count -= std::min(count, view_.tree[id].instances);
      bytes -= std::min(bytes, view_.tree[id].retained_bytes);
    }
    if (count == 0 || bytes * 1000 < view_.whole_bytes() * kRestPerMille) return;
    line(bytes, item.depth, counted(count, "more object"), Style::kDim);
  }

  const TextContext& context_;
  const ReportView& view_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<bool> hides_some_;  // nodes with children that are in the report and not shown
  bool any_hides_ = false;
  std::vector<std::uint32_t> top_;
  std::vector<Item> stack_;
  std::size_t shown_ = 0;
};

}  // namespace

void write_tree(const TextContext& context) {
  if (context.view.tree.empty()) return;
  TreeWriter writer(context);
  if (writer.shown() == 0) return;
  context.page.heading("DOMINATOR TREE",
                       "an object that goes frees what is below · " + thousands(writer.shown()) +
                           " largest of " + counted(context.view.tree.size(), "node") +
                           (writer.any_hides() ? " · #N: --under N shows more" : ""));
  writer.write();
}

}  // namespace holdfast::cli
