#include "analysis/lab/named_labels.h"

#include <doctest/doctest.h>

#include "analysis/lab/same_graph.h"
#include "analysis/lab/test_heap.h"

using namespace holdfast;
using namespace holdfast::analysis::lab;

namespace {

// The same heap as two interfaces number its fields.
struct Heap {
  TestHeap heap;
  ObjectId session;
  explicit Heap(bool other_order) {
    const ClassId text = heap.klass("java.lang.String");
    const ClassId base = heap.klass("shop.Base", fields(other_order, {"id", "owner"}));
    const ClassId type =
        heap.klass("shop.Session", fields(other_order, {"last", "user", "next"}), base);
    if (!other_order) heap.row(type).interface_field_count = 4;  // this one counts constants, too
    session = heap.object(type, 40);
    const ObjectId owner = heap.object(text, 24);
    const ObjectId user = heap.object(text, 32);
    const std::uint32_t before = other_order ? 0 : 4;
    const auto field = [&](std::uint32_t ordinal) {
      return RefLabel::instance_field(before + ordinal);
    };
    heap.refer(session, owner, field(other_order ? 0 : 1));
    heap.refer(session, user, field(3));
    heap.refer(session, session, field(2 + (other_order ? 0 : 2)));
    heap.refer(heap.class_object(type), session, RefLabel::static_field(other_order ? 4 : 6));
  }
  static std::vector<std::string> fields(bool reversed, std::vector<std::string> names) {
    return reversed ? std::vector<std::string>(names.rbegin(), names.rend()) : names;
  }
};

}  // namespace

TEST_CASE("fields that are numbered otherwise are the same by their names") {
  Heap first(false), second(true);
  const Snapshot a = first.heap.snapshot();
  const Snapshot b = second.heap.snapshot();
  CHECK(compare_graphs(a, b).differences.errors() != 0);
  const NamedLabels named(a, b);
  const GraphComparison result = compare_graphs(named.first(), named.second());
  CHECK(result.differences.errors() == 0);
  CHECK(result.references_in_first == result.references_in_second);
  CHECK(result.references_in_first != 0);
}

TEST_CASE("a field that leads elsewhere is a difference all the same") {
  Heap first(false), second(true);
  second.heap.refer(second.session, second.session, RefLabel::instance_field(4));
  const Snapshot a = first.heap.snapshot();
  const Snapshot b = second.heap.snapshot();
  const NamedLabels named(a, b);
  CHECK(compare_graphs(named.first(), named.second()).differences.errors() != 0);
}

TEST_CASE("slots of frames and numbers of threads are not compared, depths are") {
  for (const std::uint16_t depth : {std::uint16_t{3}, std::uint16_t{4}}) {
    Heap first(false), second(true);
    first.heap.local(first.heap.thread("main"), first.session, "shop.Main", "run", 3);
    second.heap.local(second.heap.thread("main"), second.session, "shop.Main", "run", depth);
    Snapshot a = first.heap.snapshot();
    Snapshot b = second.heap.snapshot();
    const NamedLabels named(a, b);
    CHECK((compare_graphs(named.first(), named.second()).differences.errors() == 0) ==
          (depth == 3));
  }
}
