#include "analysis/lab/thesis/thesis_graphs.h"

#include <algorithm>

#include "analysis/lab/thesis/graph_maker.h"

namespace holdfast::analysis::lab {

namespace {

// The class object, its instances, and what referents(i, refer) makes each of them refer to.
template <class Referents>
LabGraph instances_of_one_class(std::uint32_t objects, std::uint32_t references,
                                Referents referents) {
  GraphMaker maker(1, objects + 1, references);
  for (std::uint32_t v = 0; v <= objects; ++v)
    maker.node(GraphMaker::kClassObject, kThesisObjectUnits);
  maker.root(0);
  if (objects > 0) maker.root(1);
  for (std::uint32_t i = 1; i <= objects; ++i) {
    referents(i, [&](std::uint32_t target) {
      if (target <= objects) maker.refer(i, target);
    });
  }
  return maker.finish();
}

}  // namespace

LabGraph balanced_tree(std::uint32_t objects) {
  return instances_of_one_class(objects, objects, [](std::uint32_t i, auto refer) {
    refer(2 * i);
    refer(2 * i + 1);
  });
}

LabGraph unbalanced_tree(std::uint32_t objects) {
  return instances_of_one_class(objects, objects, [](std::uint32_t i, auto refer) {
    if (i % 2 == 0) return;
    refer(i + 1);
    refer(i + 2);
  });
}

LabGraph dag1(std::uint32_t objects) {
  return instances_of_one_class(objects, 2 * objects, [](std::uint32_t i, auto refer) {
    refer(i + 1);
    refer(i + 2);
  });
}

LabGraph dag2(std::uint32_t objects) {
  return instances_of_one_class(objects, 2 * objects, [](std::uint32_t i, auto refer) {
    const std::uint32_t layer = i / 2 * 2;  // of 2, 3: 2; of 4, 5: 4
    refer(layer + 2);
    refer(layer + 3);
  });
}

LabGraph dense_dag(std::uint32_t objects, std::uint32_t references) {
  const std::uint64_t all = std::uint64_t{objects} * std::min(objects, references);
  return instances_of_one_class(objects, static_cast<std::uint32_t>(all),
                                [&](std::uint32_t i, auto refer) {
                                  const std::uint32_t last = std::min(objects - i, references);
                                  for (std::uint32_t k = 1; k <= last; ++k) refer(i + k);
                                });
}

}  // namespace holdfast::analysis::lab
