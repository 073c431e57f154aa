#include "analysis/lab/thesis/tarjan_components.h"

#include <algorithm>

namespace holdfast::analysis::lab {

namespace {

constexpr std::uint32_t kNone = ObjectId::kNoneValue;

class ComponentSearch {
 public:
  explicit ComponentSearch(const NaiveGraph& graph)
      : graph_(graph), number_(graph.count(), 0), lowlink_(graph.count(), 0) {
    found_.component.assign(graph.count(), kNone);
  }

  TarjanComponents run() {
    for (std::uint32_t v = 0; v < graph_.count(); ++v)
      if (number_[v] == 0) search_from(v);
    return std::move(found_);
  }

 private:
  struct Step {
    std::uint32_t node, next;  // the place in its row
  };

  void search_from(std::uint32_t start) {
    enter(start);
    while (!way_.empty()) {
      const std::uint32_t v = way_.back().node;
      const auto row = graph_.row(v);
      if (way_.back().next == row.size()) {
        leave(v);
        continue;
      }
      const std::uint32_t w = row[way_.back().next++];
      if (number_[w] == 0)
        enter(w);
      else if (found_.component[w] == kNone)  // still on the stack
        lowlink_[v] = std::min(lowlink_[v], number_[w]);
    }
  }
  void enter(std::uint32_t v) {
    number_[v] = lowlink_[v] = ++index_;
    stack_.push_back(v);
    way_.push_back({v, 0});
  }
  void leave(std::uint32_t v) {
    way_.pop_back();
    if (!way_.empty())
      lowlink_[way_.back().node] = std::min(lowlink_[way_.back().node], lowlink_[v]);
    if (lowlink_[v] != number_[v]) return;
    std::uint32_t w;
    do {
      w = stack_.back();
      stack_.pop_back();
      found_.component[w] = found_.count;
    } while (w != v);
    ++found_.count;
  }

  const NaiveGraph& graph_;
  TarjanComponents found_;
  std::vector<std::uint32_t> number_, lowlink_, stack_;
  std::vector<Step> way_;
  std::uint32_t index_ = 0;
};

}  // namespace

TarjanComponents tarjan_components(const NaiveGraph& graph) { return ComponentSearch(graph).run(); }

}  // namespace holdfast::analysis::lab
