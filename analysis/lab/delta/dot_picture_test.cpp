#include "analysis/lab/delta/dot_picture.h"

#include <doctest/doctest.h>

#include <string>

#include "analysis/lab/shapes.h"
#include "analysis/lab/test_heap.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::dot_picture;
using lab::graph_text;
using lab::LabGraph;

TEST_CASE("graph text: objects, references, roots") {
  LabGraph graph = lab::graph_of(12, {{0, 1}, {0, 2}, {1, 2}}, {0});
  CHECK(graph_text(graph.snapshot()) == "12 objects, 3 references: 0->1 0->2 1->2; roots 0");
  LabGraph nothing = lab::graph_of(1, {}, {});
  CHECK(graph_text(nothing.snapshot()) == "1 object, 0 references; no roots");
  LabGraph many = lab::complete(20);
  CHECK(graph_text(many.snapshot(), 2) ==
        "20 objects, 400 references: 0->0 0->1; roots 0; 398 more are not shown");
}

TEST_CASE("graph text: strengths, and the implied references of what is shown") {
  LabGraph graph = lab::graph_of(9, {{3, 4, special(SpecialRef::kReferentWeak)}}, {3, 3, 1});
  graph.classes.resize(3);
  graph.classes[0].mirror = ObjectId{7};
  graph.classes[1].mirror = ObjectId{8};
  graph.class_of[7] = ClassId{1};
  graph.class_of[1] = ClassId{2};
  graph.class_of[8] = ClassId{};
  CHECK(graph_text(graph.snapshot()) ==
        "9 objects, 1 reference: 3-weak->4; roots 1 3; implied 3->7 4->7 7->8");
}

TEST_CASE("dot picture: what nobody refers to is left out, roots are marked, weak ones dashed") {
  lab::TestHeap heap;
  const ClassId cart = heap.klass("shop.\"Cart\"", {"item"});
  const ObjectId one = heap.object(cart, 24);
  const ObjectId weak = heap.object(heap.reference_class("shop.Weak", Strength::kWeak), 48);
  const ObjectId alone = heap.object(cart, 32);
  heap.object(cart, 40);
  heap.root(one, RootKind::kStackLocal);
  heap.root(one, RootKind::kMonitor);
  heap.root(alone, RootKind::kThread);
  heap.field(one, "item", weak);
  heap.referent(weak, one);
  CHECK(dot_picture(heap.snapshot()) == R"(digraph heap {
  node [shape=box];
  0 [label="0\nshop.\"Cart\"\n24 B\nroot: stack local\nroot: monitor", peripheries=2];
  1 [label="1\nshop.Weak\n48 B"];
  2 [label="2\nshop.\"Cart\"\n32 B\nroot: thread", peripheries=2];
  0 -> 1;
  1 -> 0 [style=dashed, label="weak"];
}
)");
}

TEST_CASE("dot picture: class objects are dotted, what is too much is counted") {
  LabGraph graph = lab::graph_of(3, {{0, 1}, {1, 0}}, {0});
  graph.classes[0].mirror = ObjectId{2};
  const std::string whole = dot_picture(graph.snapshot());
  CHECK(whole.find("  0 -> 2 [style=dotted, label=\"its class\"];\n") != std::string::npos);
  CHECK(whole.find("2 -> 2") == std::string::npos);
  CHECK(whole.find("more") == std::string::npos);
  const std::string part = dot_picture(graph.snapshot(), 1);
  CHECK(part.find("0 -> 1") != std::string::npos);
  CHECK(part.find("1 -> 0") == std::string::npos);
  CHECK(part.find("  // 3 more references\n}\n") != std::string::npos);
}
