#include "analysis/object_sets.h"

#include <doctest/doctest.h>

#include <vector>

#include "analysis/lab/shapes.h"
#include "analysis/lab/test_heap.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;

namespace {

struct Shop {
  lab::TestHeap heap;
  ObjectId entity, session, other_session, text, array, class_object;

  Shop() {
    const ClassId base = heap.klass("shop.Entity");
    const ClassId sessions = heap.klass("shop.web.Session", {}, base);
    entity = heap.object(base, 16);
    session = heap.object(sessions, 24);
    const ClassId other = heap.klass("shop.web.Session$Other", {}, sessions);
    heap.set_loader(other, heap.loader("plugin one"));
    other_session = heap.object(other, 32);
    text = heap.object(heap.klass("java.lang.String"), 40);
    array = heap.object(heap.klass("shop.web.Session[]"), 48);
    class_object = heap.class_object(sessions);
  }
  std::vector<ObjectId> chosen(const ObjectQuery& query) {
    lab::TestArena memory(std::uint64_t{1} << 20);
    const CancelToken cancel;
    const Snapshot s = heap.snapshot();
    auto set = select_objects(s, query, memory.arena(), cancel);
    REQUIRE(set.ok());
    std::vector<ObjectId> list;
    std::uint64_t bytes = 0;
    set->for_each([&](std::uint32_t v) {
      list.push_back(ObjectId{v});
      bytes += s.shallow_bytes(ObjectId{v});
    });
    CHECK(set->objects == list.size());
    CHECK(set->shallow_bytes == bytes);
    return list;
  }
};

using Ids = std::vector<ObjectId>;

}  // namespace

TEST_CASE("object sets: by class, exact class, package and loader") {
  Shop shop;
  CHECK(shop.chosen({SelectBy::kClassName, "shop.*"}) ==
        Ids{shop.entity, shop.session, shop.other_session, shop.array});
  CHECK(shop.chosen({SelectBy::kClassName, "java.*"}) == Ids{shop.text, shop.class_object});
  CHECK(shop.chosen({SelectBy::kExactClassName, "shop.web.Session"}) == Ids{shop.session});
  CHECK(shop.chosen({SelectBy::kExactClassName, "shop.*"}).empty());
  CHECK(shop.chosen({SelectBy::kPackage, "shop"}) == Ids{shop.entity});
  CHECK(shop.chosen({SelectBy::kPackage, "shop*"}) ==
        Ids{shop.entity, shop.session, shop.other_session, shop.array});
  CHECK(shop.chosen({SelectBy::kLoaderName, "plugin*"}) == Ids{shop.other_session});
}

TEST_CASE("object sets: subclasses of a match, and the class objects") {
  Shop shop;
  ObjectQuery query{SelectBy::kExactClassName, "shop.Entity"};
  query.subclasses = true;
  CHECK(shop.chosen(query) == Ids{shop.entity, shop.session, shop.other_session});
  query.class_objects = true;
  CHECK(shop.chosen(query) ==
        Ids{shop.entity, shop.session, shop.other_session, shop.class_object});
}

TEST_CASE("object sets: a forged cycle of superclasses ends") {
  lab::TestHeap heap;
  const ClassId a = heap.klass("a");
  const ClassId b = heap.klass("b", {}, a);
  const ClassId c = heap.klass("c", {}, b);
  std::vector<ClassRow> rows = {heap.row(a), heap.row(b), heap.row(c)};
  rows[0].superclass = ClassId{1};
  Catalog catalog = heap.snapshot().catalog;
  catalog.classes = rows;
  lab::TestArena memory(std::uint64_t{1} << 20);
  const CancelToken cancel;
  ObjectQuery query{SelectBy::kExactClassName, "no such class"};
  query.subclasses = true;
  auto none = select_classes(catalog, query, memory.arena(), cancel);
  REQUIRE(none.ok());
  for (const bool in : *none) CHECK(!in);
  query.pattern = "b";
  auto all = select_classes(catalog, query, memory.arena(), cancel);
  REQUIRE(all.ok());
  CHECK((*all)[0]);
  CHECK((*all)[2]);
}

TEST_CASE("object sets: of random graphs, by class and by list, unknown classes included") {
  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed) {
    LabGraph graph = lab::random_graph(seed, false);
    const Snapshot s = graph.snapshot();
    static lab::TestArena memory(std::uint64_t{1} << 24);
    ArenaScope scope(memory.arena());
    const CancelToken cancel;
    const ClassId wanted{static_cast<std::uint32_t>(seed % graph.classes.size())};
    std::vector<ObjectId> list;
    for (std::uint32_t v = 0; v < s.object_count(); ++v)
      if (s.class_of[v] == wanted) list.push_back(ObjectId{v});
    auto by_class = objects_of_class(s, wanted, memory.arena(), cancel);
    REQUIRE(by_class.ok());
    REQUIRE(by_class->objects == list.size());
    list.insert(list.end(), list.begin(), list.end());  // twice each
    list.push_back(ObjectId{});
    auto by_list = set_of_objects(s, list, memory.arena());
    REQUIRE(by_list.ok());
    REQUIRE(by_list->objects == by_class->objects);
    REQUIRE(by_list->shallow_bytes == by_class->shallow_bytes);
    for (std::uint32_t v = 0; v < s.object_count(); ++v)
      REQUIRE(by_list->contains(v) == (s.class_of[v] == wanted));
    ObjectQuery unknown{SelectBy::kClassName, "(class loaded*"};
    auto of_unknown = select_objects(s, unknown, memory.arena(), cancel);
    REQUIRE(of_unknown.ok());
    for (std::uint32_t v = 0; v < s.object_count(); ++v)
      REQUIRE(of_unknown->contains(v) == !s.class_of[v].valid());
  }
}

TEST_CASE("object sets: a million objects take a bit each; a cancelled one ends") {
  LabGraph graph = lab::chain(1'000'000);
  const Snapshot s = graph.snapshot();
  lab::TestArena memory(std::uint64_t{1} << 20);
  CancelToken cancel;
  auto all = objects_of_class(s, ClassId{0}, memory.arena(), cancel);
  REQUIRE(all.ok());
  CHECK(all->objects == 1'000'000);
  CHECK(memory.peak_bytes() < 140'000);
  cancel.cancel();
  auto cancelled = objects_of_class(s, ClassId{0}, memory.arena(), cancel);
  REQUIRE(!cancelled.ok());
  CHECK(cancelled.error().code == ErrorCode::kCancelled);
}
