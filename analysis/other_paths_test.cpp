#include "analysis/other_paths.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "analysis/class_figures.h"
#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/test_heap.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;
using lab::TestHeap;

namespace {

constexpr std::uint32_t kItems = 3000;

// A list of items, and the items.
struct Items {
  ObjectId list;
  std::vector<ObjectId> items;

  explicit Items(TestHeap& heap) {
    const ClassId item = heap.klass("shop.Item", {"all"});
    for (std::uint32_t i = 0; i < kItems; ++i) items.push_back(heap.object(item, 4000));
    list = list_of(heap);
  }
  ObjectId list_of(TestHeap& heap) const {
    const ObjectId made = heap.object(heap.klass("java.util.ArrayList", {"elementData"}), 24);
    const ObjectId array = heap.object(heap.klass("java.lang.Object[]"), 16 + 8 * kItems);
    heap.field(made, "elementData", array);
    for (std::uint32_t i = 0; i < kItems; ++i) heap.element(array, i, items[i]);
    return made;
  }
};

struct Found {
  AnalysedHeap heap;
  std::span<const SuspectResult> suspects;

  explicit Found(const Snapshot& s) : heap(s) {
    const auto classes = AnalysedHeap::or_abort(
        class_figures(s, heap.dominators, AnalysedHeap::arena(), heap.cancel));
    suspects = AnalysedHeap::or_abort(
        find_suspects({heap.references, heap.reachability, heap.dominators, classes},
                      AnalysedHeap::arena(), heap.cancel));
    REQUIRE(suspects.size() == 1);
  }
};

RootKind begins_at(const Snapshot& s, const RootPathResult& path) {
  return s.roots[path.root].kind;
}

}  // namespace

TEST_CASE("other paths: a static field comes before the local of a running frame that is nearer") {
  TestHeap heap;
  const Items items(heap);
  const ThreadId worker = heap.thread("worker");
  heap.static_field(heap.klass("shop.Registry", {"ITEMS"}), "ITEMS", items.list);
  heap.local(worker, items.list, "shop.Server", "serve");
  heap.local(worker, items.list, "shop.Server", "run", 1);
  Snapshot s = heap.snapshot();
  {
    const Found found(s);
    const SuspectResult& first = found.suspects[0];
    CHECK(begins_at(s, first.path) == RootKind::kSystemClass);
    CHECK(s.catalog.field_name(heap.klass("shop.Registry"), first.path.steps[1].label.index()) ==
          "ITEMS");
    CHECK(first.others.empty());  // those frames end by themselves
    CHECK(std::any_of(first.evidence.begin(), first.evidence.end(), [](const Evidence& one) {
      return std::string_view(one.text) == "2 locals of running frames lead there, too.";
    }));
  }
  s.roots_alike = true;  // MAT's rules: the frame is nearer
  CHECK(begins_at(s, Found(s).suspects[0].path) == RootKind::kStackLocal);
}

TEST_CASE("other paths: of what only running frames hold, the other frame is one") {
  TestHeap heap;
  const Items items(heap);
  heap.local(heap.thread("first"), items.list, "shop.Server", "serve");
  heap.local(heap.thread("second"), items.list, "shop.Server", "serve");
  const Snapshot s = heap.snapshot();
  const Found found(s);
  REQUIRE(found.suspects[0].others.size() == 1);
  const RootRecord& other = s.roots[found.suspects[0].others[0].root];
  CHECK(other.kind == RootKind::kStackLocal);
  CHECK(other.thread != s.roots[found.suspects[0].path.root].thread);
}

TEST_CASE("other paths: nothing that refers to the GC root itself") {
  TestHeap heap;
  const Items items(heap);
  const ThreadId worker = heap.thread("worker");
  const ObjectId table = heap.object(heap.klass("java.util.HashMap", {"table"}), 48);
  heap.refer(heap.thread_object(worker), table, RefLabel::instance_field(0));
  heap.field(table, "table", items.list);
  const ObjectId group = heap.object(heap.klass("java.lang.ThreadGroup", {"threads"}), 48);
  heap.field(group, "threads", heap.thread_object(worker));
  heap.root(group, RootKind::kJniGlobal);
  const Snapshot s = heap.snapshot();
  const Found found(s);
  CHECK(begins_at(s, found.suspects[0].path) == RootKind::kThread);
  CHECK(found.suspects[0].others.empty());
}

TEST_CASE("other paths: objects in two indexes") {
  TestHeap heap;
  const Items items(heap);
  const ThreadId worker = heap.thread("worker");
  heap.static_field(heap.klass("shop.Index", {"byName"}), "byName", items.list);
  const ObjectId cache = heap.object(heap.klass("shop.Cache", {"recent"}), 16);
  heap.field(cache, "recent", items.list_of(heap));
  heap.refer(heap.thread_object(worker), cache, RefLabel::instance_field(0));
  const Snapshot s = heap.snapshot();
  const Found found(s);
  const SuspectResult& first = found.suspects[0];
  CHECK(!first.holder.valid());
  REQUIRE(first.others.size() == 1);
  const RootPathResult& other = first.others[0];
  CHECK(begins_at(s, other) != begins_at(s, first.path));
  CHECK(other.steps.back().object == first.path.steps.back().object);
  CHECK(other.length == other.steps.size());
}

TEST_CASE("other paths: one list in three static fields, and in its own items") {
  TestHeap heap;
  const Items items(heap);
  for (const ObjectId item : items.items) heap.field(item, "all", items.list);
  const ClassId owner = heap.klass("shop.Holders", {"items", "one"});
  heap.static_field(owner, "items", items.list);
  heap.static_field(owner, "one", items.list);
  heap.static_field(heap.klass("shop.Other", {"copy"}), "copy", items.list);
  const Snapshot s = heap.snapshot();
  const Found found(s);
  const SuspectResult& first = found.suspects[0];
  REQUIRE(first.others.size() == 2);
  for (const RootPathResult& other : first.others) {
    REQUIRE(other.steps.size() == 2);
    CHECK(other.steps[1].object == items.list);
    CHECK(other.steps[1].label.is_static_field());
    CHECK(!(other.steps[0].object == first.path.steps[0].object &&
            other.steps[1].label == first.path.steps[1].label));
  }
}

TEST_CASE("other paths: many ways are few, the shortest first, and a long one loses its middle") {
  TestHeap heap;
  const Items items(heap);
  heap.static_field(heap.klass("shop.Registry", {"ITEMS"}), "ITEMS", items.list);
  const ClassId link = heap.klass("shop.Link", {"next"});
  for (std::uint32_t length = 30; length > 24; --length) {
    ObjectId at = items.list;
    for (std::uint32_t i = 0; i < length; ++i) {
      const ObjectId before = heap.object(link, 16);
      heap.field(before, "next", at);
      at = before;
    }
    heap.root(at, RootKind::kJniGlobal);
  }
  const Snapshot s = heap.snapshot();
  const Found found(s);
  const auto others = found.suspects[0].others;
  REQUIRE(others.size() == kMaxOtherPaths);
  for (std::uint32_t i = 0; i < kMaxOtherPaths; ++i) {
    CHECK(others[i].length == 25 + i + 1);
    REQUIRE(others[i].steps.size() == kMaxOtherSteps);
    CHECK(others[i].left_out_after == kMaxOtherSteps / 2 - 1);
    CHECK(others[i].steps.front().object == s.roots[others[i].root].object);
    CHECK(others[i].steps.back().object == items.list);
  }
}

TEST_CASE("other paths: the array in which a CLR keeps static fields is no holder beside them") {
  const auto others_of = [](RootKind table_kind, auto more) {
    TestHeap heap;
    const Items items(heap);
    const ObjectId table = heap.object(heap.klass("object[]"), 8'176);
    heap.element(table, 849, items.list);
    heap.root(table, table_kind);
    heap.root(items.list, RootKind::kStaticField);
    more(heap, items);
    const Snapshot s = heap.snapshot();
    const Found found(s);
    CHECK(begins_at(s, found.suspects[0].path) == RootKind::kStaticField);
    std::vector<RootKind> kinds;
    for (const RootPathResult& other : found.suspects[0].others)
      kinds.push_back(begins_at(s, other));
    return kinds;
  };
  const auto nothing = [](TestHeap&, const Items&) {};
  CHECK(others_of(RootKind::kHandle, nothing).empty());
  CHECK(others_of(RootKind::kPinnedHandle, nothing).empty());
  // An array of the application's that something else holds, or that a handle holds indirectly.
  CHECK(others_of(RootKind::kJniGlobal, nothing) == std::vector{RootKind::kJniGlobal});
  const auto cached = [](TestHeap& heap, const Items& items) {
    const ObjectId cache = heap.object(heap.klass("shop.Cache", {"recent"}), 16);
    const ObjectId array = heap.object(heap.klass("object[]"), 40);
    heap.field(cache, "recent", array);
    heap.element(array, 0, items.list);
    heap.root(cache, RootKind::kHandle);
  };
  CHECK(others_of(RootKind::kHandle, cached) == std::vector{RootKind::kHandle});
}
