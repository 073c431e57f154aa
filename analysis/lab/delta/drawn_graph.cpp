#include "analysis/lab/delta/drawn_graph.h"

#include <algorithm>
#include <map>

namespace holdfast::analysis::lab {

namespace {

class Drawing {
 public:
  Drawing(const Snapshot& snapshot, std::size_t most_lines)
      : s_(snapshot), most_lines_(most_lines), shown_(snapshot.object_count()) {}

  DrawnGraph made() {
    std::map<std::uint32_t, std::vector<RootKind>> kinds;
    for (const RootRecord& root : s_.roots) {
      show(root.object.value);
      kinds[root.object.value].push_back(root.kind);
    }
    add_stored();
    add_implied();
    std::sort(made_.objects.begin(), made_.objects.end());
    for (const std::uint32_t v : made_.objects) made_.root_kinds.push_back(kinds[v]);
    return std::move(made_);
  }

 private:
  void add_stored() {
    for (std::uint32_t v = 0; v < s_.object_count(); ++v)
      for (std::uint32_t i = s_.first_ref[v]; i < s_.first_ref[v + 1]; ++i)
        add({v, s_.target[i].value, strength_of(s_.label[i])});
  }

  // The list grows: a class object has a class, too.
  void add_implied() {
    for (std::size_t i = 0; i < made_.objects.size(); ++i) {
      const std::uint32_t v = made_.objects[i];
      const ObjectId class_object = s_.implied_class_object(ObjectId{v});
      if (class_object.valid()) add({v, class_object.value, Strength::kStrong, true});
    }
  }

  void add(const DrawnLine& line) {
    if (made_.lines.size() >= most_lines_) {
      ++made_.lines_left_out;
      return;
    }
    made_.lines.push_back(line);
    show(line.from);
    show(line.to);
  }

  void show(std::uint32_t v) {
    if (shown_[v]) return;
    shown_[v] = true;
    made_.objects.push_back(v);
  }

  const Snapshot& s_;
  const std::size_t most_lines_;
  std::vector<bool> shown_;
  DrawnGraph made_;
};

}  // namespace

DrawnGraph drawn(const Snapshot& snapshot, std::size_t most_lines) {
  return Drawing(snapshot, most_lines).made();
}

}  // namespace holdfast::analysis::lab
