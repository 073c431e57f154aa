#include "cli/export/tree_stacks.h"

#include <algorithm>
#include <map>

#include "cli/export/account_stacks.h"
#include "cli/export/stack_names.h"
#include "cli/report/words.h"

namespace holdfast::cli {
namespace {

constexpr std::uint32_t kHeap = 0;  // its name and its sample

// What is left of a sum; sums of a report may be wrong, and nothing is ever less than nothing.
void take(std::uint64_t& whole, std::uint64_t part) { whole -= std::min(whole, part); }

class Stacks {
 public:
  explicit Stacks(const ReportView& view) : view_(view), names_(stacks_.names) {
    name("heap");
    stacks_.samples.push_back({{kHeap}, view.whole_bytes(), view.whole_objects(), {}});
  }

  TreeStacks of_tree() {
    for (const TopObjectView& row : view_.top_objects)
      if (row.path) find_static_field(*row.path);
    for (const SuspectView& suspect : view_.suspects) find_static_field(suspect.path);
    for (const TreeNodeView& node : view_.tree) add(node);
    return std::move(stacks_);
  }

  TreeStacks of_classes() {
    for (const ClassView& row : view_.classes) {
      push({{name(std::string(row.name)), kHeap}, row.shallow_bytes, row.instances, row.loader});
      take(stacks_.samples[kHeap].bytes, row.shallow_bytes);
      take(stacks_.samples[kHeap].objects, row.instances);
    }
    return std::move(stacks_);
  }

 private:
  std::uint32_t name(const std::string& text) { return names_.id(text); }

  std::uint32_t push(StackSample sample) {
    stacks_.samples.push_back(std::move(sample));
    return static_cast<std::uint32_t>(stacks_.samples.size() - 1);
  }

  // Without class objects the tree does not say in which static field it begins; where a path does, that is a frame.
  void find_static_field(const PathView& path) {
    if (!path.in_static_field()) return;
    static_field_of_.try_emplace(path.steps.front().object.number,
                                 "static " + static_field_text(path));
  }

  // Parents come first, so a node's bytes are taken from those of its parent when it comes.
  void add(const TreeNodeView& node) {
    const std::uint32_t parent = node.parent == kNoRow ? kHeap : sample_of_.at(node.parent);
    take(stacks_.samples[parent].bytes, node.retained_bytes);
    take(stacks_.samples[kHeap].objects, node.instances);
    const auto at = sample_of(node, parent);
    stacks_.samples[at].bytes += node.retained_bytes;
    stacks_.samples[at].objects += node.instances;
    sample_of_.push_back(at);
  }

  std::uint32_t sample_of(const TreeNodeView& node, std::uint32_t parent) {
    if (stacks_.samples[parent].frames.size() == TreeStacks::kMaxDepth) return parent;
    StackSample sample;
    sample.frames.push_back(
        name(node.object ? object_text(*node.object) : std::string(node.group_class)));
    const auto field = parent == kHeap && node.object ? static_field_of_.find(node.object->number)
                                                      : static_field_of_.end();
    if (field != static_field_of_.end()) sample.frames.push_back(name(field->second));
    const auto& above = stacks_.samples[parent].frames;
    sample.frames.insert(sample.frames.end(), above.begin(), above.end());
    if (node.object) sample.loader = node.object->loader;
    return push(std::move(sample));
  }

  const ReportView& view_;
  TreeStacks stacks_;
  StackNames names_;
  std::vector<std::uint32_t> sample_of_;                  // [nodes]
  std::map<std::uint32_t, std::string> static_field_of_;  // by the object's number
};

}  // namespace

TreeStacks tree_stacks(const ReportView& view) {
  return view.tree.empty() ? Stacks(view).of_classes() : Stacks(view).of_tree();
}

TreeStacks stacks_of(const ReportView& view, StackKind kind) {
  return kind == StackKind::kTree ? tree_stacks(view) : account_stacks(view, kind);
}

}  // namespace holdfast::cli
