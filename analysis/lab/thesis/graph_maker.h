// Makes a LabGraph node by node: what the generators of [Thesis]'s heaps share.
// Why: in [Thesis] classes are nodes like objects. Here a node of class 0 is a class object ("java.lang.Class"); no class has an implied
//      class object, so that it matters to no pass whether those references count.
// Shape:  8 B an object + 12 B a reference while it is made.
// Zone:   offline.   Errors: none.
// Source: [Thesis], section 3.2: a node is a class or an object, a reference is what the dump has between two of them.
#pragma once

#include <utility>
#include <vector>

#include "analysis/lab/lab_graph.h"

namespace holdfast::analysis::lab {

class GraphMaker {
 public:
  static constexpr std::uint32_t kClassObject = 0;  // the class of class objects

  GraphMaker(std::uint32_t classes, std::uint32_t nodes, std::uint32_t references) {
    graph_.classes.resize(classes);
    graph_.class_of.reserve(nodes);
    graph_.shallow_units.reserve(nodes);
    edges_.reserve(references);
  }

  std::uint32_t node(std::uint32_t class_id, std::uint32_t units) {
    graph_.class_of.push_back(ClassId{class_id});
    graph_.shallow_units.push_back(units);
    shallow_units_ += units;
    return graph_.object_count() - 1;
  }
  void refer(std::uint32_t from, std::uint32_t to) { edges_.push_back({from, to}); }
  void root(std::uint32_t node) {
    const bool is_class = graph_.class_of[node] == ClassId{kClassObject};
    graph_.add_root(node, is_class ? RootKind::kSystemClass : RootKind::kOther);
  }

  void grow(std::uint32_t node, std::uint32_t units) {
    graph_.shallow_units[node] += units;
    shallow_units_ += units;
  }
  std::uint64_t shallow_units() const { return shallow_units_; }
  std::uint32_t nodes() const { return graph_.object_count(); }
  std::uint32_t references() const { return static_cast<std::uint32_t>(edges_.size()); }

  LabGraph finish() {
    set_edges(graph_, edges_);
    edges_ = {};
    return std::move(graph_);
  }

 private:
  LabGraph graph_;
  std::vector<LabEdge> edges_;
  std::uint64_t shallow_units_ = 0;
};

}  // namespace holdfast::analysis::lab
