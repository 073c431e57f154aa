#include "analysis/lab/thesis/server_like.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/lab/analysed_heap.h"
#include "analysis/reachable/condensation.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;
using lab::LabGraph;
using lab::ServerShape;

namespace {

void check_exact(const ServerShape& shape, LabGraph& graph) {
  const Snapshot s = graph.snapshot();
  CHECK(s.object_count() == shape.nodes);
  CHECK(s.reference_count() == shape.references);
  CHECK(s.roots.size() == shape.roots);
  CHECK(s.catalog.classes.size() == shape.classes);
  std::uint32_t classes = 0, leaves = 0;
  for (std::uint32_t v = 0; v < shape.nodes; ++v) {
    classes += s.class_of[v] == ClassId{0} ? 1 : 0;
    leaves += s.first_ref[v] == s.first_ref[v + 1] ? 1 : 0;
  }
  CHECK(classes == shape.classes);
  CHECK(leaves == shape.leaves);
  AnalysedHeap heap(s);
  CHECK(heap.dominators.held_objects == shape.nodes);
  auto made = condense(heap.references, {}, heap.arena(), heap.cancel);
  REQUIRE(made.ok());
  CHECK(made->count() == shape.components);
  CHECK(made->components.cyclic == shape.cyclic);
  CHECK(made->components.objects[made->components.largest] == shape.largest);
  CHECK(made->sources == shape.roots);
  CHECK(made->sinks == shape.component_leaves);
}

}  // namespace

TEST_CASE("server-like graphs: small ones of every row, of several seeds") {
  for (const ServerShape& row : lab::table_5_2_rows()) {
    for (const std::uint32_t divisor : {50u, 200u, 400u}) {
      INFO(row.nodes, " / ", divisor);
      const ServerShape shape = lab::scaled(row, divisor);
      LabGraph graph = lab::server_like(shape, divisor);
      check_exact(shape, graph);
      LabGraph again = lab::server_like(shape, divisor), other = lab::server_like(shape, 7);
      CHECK(again.target == graph.target);
      CHECK(other.target != graph.target);
    }
  }
}

TEST_CASE("server-like graphs: every row of the thesis, exactly") {
  for (const ServerShape& row : lab::table_5_2_rows()) {
    INFO(row.nodes);
    LabGraph graph = lab::server_like(row, 1);
    check_exact(row, graph);
  }
}
