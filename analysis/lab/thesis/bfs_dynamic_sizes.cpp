#include "analysis/lab/thesis/bfs_dynamic_sizes.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace holdfast::analysis::lab {

namespace {

struct NodeData {
  std::size_t total = 0;    // referents
  std::size_t visited = 0;  // of them, those that are finished
  std::unordered_set<std::uint32_t> value;
};

class Wave {
 public:
  Wave(const NaiveGraph& graph, std::uint64_t limit_bytes)
      : graph_(graph), most_ids_(limit_bytes / BfsDynamicSizes::kBytesOfId) {}

  BfsDynamicSizes run() {
    made_.bytes.assign(graph_.count(), 0);
    add_leaves();
    while (!queue_.empty() && !made_.out_of_memory) {
      const std::uint32_t current = queue_.front();
      queue_.pop_front();
      NodeData& data = nodes_.at(current);
      if (data.visited == data.total)
        finish(current);
      else
        queue_.push_back(current);
    }
    if (made_.out_of_memory) made_.bytes.clear();
    return std::move(made_);
  }

 private:
  void add_leaves() {
    visited_.assign(graph_.count(), false);
    for (std::uint32_t v = 0; v < graph_.count(); ++v) {
      if (!graph_.row(v).empty()) continue;
      nodes_.emplace(v, NodeData{});
      queue_.push_back(v);
      visited_[v] = true;
    }
  }
  void finish(std::uint32_t current) {
    auto taken = nodes_.extract(current);
    auto& ids = taken.mapped().value;
    add(ids, current);
    for (const std::uint32_t id : ids) made_.bytes[current] += graph_.shallow_bytes[id];
    for (const std::uint32_t v : graph_.referrers(current)) {
      if (!visited_[v]) {
        visited_[v] = true;
        queue_.push_back(v);
      }
      auto [place, is_new] = nodes_.try_emplace(v);
      NodeData& above = place->second;
      if (is_new) above.total = graph_.row(v).size();
      for (const std::uint32_t id : ids) add(above.value, id);
      ++above.visited;
      if (made_.out_of_memory) return;
    }
    ids_ -= ids.size();
  }
  void add(std::unordered_set<std::uint32_t>& ids, std::uint32_t id) {
    if (made_.out_of_memory) return;
    if (ids.insert(id).second) ++ids_;
    made_.peak_bytes = std::max(made_.peak_bytes, ids_ * BfsDynamicSizes::kBytesOfId);
    made_.out_of_memory = ids_ > most_ids_;
  }

  const NaiveGraph& graph_;
  std::uint64_t most_ids_;
  std::uint64_t ids_ = 0;  // in all sets
  BfsDynamicSizes made_;
  std::deque<std::uint32_t> queue_;
  std::unordered_map<std::uint32_t, NodeData> nodes_;
  std::vector<bool> visited_;
};

}  // namespace

BfsDynamicSizes bfs_dynamic_sizes(const NaiveGraph& components, std::uint64_t limit_bytes) {
  return Wave(components, limit_bytes).run();
}

}  // namespace holdfast::analysis::lab
