#include "analysis/lab/thesis/articulation_points.h"

#include <algorithm>
#include <numeric>

namespace holdfast::analysis::lab {

namespace {

class Search {
 public:
  explicit Search(const NaiveGraph& graph)
      : nodes_(graph.count()),
        graph_(undirected(graph)),
        number_(nodes_, 0),
        lowpoint_(nodes_, 0) {}

  ArticulationPoints run() {
    for (std::uint32_t v = 0; v < nodes_; ++v)
      if (number_[v] == 0) search_from(v);
    return by_node();
  }

 private:
  struct Step {
    std::uint32_t node, next;
  };
  struct Member {
    std::uint32_t node, block;
  };

  void search_from(std::uint32_t start) {
    enter(start);
    while (!way_.empty()) {
      const std::uint32_t v = way_.back().node;
      const auto row = graph_.row(v);
      if (way_.back().next == row.size()) {
        way_.pop_back();
        if (!way_.empty()) finish(way_.back().node, v);
        continue;
      }
      const std::uint32_t w = row[way_.back().next++];
      if (number_[w] == 0)
        enter(w);
      else
        lowpoint_[v] = std::min(lowpoint_[v], number_[w]);  // the parent's number does no harm here
    }
    stack_.clear();
  }
  void enter(std::uint32_t v) {
    number_[v] = lowpoint_[v] = ++index_;
    stack_.push_back(v);
    way_.push_back({v, 0});
  }
  // When nothing below child w leads above v, v and what is on the stack from w on are a block.
  void finish(std::uint32_t v, std::uint32_t w) {
    lowpoint_[v] = std::min(lowpoint_[v], lowpoint_[w]);
    if (lowpoint_[w] < number_[v]) return;
    std::uint32_t member;
    do {
      member = stack_.back();
      stack_.pop_back();
      members_.push_back({member, blocks_});
    } while (member != w);
    members_.push_back({v, blocks_++});
  }
  ArticulationPoints by_node() {
    ArticulationPoints found;
    found.blocks = blocks_;
    found.first_block.assign(nodes_ + 1, 0);
    for (const Member& m : members_) ++found.first_block[m.node + 1];
    std::partial_sum(found.first_block.begin(), found.first_block.end(), found.first_block.begin());
    found.block.resize(members_.size());
    std::vector<std::uint32_t> next(found.first_block.begin(), found.first_block.end() - 1);
    for (const Member& m : members_) found.block[next[m.node]++] = m.block;
    return found;
  }

  std::uint32_t nodes_;
  Undirected graph_;
  std::vector<std::uint32_t> number_, lowpoint_, stack_;
  std::vector<Step> way_;
  std::vector<Member> members_;
  std::uint32_t index_ = 0;
  std::uint32_t blocks_ = 0;
};

}  // namespace

bool ArticulationPoints::share_block(std::uint32_t a, std::uint32_t b) const {
  const auto of_a = blocks_of(a), of_b = blocks_of(b);
  for (std::size_t i = 0, j = 0; i < of_a.size() && j < of_b.size();) {
    if (of_a[i] == of_b[j]) return true;
    ++(of_a[i] < of_b[j] ? i : j);
  }
  return false;
}

ArticulationPoints articulation_points(const NaiveGraph& graph) { return Search(graph).run(); }

std::vector<bool> all_points(const ArticulationPoints& points) {
  std::vector<bool> made(points.first_block.size() - 1);
  for (std::uint32_t v = 0; v < made.size(); ++v) made[v] = points.is_point(v);
  return made;
}

}  // namespace holdfast::analysis::lab
