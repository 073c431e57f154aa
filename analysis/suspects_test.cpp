#include "analysis/suspects.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "analysis/class_figures.h"
#include "analysis/dominators.h"
#include "analysis/lab/delta/property.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_heap.h"
#include "analysis/reachability.h"
#include "analysis/sentence.h"
#include "analysis/suspect_evidence.h"
#include "analysis/suspects_for_test.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::TestHeap;

namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;

// A map as the JDK has it: ConcurrentHashMap -> table -> Node x count -> value; the value is made by the caller.
template <class MakeValue>
ObjectId map_of(TestHeap& heap, std::uint32_t count, MakeValue make_value) {
  const ObjectId map =
      heap.object(heap.klass("java.util.concurrent.ConcurrentHashMap", {"table"}), 64);
  const ObjectId table =
      heap.object(heap.klass("java.util.concurrent.ConcurrentHashMap$Node[]"), 16 + 8 * count);
  const ClassId node_class =
      heap.klass("java.util.concurrent.ConcurrentHashMap$Node", {"key", "val", "next"});
  const ClassId integer = heap.klass("java.lang.Integer");
  heap.field(map, "table", table);
  ObjectId before;
  for (std::uint32_t i = 0; i < count; ++i) {
    const ObjectId node = heap.object(node_class, 32);
    if (i % 4 == 3)
      heap.field(before, "next", node);  // a bucket with two
    else
      heap.element(table, i, node);
    heap.field(node, "key", heap.object(integer, 16));
    heap.field(node, "val", make_value(i));
    before = node;
  }
  return map;
}

// What every VM has: classes with statics, strings, small tables.
void add_platform(TestHeap& heap, std::uint32_t classes) {
  const ClassId string = heap.klass("java.lang.String", {"value"});
  const ClassId bytes = heap.klass("byte[]");
  for (std::uint32_t i = 0; i < classes; ++i) {
    const ClassId made = heap.klass("java.base.Class" + std::to_string(i), {"names"});
    heap.static_field(made, "names", map_of(heap, 8 + i % 5, [&](std::uint32_t) {
                        const ObjectId text = heap.object(string, 24);
                        heap.field(text, "value", heap.object(bytes, 48));
                        return text;
                      }));
  }
}

void add_sessions(TestHeap& heap, std::uint32_t count, std::string_view field = "SESSIONS") {
  const ClassId session = heap.klass("shop.Session", {"cart"});
  const ClassId chars = heap.klass("char[]");
  const ClassId owner = heap.klass("shop.SessionRegistry", {std::string(field)});
  heap.static_field(owner, field, map_of(heap, count, [&](std::uint32_t) {
                      const ObjectId made = heap.object(session, 32);
                      heap.field(made, "cart", heap.object(chars, 8016));
                      return made;
                    }));
}

}  // namespace

TEST_CASE("suspects: forgotten sessions in a static map") {
  TestHeap heap;
  add_platform(heap, 200);
  add_sessions(heap, 4000);
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 1);
  const SuspectResult& first = made.suspects[0];
  CHECK(first.group);
  CHECK(s.catalog.class_name(first.class_id) == "shop.Session");
  CHECK(first.instances == 4000);
  CHECK(first.shallow_bytes == 4000 * 32);
  CHECK(first.retained_bytes == 4000 * (32 + 16 + 32 + 8016));
  CHECK(s.catalog.class_name(s.class_of[first.holder.value]) ==
        "java.util.concurrent.ConcurrentHashMap$Node[]");
  REQUIRE(first.levels.size() >= 3);
  CHECK(s.catalog.class_name(first.levels[0].class_id) ==
        "java.util.concurrent.ConcurrentHashMap$Node");
  CHECK(first.levels[0].instances == 4000);  // those further down their buckets, too
  CHECK(s.catalog.class_name(first.levels[2].class_id) == "char[]");
  CHECK(first.path.length == 3);
  CHECK(s.catalog.field_name(heap.klass("shop.SessionRegistry"),
                             first.path.steps[1].label.index()) == "SESSIONS");
  CHECK(first.confidence_percent >= 90);
  CHECK(contains(all_evidence(first),
                 "4,000 instances of shop.Session and what they hold retain 30.9 MB"));
  CHECK(contains(all_evidence(first), "100 % of all 4,000 held instances"));
}

TEST_CASE("suspects: how many of what piles up are old, and in how many ages they stand") {
  TestHeap heap;
  add_platform(heap, 200);
  add_sessions(heap, 4000);
  Snapshot s = heap.snapshot();
  const ClassId session = heap.klass("shop.Session");
  const auto evidence = [&](auto age_of) {
    std::vector<AgeCode> ages(s.object_count(), 0);
    std::uint32_t i = 0;
    for (std::uint32_t v = 0; v < s.object_count(); ++v)
      if (s.class_of[v] == session) ages[v] = age_of(i++);
    s.ages = ages;
    s.age_source = AgeSource::kRanges;
    const Made made(s);
    REQUIRE(made.suspects.size() == 1);
    return all_evidence(made.suspects[0]);
  };
  CHECK(
      contains(evidence([](std::uint32_t i) { return age_code(i % 100); }),
               "3,680 of 4,000 are old: survived 8 collections or more; they stand in 100 ages."));
  CHECK(contains(evidence([](std::uint32_t i) { return i < 10 ? age_code(1) : kTenured; }),
                 "3,990 of 4,000 are old: tenured."));
  CHECK(contains(
      evidence([](std::uint32_t i) { return i % 2 == 0 ? age_code(i % 16) : kTenured; }),
      "3,000 of 4,000 are old: survived 8 collections or more, or tenured; the others stand in "
      "8 ages."));
  s.ages = {};
  CHECK_FALSE(contains(all_evidence(Made(s).suspects[0]), " old"));
}

TEST_CASE("suspects: what piled up before the dump says so") {
  TestHeap heap;
  add_platform(heap, 200);
  add_sessions(heap, 4000);
  const Snapshot s = heap.snapshot();
  AgeVerdict verdict;
  verdict.count = 1;
  verdict.suspects[0] = {"shop.Session", 4000, 128'000, 3100, 99'200, 44, 9000, 12, 20, 18, 97, 98};
  const Made made(s, {}, &verdict);
  REQUIRE(made.suspects.size() == 1);
  CHECK(contains(all_evidence(made.suspects[0]),
                 "It was piling up before this dump: 3,100 more in 44 collections, of 18 ages or "
                 "more (98 % sure)."));
  verdict.suspects[0].name[0] = 'x';
  CHECK_FALSE(contains(all_evidence(Made(s, {}, &verdict).suspects[0]), "piling up"));
}

TEST_CASE("suspects: a small healthy heap has none, a large one no loud ones") {
  TestHeap small;
  add_platform(small, 500);
  const Snapshot s = small.snapshot();
  CHECK(Made(s).suspects.empty());

  TestHeap large;  // the same kinds of things, but 3 % of the heap each
  add_platform(large, 500);
  for (std::uint32_t i = 0; i < 33; ++i) {
    const ClassId item = large.klass("shop.Item" + std::to_string(i));
    const ClassId owner = large.klass("shop.Store" + std::to_string(i), {"items"});
    large.static_field(owner, "items",
                       map_of(large, 300, [&](std::uint32_t) { return large.object(item, 5000); }));
  }
  const Snapshot t = large.snapshot();
  for (const SuspectResult& suspect : Made(t).suspects) {
    INFO(all_evidence(suspect));
    CHECK(suspect.confidence_percent < confidence::kLoud);
  }
}

TEST_CASE("suspects: two leaks are two suspects, and no byte is in both") {
  TestHeap heap;
  add_sessions(heap, 3000);
  const ClassId order = heap.klass("shop.Order");
  const ClassId owner = heap.klass("shop.Orders", {"open"});
  heap.static_field(owner, "open",
                    map_of(heap, 2000, [&](std::uint32_t) { return heap.object(order, 4000); }));
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 2);
  CHECK(s.catalog.class_name(made.suspects[0].class_id) == "shop.Session");
  CHECK(s.catalog.class_name(made.suspects[1].class_id) == "shop.Order");
  CHECK(made.suspects[0].retained_bytes + made.suspects[1].retained_bytes <=
        made.dominators.held_bytes);
}

TEST_CASE("suspects: one big array, and a big list of a few lines") {
  TestHeap heap;
  const ThreadId worker = heap.thread("sales-report");
  const ObjectId array = heap.object(heap.klass("long[]"), 40 * kMega);
  heap.static_field(heap.klass("shop.Table", {"cells"}), "cells", array);
  const ObjectId pages = heap.object(heap.klass("java.lang.Object[]"), 512);
  for (std::uint32_t i = 0; i < 60; ++i)
    heap.element(pages, i, heap.object(heap.klass("byte[]"), kMega));
  heap.local(worker, pages, "shop.SalesReport", "run");
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 2);
  CHECK(made.suspects[1].group);
  CHECK(s.catalog.class_name(made.suspects[1].class_id) == "byte[]");
  CHECK(made.suspects[1].instances == 60);
  CHECK(s.roots[made.suspects[1].path.root].kind == RootKind::kStackLocal);
  CHECK_FALSE(made.suspects[0].group);
  CHECK(made.suspects[0].holder == array);
  CHECK(made.suspects[0].retained_bytes == 40 * kMega);
}

TEST_CASE("suspects: a linked list of a million is one structure, held by the list") {
  TestHeap heap;
  const ClassId node = heap.klass("shop.Queue$Node", {"next", "item"});
  const ClassId task = heap.klass("shop.Task");
  const ObjectId queue = heap.object(heap.klass("shop.Queue", {"head"}), 32);
  heap.static_field(heap.klass("shop.Main", {"queue"}), "queue", queue);
  ObjectId before = queue;
  for (std::uint32_t i = 0; i < 300'000; ++i) {
    const ObjectId made = heap.object(node, 24);
    heap.field(before, i == 0 ? "head" : "next", made);
    heap.field(made, "item", heap.object(task, 80));
    before = made;
  }
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 1);
  const SuspectResult& first = made.suspects[0];
  CHECK(first.holder == queue);
  CHECK(first.instances == 300'000);
  CHECK(first.retained_bytes == 300'000ull * 104);
  REQUIRE(first.levels.size() == 2);
  CHECK(first.levels[1].instances == 300'000);
  CHECK(first.levels[1].retained_bytes == 300'000ull * 80);
}

TEST_CASE("suspects: a list that a class holds itself is held by its static field") {
  TestHeap heap;
  const ClassId node = heap.klass("shop.Node", {"next", "load"});
  const ClassId main = heap.klass("shop.Main", {"first"});
  ObjectId before;
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    const ObjectId made = heap.object(node, 80);
    if (i == 0)
      heap.static_field(main, "first", made);
    else
      heap.field(before, "next", made);
    before = made;
  }
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 1);
  const SuspectResult& first = made.suspects[0];
  CHECK(first.holder == heap.class_object(main));
  REQUIRE(first.path.length == 2);
  REQUIRE(first.path.steps[1].label.is_static_field());
  CHECK(s.catalog.field_name(main, first.path.steps[1].label.index()) == "first");
  CHECK(contains(all_evidence(first),
                 "The shop.Node hold each other, as in a list or a tree; class shop.Main holds the "
                 "first, and so 3.8 MB."));
}

TEST_CASE("suspects: a static field that is a GC root itself names the holder") {
  for (const bool own : {true, false}) {
    CAPTURE(own);
    TestHeap heap;
    const ClassId list = heap.klass("System.Object[]");
    heap.row(list).flags = kClassPlatform;
    const ClassId owner = heap.klass("Shop.Cache");
    if (!own) heap.row(owner).flags = kClassPlatform;
    const ClassId entry = heap.klass("System.Byte[]");
    heap.row(entry).flags = kClassPlatform;
    const ObjectId entries = heap.object(list, 400'000);
    for (std::uint32_t i = 0; i < 50'000; ++i) heap.element(entries, i, heap.object(entry, 80));
    const ThreadId main = heap.thread("main");
    heap.local(main, entries, "System.Threading.Timer", "Fire");
    heap.static_root(entries, "Shop.Cache", "s_entries");
    const Snapshot s = heap.snapshot();
    const Made made(s);
    REQUIRE(made.suspects.size() == 1);
    const SuspectResult& first = made.suspects[0];
    REQUIRE(first.path.length == 1);  // rather than the local variable, which holds it, too
    CHECK(s.roots[first.path.root].kind == RootKind::kStaticField);
    CHECK(contains(all_evidence(first), "begins at a static field."));
    CHECK((first.confidence_percent >= 80) == own);
  }
}

TEST_CASE("suspects: one object of each of many classes of one name is a group") {
  TestHeap heap;
  add_platform(heap, 100);
  const ObjectId plugins = heap.object(heap.klass("java.lang.Object[]"), 1024);
  heap.static_field(heap.klass("shop.Plugins", {"loaded"}), "loaded", plugins);
  const ClassId first = heap.klass("shop.Plugin");
  for (std::uint32_t i = 0; i < 200; ++i) {
    const ClassId again = i == 0 ? first : heap.klass("shop.Plugin" + std::to_string(i));
    heap.row(again).name = heap.row(first).name;
    const ObjectId plugin = heap.object(again, 16);
    heap.element(plugins, i, plugin);
    heap.refer(plugin, heap.object(heap.klass("byte[]"), 20'000), RefLabel::instance_field(0));
    heap.refer(plugin, heap.object(heap.klass("char[]"), 20'000), RefLabel::instance_field(1));
  }
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 1);
  const SuspectResult& suspect = made.suspects[0];
  CHECK(s.catalog.class_name(suspect.class_id) == "shop.Plugin");
  CHECK(suspect.group);
  CHECK(suspect.instances == 200);
  CHECK(suspect.retained_bytes == 200ull * 40'016);
  CHECK(contains(all_evidence(suspect),
                 "100 % of all 200 held instances of 200 classes of this name"));
}

TEST_CASE("suspects: objects of the class further below are counted there, not elsewhere") {
  TestHeap heap;
  const ObjectId scopes = heap.object(heap.klass("java.lang.Object[]"), 1024);
  heap.static_field(heap.klass("shop.Scopes", {"all"}), "all", scopes);
  const ClassId value = heap.klass("shop.Value", {"slots"});
  for (std::uint32_t i = 0; i < 200; ++i) {
    const ObjectId outer = heap.object(value, 64);
    const ObjectId slots = heap.object(heap.klass("shop.Slots"), 20'000);
    heap.element(scopes, i, outer);
    heap.field(outer, "slots", slots);
    for (std::uint32_t inner = 0; inner < 50; ++inner)
      heap.element(slots, inner, heap.object(value, 64));
  }
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 1);
  CHECK(made.suspects[0].instances == 200);
  CHECK(made.suspects[0].instances_below == 200 * 51);
  CHECK(contains(all_evidence(made.suspects[0]), "100 % of all 10,200 held instances"));
}

TEST_CASE("suspects: what has the bytes is named, not what there is much of inside") {
  TestHeap heap;
  const ObjectId tasks = heap.object(heap.klass("java.lang.Object[]"), 128);
  heap.static_field(heap.klass("shop.Builds", {"tasks"}), "tasks", tasks);
  const ClassId task = heap.klass("shop.Task", {"symbols", "tree"});
  const ClassId symbol = heap.klass("shop.Symbol");
  for (std::uint32_t i = 0; i < 13; ++i) {
    const ObjectId made = heap.object(task, 64);
    heap.element(tasks, i, made);
    heap.field(made, "symbols",
               map_of(heap, 1000, [&](std::uint32_t) { return heap.object(symbol, 400); }));
    for (std::uint32_t part = 0; part < 8; ++part)
      heap.refer(made, heap.object(heap.klass("shop.Part" + std::to_string(part)), 100'000),
                 RefLabel::instance_field(2 + part));
  }
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 1);
  CHECK(made.suspects[0].class_id == task);
  CHECK(made.suspects[0].instances == 13);
}

TEST_CASE("suspects: a tree of nodes is one structure") {
  TestHeap heap;
  const ClassId entry = heap.klass("java.util.TreeMap$Entry", {"left", "right", "value"});
  const ClassId value = heap.klass("shop.Quote");
  std::vector<ObjectId> entries;
  const ObjectId map = heap.object(heap.klass("java.util.TreeMap", {"root"}), 48);
  heap.static_field(heap.klass("shop.Quotes", {"byTime"}), "byTime", map);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    entries.push_back(heap.object(entry, 40));
    if (i == 0)
      heap.field(map, "root", entries[0]);
    else
      heap.field(entries[(i - 1) / 2], i % 2 == 1 ? "left" : "right", entries[i]);
    heap.field(entries[i], "value", heap.object(value, 400));
  }
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 1);
  CHECK(made.suspects[0].holder == map);
  CHECK(s.catalog.class_name(made.suspects[0].class_id) == "shop.Quote");
  CHECK(made.suspects[0].instances == 20'000);
  CHECK(made.suspects[0].levels[0].instances == 20'000);
}

TEST_CASE("suspects: shards are one group, and what is in them is named") {
  TestHeap heap;
  const ObjectId shards = heap.object(heap.klass("shop.Shard[]"), 64);
  heap.static_field(heap.klass("shop.Store", {"shards"}), "shards", shards);
  const ClassId shard = heap.klass("shop.Shard", {"map"});
  const ClassId entity = heap.klass("shop.Entity");
  for (std::uint32_t i = 0; i < 8; ++i) {
    const ObjectId made = heap.object(shard, 16);
    heap.element(shards, i, made);
    heap.field(made, "map",
               map_of(heap, 400, [&](std::uint32_t) { return heap.object(entity, 2000); }));
  }
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 1);
  CHECK(made.suspects[0].holder == shards);
  CHECK(s.catalog.class_name(made.suspects[0].class_id) == "shop.Entity");
  CHECK(made.suspects[0].instances == 3200);
  CHECK(made.suspects[0].levels[0].instances == 8);
}

TEST_CASE("suspects: what two indexes share hangs below their owner, or below nobody") {
  for (const bool one_owner : {true, false}) {
    TestHeap heap;
    const ClassId article = heap.klass("shop.Article");
    std::vector<ObjectId> articles;
    const ObjectId by_id = map_of(heap, 3000, [&](std::uint32_t) {
      articles.push_back(heap.object(article, 3000));
      return articles.back();
    });
    const ObjectId by_name = map_of(heap, 3000, [&](std::uint32_t i) { return articles[i]; });
    if (one_owner) {
      const ObjectId cache = heap.object(heap.klass("shop.ArticleCache", {"byId", "byName"}), 24);
      heap.field(cache, "byId", by_id);
      heap.field(cache, "byName", by_name);
      heap.static_field(heap.klass("shop.Main", {"cache"}), "cache", cache);
    } else {
      heap.static_field(heap.klass("shop.ById", {"map"}), "map", by_id);
      heap.static_field(heap.klass("shop.ByName", {"map"}), "map", by_name);
    }
    const Snapshot s = heap.snapshot();
    const Made made(s);
    REQUIRE(made.suspects.size() >= 1);
    const SuspectResult& first = made.suspects[0];
    CHECK(first.class_id == article);
    CHECK(first.instances == 3000);
    CHECK(first.holder.valid() == one_owner);
    CHECK(first.confidence_percent >= confidence::kLoud);
    CHECK(first.path.length >= (one_owner ? 2u : 5u));
    CHECK(contains(all_evidence(first), "No single object") == !one_owner);
  }
}

TEST_CASE("suspects: a softly held cache is named so and trusted little") {
  TestHeap heap;
  const ClassId soft = heap.reference_class("java.lang.ref.SoftReference", Strength::kSoft);
  const ObjectId reference = heap.object(soft, 40);
  const ObjectId cache = map_of(
      heap, 500, [&](std::uint32_t) { return heap.object(heap.klass("shop.Image"), 16'384); });
  heap.static_field(heap.klass("shop.Images", {"cache"}), "cache", reference);
  heap.referent(reference, cache);
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 1);
  CHECK(made.suspects[0].path.strength == Strength::kSoft);
  CHECK(made.suspects[0].confidence_percent <= static_cast<std::uint32_t>(confidence::kSoftLimit));
  CHECK(contains(all_evidence(made.suspects[0]), "Softly held"));
}

TEST_CASE("suspects: what a cache holds softly entry by entry is a soft cache, too") {
  TestHeap heap;
  const ClassId soft = heap.reference_class("java.lang.ref.SoftReference", Strength::kSoft);
  const ClassId bytes = heap.klass("byte[]");
  const ObjectId cache = map_of(heap, 500, [&](std::uint32_t) {
    const ObjectId reference = heap.object(soft, 40);
    heap.referent(reference, heap.object(bytes, 16'384));
    return reference;
  });
  heap.static_field(heap.klass("shop.Images", {"cache"}), "cache", cache);
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 1);
  CHECK(made.suspects[0].path.strength == Strength::kStrong);
  CHECK(made.suspects[0].confidence_percent <= static_cast<std::uint32_t>(confidence::kSoftLimit));
  CHECK(contains(all_evidence(made.suspects[0]), "Softly held"));
}

TEST_CASE(
    "suspects: an entry that is a weak reference but holds its value strongly is no soft cache") {
  TestHeap heap;
  const ClassId entry =
      heap.reference_class("java.lang.ThreadLocal$ThreadLocalMap$Entry", Strength::kWeak);
  const ObjectId table =
      heap.object(heap.klass("java.lang.ThreadLocal$ThreadLocalMap$Entry[]"), 4096);
  const ClassId buffer = heap.klass("shop.Buffer");
  for (std::uint32_t i = 0; i < 200; ++i) {
    const ObjectId made = heap.object(entry, 32);
    heap.element(table, i, made);
    heap.refer(made, heap.object(buffer, 50'000), RefLabel::instance_field(4));
  }
  heap.refer(heap.thread_object(heap.thread("worker")), table, RefLabel::instance_field(0));
  const Snapshot s = heap.snapshot();
  const Made made(s);
  REQUIRE(made.suspects.size() == 1);
  CHECK(made.suspects[0].class_id == buffer);
  CHECK_FALSE(contains(all_evidence(made.suspects[0]), "Softly held"));
  CHECK(made.suspects[0].confidence_percent >= confidence::kLoud);
}

TEST_CASE("suspects: a frame of the application is as good as a class of it") {
  for (const bool own : {true, false}) {
    TestHeap heap;
    heap.klass("shop.SalesReport");
    heap.klass("java.util.TimerThread");
    const ObjectId pages = heap.object(heap.klass("java.lang.Object[]"), 512);
    for (std::uint32_t i = 0; i < 60; ++i)
      heap.element(pages, i, heap.object(heap.klass("byte[]"), kMega));
    heap.local(heap.thread("worker"), pages, own ? "shop.SalesReport" : "java.util.TimerThread",
               "run");
    const Snapshot s = heap.snapshot();
    const Made made(s);
    REQUIRE(made.suspects.size() == 1);
    CHECK(made.suspects[0].confidence_percent == (own ? 55u : 40u));
  }
}

TEST_CASE("suspects: what only methods that run now hold is not loud, and this is said") {
  for (const bool also_kept : {false, true}) {
    TestHeap heap;
    const ObjectId trees = heap.object(heap.klass("java.lang.Object[]"), 16 + 8 * 3'000);
    for (std::uint32_t i = 0; i < 3'000; ++i)
      heap.element(trees, i, heap.object(heap.klass("compiler.Tree"), 20'000));
    heap.local(heap.thread("compiler"), trees, "compiler.Main", "compile");
    if (also_kept) heap.static_field(heap.klass("compiler.Cache", {"TREES"}), "TREES", trees);
    const Snapshot s = heap.snapshot();
    const Made made(s);
    REQUIRE(made.suspects.size() == 1);
    const SuspectResult& first = made.suspects[0];
    CHECK((first.confidence_percent >= confidence::kLoud) == also_kept);
    CHECK(contains(all_evidence(first), "Only methods that run now hold it") == !also_kept);
    // At an OutOfMemoryError it fills the heap, by whatever it is held.
    const Made full(s, SuspectLimits{}, nullptr, true);
    REQUIRE(full.suspects.size() == 1);
    CHECK(full.suspects[0].confidence_percent >= confidence::kLoud);
    CHECK_FALSE(contains(all_evidence(full.suspects[0]), "Only methods that run now hold it"));
  }
}

TEST_CASE("suspects: on random graphs they are disjoint and within what is held") {
  const auto right = [](lab::LabGraph& graph) {
    const Snapshot s = graph.snapshot();
    const Made made(s, SuspectLimits{20, 1});
    std::uint64_t sum = 0;
    std::uint64_t before = UINT64_MAX;
    for (const SuspectResult& suspect : made.suspects) {
      sum += suspect.retained_bytes;
      if (suspect.confidence_percent < 1 || suspect.confidence_percent > 100) return false;
      const std::uint64_t weight = suspect.retained_bytes / 100 * suspect.confidence_percent;
      if (weight > before) return false;
      before = weight;
      std::uint64_t level_bytes = suspect.retained_bytes;
      for (const GroupLevelResult& level : suspect.levels) {
        if (level.retained_bytes > level_bytes) return false;
        if (level.shallow_bytes > level.retained_bytes) return false;
        level_bytes = level.retained_bytes;
      }
    }
    return sum <= made.dominators.held_bytes;
  };
  for (std::uint64_t seed = 1; seed <= tries(300); ++seed) {
    INFO("seed ", seed);
    const lab::LabGraph graph = lab::random_graph(seed, seed % 2 == 0);
    REQUIRE(lab::counterexample(graph, "suspects", right) == "");
  }
}

TEST_CASE("sentence: numbers, bytes, shares, long names") {
  Evidence out;
  Sentence(out)
      .count(0)
      .text(" ")
      .count(1234567)
      .text(" ")
      .bytes(1023)
      .text(" ")
      .bytes(50'541'363)
      .text(" ")
      .share(1, 8);
  CHECK(std::string_view(out.text) == "0 1,234,567 1.0 KB 48.2 MB 13 %");
  Sentence(out).share(1, 250).text(" ").share(0, 5).text(" ").share(1, 100'000);
  CHECK(std::string_view(out.text) == "0.4 % 0 % less than 0.1 %");
  Sentence(out).name(std::string(50, 'a') + std::string(300, 'b') + "End");
  CHECK(std::string_view(out.text).size() <= Sentence::kMaxName);
  CHECK(std::string_view(out.text).ends_with("End"));
}
