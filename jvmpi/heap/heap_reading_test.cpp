#include "jvmpi/heap/heap_reading.h"

#include <doctest/doctest.h>

#include "jvmpi/heap/shop_fixture.h"

using namespace holdfast;
using namespace holdfast::jvmpi;

TEST_CASE("both ways read the same graph, and the one that is there") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  const Read whole = read(bench, true);
  REQUIRE(whole.read.ok());
  const int buffers = bench.vm.asked[kHeapDump];
  CHECK(buffers == 1);
  CHECK(bench.vm.asked[kObjectDump] == 0);
  const Read single = read(bench, false);
  REQUIRE(single.read.ok());
  CHECK(whole.lines == single.lines);
  CHECK(whole.roots_told);
  CHECK(single.roots_told);
  for (const auto& line : whole.lines) INFO(line);
  CHECK(has(whole, "class shop.Session app 1 40"));
  CHECK(has(whole, "class shop.Vip app 1 56"));
  CHECK(has(whole, "class shop.Session[] app 1 40"));
  CHECK(has(whole, "class java.lang.Object[] boot 1 24"));
  CHECK(has(whole, "class byte[] boot 1 112"));
  CHECK(has(whole, "class java.lang.Class boot 10 960"));
  CHECK(has(whole, "ref shop.Vip.gift java.lang.Object"));
  CHECK(has(whole, "ref shop.Vip.next shop.Session"));
  CHECK(has(whole, "ref shop.Vip.user java.lang.String"));
  CHECK(has(whole, "ref shop.Session[].[0] shop.Session"));
  CHECK(has(whole, "ref shop.Session[].[2] shop.Vip"));
  CHECK(has(whole, "ref java.lang.Class.static shop.Session.last shop.Vip"));
  const auto text = [](SpecialRef kind) {
    return "special " + std::to_string(special(kind).index());
  };
  CHECK(has(whole, "ref java.lang.ref.SoftReference." + text(SpecialRef::kReferentSoft) +
                       " shop.Session[]"));
  CHECK(has(whole, "ref java.lang.Class." + text(SpecialRef::kConstantPool) + " java.lang.String"));
  CHECK(has(whole, "ref java.lang.Class." + text(SpecialRef::kInterface) + " java.lang.Class"));
  CHECK(has(whole, "ref java.lang.Class." + text(SpecialRef::kSuperclass) + " java.lang.Class"));
  CHECK(has(whole, "ref java.lang.Class." + text(SpecialRef::kClassLoader) +
                       " sun.misc.Launcher$AppClassLoader"));
  // Of the three superclasses that are not java.lang.Object: SoftReference's and Vip's.
  CHECK(std::count(whole.lines.begin(), whole.lines.end(),
                   "ref java.lang.Class." + text(SpecialRef::kSuperclass) + " java.lang.Class") ==
        2);
  CHECK(has(whole, "root thread java.lang.Thread main 0"));
  CHECK(has(whole, "root stack local shop.Session main 1 shop.Session.serve"));
  CHECK(has(whole, "root stack local java.lang.ref.SoftReference main 9"));
  CHECK(has(whole, "root monitor java.lang.Object"));
  CHECK(has(whole, "root JNI local shop.Session[] main 0"));
  // Each class of a loader that stays, once.
  CHECK(std::count(whole.lines.begin(), whole.lines.end(), "root system class java.lang.Class") ==
        10);
}

TEST_CASE("arrays that are told with their own class are the same arrays") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  const Read with_elements = read(bench, true);
  ReadHeap other;
  const Shop again(other.vm);
  const VmId sessions = other.vm.add_class("[Lshop.Session;", again.object).id;
  const VmId objects = other.vm.add_class("[Ljava.lang.Object;", again.object).id;
  ReadHeap::heard = &other.requests;
  other.vm.tell_arrays_with_own_class({{again.session, sessions}, {again.object, objects}});
  const Read with_own = read(other, true);
  REQUIRE(with_own.read.ok());
  const auto arrays = [](const Read& of) {
    std::vector<std::string> lines;
    for (const auto& line : of.lines)
      if (line.find("[]") != line.npos) lines.push_back(line);
    return lines;
  };
  CHECK(arrays(with_elements) == arrays(with_own));
  CHECK(with_own.lines == read(other, false).lines);
}

TEST_CASE("ids of no list are followed, in both ways") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  const Read all = read(bench, true);
  bench.vm.unlisted = {shop.string, shop.held, shop.main_thread};
  for (const bool one_buffer : {true, false}) {
    const Read some = read(bench, one_buffer);
    REQUIRE(some.read.ok());
    CHECK(some.lines == all.lines);
    CHECK(some.doubts.dangling_found == 3);
  }
}

TEST_CASE("a list may have next to nothing") {
  ReadHeap bench(std::uint64_t{64} << 20);
  fill_at_random(bench.vm, 20'000);
  const Read all = read(bench, true);
  const std::vector<VmId> ids = bench.vm.all_ids();
  bench.vm.unlisted = {ids.begin(), ids.end() - 1};
  // What no root and no reference leads to is in no dump then.
  const Read some = read(bench, true);
  REQUIRE(some.read.ok());
  CHECK(some.graph.object_count() > 1024);  // more than there was room for at first
  CHECK(some.doubts.dangling_no_room == 0);
  CHECK(some.lines == read(bench, false).lines);
  bench.vm.unlisted.clear();
  CHECK(read(bench, false).lines == all.lines);
}

TEST_CASE("what the VM does not show is left out, and said") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  bench.vm.unlisted = {shop.held};
  bench.vm.refused_dumps = {shop.held};
  SUBCASE("but what is known of it") {
    for (const bool one_buffer : {true, false}) {
      const Read some = read(bench, one_buffer);
      REQUIRE(some.read.ok());
      CHECK(some.doubts.objects_bare == 1);
      CHECK(has(some, "ref shop.Vip.gift java.lang.Object"));
    }
  }
  SUBCASE("nothing is known of it") {
    bench.vm.refused_sizes = {shop.held};
    for (const bool one_buffer : {true, false}) {
      const Read some = read(bench, one_buffer);
      REQUIRE(some.read.ok());
      CHECK(some.doubts.objects_refused == 1);
      CHECK(some.doubts.dangling_references == 1);
      CHECK(some.graph.losses.references_to_unknown == 1);
      CHECK(some.graph.losses.roots_dropped == 3);
      CHECK(!has(some, "ref shop.Vip.gift java.lang.Object"));
    }
  }
}

TEST_CASE("a class that the VM does not tell takes its objects' references with it, no more") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  bench.vm.refused_loads = {shop.session};
  const Read whole = read(bench, true);  // its record has no length that anybody knows
  REQUIRE_FALSE(whole.read.ok());
  CHECK(whole.read.error().code == ErrorCode::kDamaged);
  const Read single = read(bench, false);
  REQUIRE(single.read.ok());
  CHECK(single.doubts.classes_refused == 1);
  CHECK(single.doubts.fields_unread >= 2);  // a session and a Vip
  CHECK(has(single, "class ? ? 2 80"));  // the session, and the array that was told with its class
  CHECK(has(single, "ref shop.Vip.gift java.lang.Object"));  // declared by a class that is told
  CHECK(has(single, "class java.lang.Class boot 10 960"));
}

TEST_CASE(
    "a heap dump that is cut, lies or knows other records is given up, and one by one is not") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  const Read truth = read(bench, false);
  SUBCASE("cut in its last record") { bench.vm.cut_bytes = 3; }
  SUBCASE("a tag that nobody knows") { bench.vm.unknown_tag_at = 12; }
  SUBCASE("nothing at all") { bench.vm.cut_bytes = SIZE_MAX; }
  SUBCASE("refused") { bench.vm.refused_levels = {kDumpValues}; }
  SUBCASE("refused without a word") { bench.vm.silent_levels = {kDumpValues}; }
  const Read whole = read(bench, true);
  CHECK_FALSE(whole.read.ok());
  if (bench.vm.cut_bytes == 0 && bench.vm.unknown_tag_at == SIZE_MAX)
    CHECK(read(bench, false).lines == truth.lines);
}

TEST_CASE("object dumps that lie about their length are read by their records") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  const Read truth = read(bench, false);
  for (const int lie : {-1, 1, 9, 30, 0x7fffffff}) {
    bench.vm.length_lie = lie;
    const Read told = read(bench, false);
    REQUIRE(told.read.ok());
    CHECK(told.lines == truth.lines);
    CHECK(told.doubts.objects_unreadable == 0);
  }
}

TEST_CASE("an object dump of rubbish costs that object's references") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  bench.vm.garbage_dumps = {shop.main_thread};
  const Read read_anyway = read(bench, false);
  REQUIRE(read_anyway.read.ok());
  CHECK(read_anyway.doubts.objects_unreadable == 1);
  CHECK(has(read_anyway, "class java.lang.Thread boot 1 24"));
  CHECK(!has(read_anyway, "ref java.lang.Thread.name char[]"));
}

TEST_CASE("events that come twice, and objects that are listed twice, count once") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  const Read truth = read(bench, true);
  SUBCASE("events") {
    bench.vm.twice = true;
    for (const bool one_buffer : {true, false}) CHECK(read(bench, one_buffer).lines == truth.lines);
    CHECK(bench.requests.oddities().repeated != 0);
  }
  SUBCASE("objects") {
    bench.vm.lists_twice = true;
    for (const bool one_buffer : {true, false}) {
      const Read twice = read(bench, one_buffer);
      CHECK(twice.lines == truth.lines);
      CHECK(twice.doubts.objects_repeated == truth.graph.object_count());
    }
  }
}

TEST_CASE("without levels 1 and 2 there are no roots: what nothing refers to is taken for one") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  bench.vm.refused_levels = {kDumpReferences, kDumpValues};
  const Read blind = read(bench, false);
  REQUIRE(blind.read.ok());
  CHECK(!blind.roots_told);
  CHECK(has(blind, "root VM internal java.lang.Object[]"));
  CHECK(has(blind, "root VM internal byte[]"));
  CHECK(!has(blind, "root VM internal shop.Vip"));
}

TEST_CASE(
    "objects of no class, and arrays of none, are counted as such; nobody is asked for nothing") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  bench.vm.add_instance(0, {});
  bench.vm.add_object_array(0, {shop.held});
  bench.vm.roots.push_back({RecordTag::kJniGlobal, 0});
  for (const bool one_buffer : {true, false}) {
    const Read some = read(bench, one_buffer);
    REQUIRE(some.read.ok());
    CHECK(some.graph.losses.objects_unknown_class == 2);
    CHECK(has(some, "ref ?.[0] java.lang.Object"));
  }
}

TEST_CASE("a VM that shows no object makes no graph, rather than one without references") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  const std::vector<VmId> ids = bench.vm.all_ids();
  bench.vm.refused_dumps = {ids.begin(), ids.end()};
  const Read none = read(bench, false);
  REQUIRE_FALSE(none.read.ok());
  CHECK(none.read.error().code == ErrorCode::kRefused);
}

TEST_CASE("a buffer without roots is one whose roots are not told") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  bench.vm.roots.clear();
  const Read blind = read(bench, true);
  REQUIRE(blind.read.ok());
  CHECK_FALSE(blind.roots_told);
  CHECK(has(blind, "root VM internal java.lang.Object[]"));
}

TEST_CASE("a list of roots that ends in what nobody knows is said to be cut") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  const Read whole = read(bench, false);
  CHECK(whole.doubts.roots_cut == 0);
  FakeDump dump(sizeof(void*));
  dump.root(RecordTag::kStickyClass, shop.object).u1(0x08).id(shop.held).u4(1);
  bench.vm.forged_dump.assign(dump.bytes().begin(), dump.bytes().end());
  const Read cut = read(bench, false);
  REQUIRE(cut.read.ok());
  CHECK(cut.doubts.roots_cut == 1);
  CHECK(cut.roots_told);
}

TEST_CASE("a VM whose superclasses go in a circle is read") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  bench.vm.class_named("java.lang.Object").super = shop.vip;
  for (const bool one_buffer : {true, false}) {
    const Read some = read(bench, one_buffer);
    REQUIRE(some.read.ok());
    CHECK(some.doubts.fields_unread != 0);
  }
}

TEST_CASE("the time that is allowed is kept") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  REQUIRE(bench.memory.begin_dump().ok());
  HeapReading heap(bench.requests, bench.memory);
  ReadingPlan plan;
  plan.deadline_ns = 1;
  const Result<void> late = heap.read(plan);
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().code == ErrorCode::kDeadline);
  CHECK(bench.vm.gc_off == 0);
}

TEST_CASE("8 MB are enough for 100,000 objects, and are never passed") {
  ReadHeap bench(std::uint64_t{8} << 20);
  fill_at_random(bench.vm, 100'000);
  const Read whole = read(bench, true);
  REQUIRE(whole.read.ok());
  CHECK(whole.graph.object_count() == 100'202);
  CHECK(whole.lines == read(bench, false).lines);
}

TEST_CASE("memory that runs out ends the reading, not the application") {
  ReadHeap bench(std::uint64_t{2} << 20);
  fill_at_random(bench.vm, 100'000);
  for (const bool one_buffer : {true, false}) {
    const Read none = read(bench, one_buffer);
    REQUIRE_FALSE(none.read.ok());
    CHECK((none.read.error().code == ErrorCode::kOutOfBudget ||
           none.read.error().code == ErrorCode::kTooMany));
  }
}

TEST_CASE("counting tells the classes that a graph has, without keeping an object") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  const Read graph = read(bench, true);
  bench.memory.end_dump();
  REQUIRE(bench.memory.begin_dump().ok());
  HeapCount heap(bench.requests, bench.memory);
  REQUIRE(heap.count().ok());
  Capture counted;
  REQUIRE(heap.tell(counted).ok());
  const Catalog& catalog = counted.snapshot.catalog;
  std::size_t seen = 0;
  for (std::uint32_t c = 0; c < catalog.class_count(); ++c) {
    const ClassCount& count = counted.histogram[c];
    if (count.instances == 0) continue;
    ++seen;
    const std::string figures =
        " " + std::to_string(count.instances) + " " + std::to_string(count.shallow_bytes);
    const std::string name =
        "class " + std::string(catalog.class_name(ClassId{c})) + " " +
        std::string(catalog.strings.view(catalog.loaders[catalog.classes[c].loader.value].name));
    CHECK_MESSAGE(std::any_of(graph.lines.begin(), graph.lines.end(),
                              [&](const std::string& line) { return line == name + figures; }),
                  name << figures);
  }
  CHECK(seen == static_cast<std::size_t>(std::count_if(
                    graph.lines.begin(), graph.lines.end(),
                    [](const std::string& line) { return line.starts_with("class "); })));
  CHECK(bench.vm.broken_rules == 0);
  CHECK(bench.vm.gc_off == 0);
}

TEST_CASE("a VM that lists nothing has no histogram either") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  REQUIRE(bench.memory.begin_dump().ok());
  SUBCASE("refused") { bench.vm.refused_levels = {kDumpIds}; }
  SUBCASE("without a word") { bench.vm.silent_levels = {kDumpIds}; }
  HeapCount heap(bench.requests, bench.memory);
  const Result<void> counted = heap.count();
  REQUIRE_FALSE(counted.ok());
  CHECK(counted.error().code == ErrorCode::kRefused);
}
