#include "jvmpi/heap/heap_reading.h"

#include <doctest/doctest.h>

#include "jvmpi/fake_java.h"
#include "jvmpi/heap/read_heap_fixture.h"

using namespace holdfast;
using namespace holdfast::jvmpi;

namespace {

// A shop: sessions in an array, a cache behind a soft reference, a static registry, a thread with two frames.
struct Shop {
  VmId object, class_class, string, session, vip, cache, thread, soft, registry, main_thread, held;

  explicit Shop(FakeVm& vm) {
    object = vm.add_class("java.lang.Object", 0).id;
    class_class = vm.add_class("java.lang.Class", object).id;
    string = vm.add_class("java.lang.String", object).id;
    vm.class_named("java.lang.String").instances = {{"hash", "I"}, {"value", "[C"}};
    FakeClass& reference = vm.add_class("java.lang.ref.Reference", object);
    reference.statics = {{"lock", "Ljava/lang/Object;"}};
    reference.instances = {{"next", "Ljava/lang/ref/Reference;"},
                           {"referent", "Ljava/lang/Object;"}};
    soft = vm.add_class("java.lang.ref.SoftReference", reference.id).id;
    vm.class_named("java.lang.ref.SoftReference").instances = {{"timestamp", "J"}};
    thread = vm.add_class("java.lang.Thread", object).id;
    vm.class_named("java.lang.Thread").instances = {{"name", "[C"}};
    vm.class_named("java.lang.Thread").methods = {"run", "sleep"};
    const VmId loader_class = vm.add_class("sun.misc.Launcher$AppClassLoader", object).id;
    const VmId loader = vm.add_instance(loader_class, {}).id;
    session = vm.add_class("shop.Session", object).id;
    FakeClass& sessions = vm.class_named("shop.Session");
    sessions.loader = loader;
    sessions.statics = {{"count", "I", 7}, {"last", "Lshop/Session;"}};
    sessions.instances = {
        {"open", "Z"}, {"next", "Lshop/Session;"}, {"user", "Ljava/lang/String;"}};
    sessions.methods = {"serve"};
    vip = vm.add_class("shop.Vip", session).id;
    vm.class_named("shop.Vip").loader = loader;
    vm.class_named("shop.Vip").instances = {{"gift", "Ljava/lang/Object;"}, {"level", "D"}};
    vm.class_named("shop.Vip").interfaces = {vm.add_class("shop.Special", 0).id};
    fill(vm, loader);
  }

  void fill(FakeVm& vm, VmId loader) {
    const VmId chars = vm.add_primitive_array(ValueType::kChar, 5).id;
    const VmId user = vm.add_instance(string, {42, chars}).id;
    const VmId first = vm.add_instance(session, {1, 0, user}).id;
    held = vm.add_instance(object, {}).id;
    const VmId second = vm.add_instance(vip, {held, 3, 0, first, user}).id;
    vm.class_named("shop.Session").statics[1].value = second;
    vm.class_named("shop.Session").constants = {user, 0};
    const VmId array = vm.add_object_array(session, {first, 0, second}).id;
    vm.add_object_array(object, {array});
    vm.add_primitive_array(ValueType::kByte, 100);
    const VmId kept = vm.add_instance(soft, {9, 0, array}).id;
    main_thread = vm.add_instance(thread, {chars}).id;
    vm.threads = {{0x5000,
                   main_thread,
                   "main",
                   {vm.class_named("java.lang.Thread").method_of(1),
                    vm.class_named("shop.Session").method_of(0)}},
                  {0x5001, 0, "VM's own", {}}};
    vm.roots = {{RecordTag::kThreadBlock, main_thread, 0x5000},
                {RecordTag::kJavaFrame, first, 0x5000, 1},
                {RecordTag::kJavaFrame, kept, 0x5000, 9},  // no such frame
                {RecordTag::kStickyClass, object},
                {RecordTag::kStickyClass, held},  // no class
                {RecordTag::kThreadBlock, held, 0x5001},
                {RecordTag::kMonitorUsed, held},
                {RecordTag::kJniGlobal, loader},
                {RecordTag::kNativeStack, array, 0x5000},
                {RecordTag::kUnknownRoot, kept}};
  }
};

struct Read {
  Result<void> read;
  Snapshot graph;
  std::vector<std::string> lines;
  ReadingDoubts doubts;
  bool roots_told = false;
  RecordTail tail = RecordTail::kWritten;
};

Read read(ReadHeap& bench, bool one_buffer, bool ask_roots = true,
          RecordTail tail = RecordTail::kWritten) {
  bench.memory.end_dump();
  REQUIRE(bench.memory.begin_dump().ok());
  Read out;
  HeapReading heap(bench.requests, bench.memory);
  ReadingPlan plan;
  plan.one_buffer = one_buffer;
  plan.ask_roots = ask_roots;
  plan.tail = tail;
  out.read = heap.read(plan);
  if (out.read) out.read = heap.seal(out.graph);
  if (out.read) out.lines = lines_of(out.graph);
  out.doubts = heap.doubts();
  out.roots_told = heap.roots_told();
  out.tail = heap.tail();
  CHECK(bench.vm.gc_off == 0);
  CHECK(bench.vm.broken_rules == 0);
  return out;
}

bool has(const Read& of, const std::string& line) {
  return std::find(of.lines.begin(), of.lines.end(), line) != of.lines.end();
}

std::vector<std::string> lines_with(const Read& of, const std::string& begin) {
  std::vector<std::string> lines;
  for (const auto& line : of.lines)
    if (line.starts_with(begin)) lines.push_back(line);
  return lines;
}

}  // namespace

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

TEST_CASE("a VM that leaves out the last value of what it shows is read for what it writes") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  bench.vm.add_object_array(shop.session, {});
  bench.vm.add_primitive_array(ValueType::kInt, 0);
  const Read truth = read(bench, false);
  CHECK(truth.lines == read(bench, true).lines);
  bench.vm.tails_unwritten = true;
  const Read found = read(bench, false);
  REQUIRE_FALSE(found.read.ok());
  CHECK(found.read.error().code == ErrorCode::kRefused);
  REQUIRE(found.tail == RecordTail::kUnwritten);
  const Read known = read(bench, false, true, found.tail);
  REQUIRE(known.read.ok());
  CHECK(bench.vm.strangers == 0);
  CHECK(known.doubts.objects_unreadable == 0);
  CHECK(known.doubts.fields_unread == 0);
  CHECK(lines_with(known, "class ") == lines_with(truth, "class "));
  // Two static fields, one of them null, a string's, two sessions', two arrays', a reference's, a thread's.
  CHECK(known.doubts.tails_unwritten == 9);
  std::vector<std::string> lost;
  const auto all = lines_with(truth, "ref "), some = lines_with(known, "ref ");
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(lost));
  CHECK(lost.size() == 8);
  CHECK(all.size() == some.size() + lost.size());
  // The array of sessions has a root of its own, and the array that held it, too.
  CHECK(lines_with(known, "root VM internal java.lang.Object[]").size() == 1);
  CHECK(lines_with(known, "root VM internal shop.Session[]").size() ==
        lines_with(truth, "root VM internal shop.Session[]").size() + 1);
}

TEST_CASE("a VM that leaves out last values shows it by any object that has none") {
  ReadHeap bench;
  const VmId object = bench.vm.add_class("java.lang.Object", 0).id;
  bench.vm.add_class("java.lang.Class", object);
  FakeClass& node = bench.vm.add_class("shop.Node", object);
  node.instances = {{"next", "Lshop/Node;"}};
  bench.vm.add_instance(node.id, {bench.vm.add_instance(node.id, {0}).id});
  bench.vm.tails_unwritten = true;
  bool one_buffer = false;
  SUBCASE("an ordinary one") { bench.vm.add_instance(object, {}); }
  SUBCASE("an empty array") { bench.vm.add_primitive_array(ValueType::kLong, 0); }
  SUBCASE("a class") { bench.vm.add_class("shop.Empty", object); }
  SUBCASE("one that is in no list") {
    const VmId only = bench.vm.add_instance(object, {}).id;
    bench.vm.unlisted = {only};
    bench.vm.add_object_array(object, {only, 0});
    one_buffer = true;
  }
  const Read found = read(bench, one_buffer);
  REQUIRE_FALSE(found.read.ok());
  CHECK(found.tail == RecordTail::kUnwritten);
  CHECK(read(bench, one_buffer, true, found.tail).read.ok());
  CHECK(bench.vm.strangers == 0);
}

TEST_CASE(
    "an array that a buffer tells shows how the VM ends, before a value that is none is followed") {
  ReadHeap bench;
  const VmId object = bench.vm.add_class("java.lang.Object", 0).id;
  bench.vm.add_class("java.lang.Class", object);
  FakeClass& node = bench.vm.add_class("shop.Node", object);
  node.instances = {{"next", "Lshop/Node;"}};
  const VmId hidden = bench.vm.add_instance(node.id, {0}).id;
  bench.vm.add_instance(node.id, {hidden});
  bench.vm.add_primitive_array(ValueType::kChar, 5);
  bench.vm.unlisted = {hidden};
  CHECK(read(bench, true).tail == RecordTail::kWritten);
  bench.vm.tails_unwritten = true;
  const Read some = read(bench, true);
  REQUIRE(some.read.ok());
  CHECK(some.tail == RecordTail::kUnwritten);
  CHECK(has(some, "class shop.Node boot 2 48"));
  CHECK(some.doubts.tails_unwritten == 1);
  CHECK(bench.vm.strangers == 0);
}

TEST_CASE("an empty array is of the class that the VM says, or of one that is known") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  const VmId sessions = bench.vm.add_object_array(shop.session, {}).id;
  const VmId numbers = bench.vm.add_primitive_array(ValueType::kLong, 0).id;
  const Read whole = read(bench, true);
  CHECK(has(whole, "class shop.Session[] app 2 56"));
  CHECK(read(bench, false).lines == whole.lines);
  bench.vm.refused_sizes = {sessions, numbers};
  const Read single = read(bench, false);
  REQUIRE(single.read.ok());
  CHECK(has(single, "class shop.Session[] app 2 56"));  // as long as others that are as short
  CHECK(has(single, "class long[] boot 1 8"));
}

TEST_CASE("values that are not as long as their class says lead nowhere") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  const Read truth = read(bench, true);
  CHECK(has(truth, "ref shop.Vip.gift java.lang.Object"));
  bench.vm.hidden_fields = {shop.session};
  for (const bool one_buffer : {true, false}) {
    const Read some = read(bench, one_buffer);
    REQUIRE(some.read.ok());
    CHECK(some.doubts.fields_unread == 2);  // a session and a Vip
    CHECK(lines_with(some, "ref shop.Vip.").empty());
    CHECK(lines_with(some, "class ") == lines_with(truth, "class "));
  }
}

TEST_CASE(
    "a primitive type's class object is not asked for as a class, though it is shown as one") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  FakeJava java(&bench.vm.interface);
  const VmId number = bench.vm.add_class("int", 0).id;
  FakeClass& integer = bench.vm.add_class("java.lang.Integer", shop.object);
  integer.statics = {{"TYPE", "Ljava/lang/Class;", number}};
  bench.vm.primitive_classes = {number};
  java.primitive_classes["java/lang/Integer"] = static_cast<std::uintptr_t>(number);
  bench.vm.tell_ids();
  bench.requests.primitives().open(java.jni, bench.vm.interface);
  CHECK(java.weak_references == 1);
  CHECK_FALSE(java.exception);
  const Read whole = read(bench, true);
  CHECK(has(whole, "class java.lang.Class boot 12 1152"));
  CHECK(has(whole, "ref java.lang.Class.static java.lang.Integer.TYPE java.lang.Class"));
  CHECK(lines_with(whole, "class int").empty());
  CHECK(whole.doubts.classes_refused == 0);
  CHECK(read(bench, false).lines == whole.lines);
  bench.vm.unlisted = {number};
  for (const bool one_buffer : {true, false}) CHECK(read(bench, one_buffer).lines == whole.lines);
  bench.requests.primitives().close(java.jni);
  CHECK(java.weak_references == 0);
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
