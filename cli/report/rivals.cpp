#include "cli/report/rivals.h"

#include <algorithm>

#include "cli/report/verdict.h"
#include "cli/report/words.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr std::uint64_t kWorthNaming = 10;  // one in so many

class Rivals {
 public:
  Rivals(const ReportView& view, const SuspectView& suspect, std::size_t columns)
      : view_(view), suspect_(suspect), columns_(columns) {}

  std::vector<std::string> all() {
    for (const PathView& way : suspect_.others)
      sentences_.push_back("also held by " + way_text(suspect_, way, columns_));
    for (const SuspectView& other : view_.suspects)
      if (other.rank != suspect_.rank) compare(other);
    beside();
    elsewhere();
    return std::move(sentences_);
  }

 private:
  std::string name(std::string_view text) const {
    return columns_ == kFullNames ? std::string(text) : shorten_name(printable(text), columns_);
  }

  static bool is_same(const ObjectView& a, const std::optional<ObjectView>& b) {
    return b && a.number != kNoRow && a.number == b->number;
  }
  // Is the accumulation point of `of` on the way to the one that `path` ends at?
  static bool is_above(const SuspectView& of, const PathView& path) {
    return std::ranges::any_of(path.steps,
                               [&](const StepView& s) { return is_same(s.object, of.holder); });
  }

  void compare(const SuspectView& other) {
    const std::string who = "suspect " + std::to_string(other.rank) + " (" +
                            name(other.class_name) + ", " + human_bytes(other.retained_bytes) +
                            ", confidence " + std::to_string(other.confidence_percent) + " %)";
    if (suspect_.holder && is_same(*suspect_.holder, other.holder))
      sentences_.push_back(who + " piles up below the same object");
    else if (is_above(other, suspect_.path))
      sentences_.push_back(who + " lies above, on this path: it may be what holds all this");
    else if (is_above(suspect_, other.path))
      sentences_.push_back(who + " lies below, on a path through this one");
  }

  // What the accumulation point holds and the suspect does not explain.
  void beside() {
    if (!suspect_.holder) return;
    const std::uint64_t held = suspect_.holder->retained_bytes;
    const std::uint64_t rest = held - std::min(held, suspect_.retained_bytes);
    if (rest <= held / kWorthNaming) return;
    std::string text = "the same " + name(object_text(*suspect_.holder)) + " holds " +
                       human_bytes(rest) + " beside them";
    if (const TreeNodeView* node = largest_other())
      text += ", " + human_bytes(node->retained_bytes) + " of it by " + node_text(*node);
    sentences_.push_back(text);
  }
  std::string node_text(const TreeNodeView& node) const {
    return node.object ? "one " + name(object_text(*node.object))
                       : thousands(node.instances) + ' ' + name(node.group_class);
  }
  bool is_explained(std::string_view class_name) const {
    return class_name == suspect_.class_name ||
           std::ranges::find(suspect_.levels, class_name, &LevelView::class_name) !=
               suspect_.levels.end();
  }
  const TreeNodeView* largest_other() const {
    const auto at = std::ranges::find_if(view_.tree, [&](const TreeNodeView& node) {
      return node.object && is_same(*node.object, suspect_.holder);
    });
    const TreeNodeView* largest = nullptr;
    if (at == view_.tree.end()) return largest;
    for (const TreeNodeView& node : view_.tree) {
      const std::string_view class_name = node.object ? node.object->class_name : node.group_class;
      if (node.parent != at->id || is_explained(class_name)) continue;
      if (largest == nullptr || node.retained_bytes > largest->retained_bytes) largest = &node;
    }
    return largest;
  }

  // All classes of the name count: a group takes them together, whichever loader each is of.
  void elsewhere() {
    std::uint64_t all = 0;
    for (const ClassView& row : view_.classes)
      if (row.name == suspect_.class_name) all += row.instances;
    const std::uint64_t here = std::max(suspect_.instances, suspect_.instances_below);
    if (all <= here) return;
    const std::uint64_t more = all - here;
    if (more <= all / kWorthNaming) return;
    sentences_.push_back(thousands(more) + " more " + name(suspect_.class_name) +
                         (more == 1 ? " is" : " are") + " held elsewhere");
  }

  const ReportView& view_;
  const SuspectView& suspect_;
  const std::size_t columns_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> rivals_of(const ReportView& view, const SuspectView& suspect,
                                   std::size_t name_columns) {
  return Rivals(view, suspect, name_columns).all();
}

}  // namespace holdfast::cli
