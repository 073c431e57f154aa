#include "jvmti/heap_walk.h"

#include <doctest/doctest.h>

#include <random>

#include "jvmti/fake_capture.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

constexpr jvmtiHeapReferenceKind kField = JVMTI_HEAP_REFERENCE_FIELD;

// A shop: sessions in a static map, a thread with a big local, soft and weak references.
struct Shop {
  FakeVm vm;
  std::uint32_t app_loader_class, app, shop, map, session, lines, weak_entry;
  std::uint32_t map_object, session_object, array, cached, soft, entry, main_thread;

  Shop() {
    app_loader_class = vm.add_class("Ljdk/internal/loader/ClassLoaders$AppClassLoader;",
                                    static_cast<int>(vm.loader_class));
    app = vm.add_loader(app_loader_class, "app");
    map = vm.add_class("Ljava/util/HashMap;", 0, {"table"});
    lines = vm.add_class("[Ljava/lang/Object;", 0);
    shop = vm.add_class("Lshop/Shop;", 0, {"sessions", "$assertionsDisabled"}, {},
                        static_cast<int>(app));
    session = vm.add_class("Lshop/Session;", 0, {"id", "lines"}, {}, static_cast<int>(app));
    const std::uint32_t keyed =
        vm.add_class("Lshop/Keyed;", 0, {"LIMIT"}, {}, static_cast<int>(app));
    vm.classes[keyed].interface = true;
    weak_entry = vm.add_class("Lshop/Entry;", static_cast<int>(vm.weak_class), {"value"}, {keyed},
                              static_cast<int>(app));
    map_object = vm.add_object(map, 48);
    session_object = vm.add_object(session, 24);
    array = vm.add_object(lines, 40);
    cached = vm.add_object(vm.object_class);
    soft = vm.add_object(vm.soft_class, 48);
    entry = vm.add_object(weak_entry, 56);
    main_thread = vm.add_thread("main", 7);
    vm.set_static(shop, "sessions", map_object);
    vm.set_field(map_object, map, "table", array);
    vm.refer(array, JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT, 3, session_object);
    vm.set_field(soft, vm.reference_class, "referent", cached);
    vm.set_field(entry, vm.reference_class, "referent", cached);
    vm.set_field(entry, weak_entry, "value", session_object);
    vm.refer(app, kField, 2, vm.classes[shop].mirror);
    for (std::uint32_t c = 0; c < vm.classes.size(); ++c)
      if (vm.classes[c].loader < 0)
        vm.add_root({JVMTI_HEAP_REFERENCE_SYSTEM_CLASS, vm.classes[c].mirror});
    vm.add_root({JVMTI_HEAP_REFERENCE_JNI_GLOBAL, app});
    vm.add_root({JVMTI_HEAP_REFERENCE_THREAD, main_thread});
    const int run = static_cast<int>(vm.add_method(shop, "run"));
    vm.add_root(
        {JVMTI_HEAP_REFERENCE_STACK_LOCAL, soft, static_cast<int>(main_thread), 2, run, 4, 17});
    const int poll = static_cast<int>(vm.add_method(shop, "poll"));
    vm.methods[static_cast<std::size_t>(poll)].native = true;
    vm.add_root({JVMTI_HEAP_REFERENCE_JNI_LOCAL, entry, static_cast<int>(main_thread), 0, poll});
    // A constant of compiled code.
    vm.add_root(
        {JVMTI_HEAP_REFERENCE_JNI_LOCAL, map_object, static_cast<int>(main_thread), 2, run});
  }
};

std::string_view field_text(const FakeCapture& capture, ObjectId from, ObjectId to) {
  const RefLabel label = capture.label(from, to);
  return capture.out.snapshot.catalog.field_name(capture.out.snapshot.class_of[from.value],
                                                 label.index());
}

}  // namespace

TEST_CASE("a walk gives the graph with its names, labels and roots") {
  Shop shop;
  FakeCapture capture(shop.vm);
  REQUIRE(capture.run().ok());
  const Capture& out = capture.out;
  REQUIRE(out.has_graph);
  CHECK(out.rung == CaptureRung::kWalk);
  CHECK(verify(out.snapshot).ok());
  CHECK(out.heap_before.used_bytes == 1u << 20);
  CHECK(capture.notes.all().empty());

  const ObjectId map = capture.only("java.util.HashMap");
  const ObjectId array = capture.only("java.lang.Object[]");
  const ObjectId session = capture.only("shop.Session");
  REQUIRE((map.valid() && array.valid() && session.valid()));
  const RefLabel from_static = capture.label(capture.mirror("shop.Shop"), map);
  CHECK(from_static.is_static_field());
  CHECK(out.snapshot.catalog.field_name(capture.class_named("shop.Shop"), from_static.index()) ==
        "sessions");
  CHECK(field_text(capture, map, array) == "table");
  CHECK(capture.label(array, session) == RefLabel::element(3));
  CHECK(out.snapshot.shallow_bytes(map) == 48);
  CHECK(out.snapshot.implied_class_object(map) == capture.mirror("java.util.HashMap"));
}

TEST_CASE("references to a referent carry their strength, other fields of a reference do not") {
  Shop shop;
  FakeCapture capture(shop.vm);
  REQUIRE(capture.run().ok());
  const ObjectId soft = capture.only("java.lang.ref.SoftReference");
  const ObjectId entry = capture.only("shop.Entry");
  const ObjectId cached = capture.only("java.lang.Object");
  CHECK(strength_of(capture.label(soft, cached)) == Strength::kSoft);
  CHECK(strength_of(capture.label(entry, cached)) == Strength::kWeak);
  CHECK(strength_of(capture.label(entry, capture.only("shop.Session"))) == Strength::kStrong);
  CHECK(field_text(capture, entry, capture.only("shop.Session")) == "value");
}

TEST_CASE("roots tell kind, thread, method, depth and slot") {
  Shop shop;
  FakeCapture capture(shop.vm);
  REQUIRE(capture.run().ok());
  const Catalog& catalog = capture.out.snapshot.catalog;
  REQUIRE(catalog.threads.size() == 1);
  CHECK(capture.text(catalog.threads[0].name) == "main");
  CHECK(catalog.threads[0].vm_id == 7);
  CHECK(capture.root_kinds(catalog.threads[0].object) == root_kind_name(RootKind::kThread));
  const ObjectId soft = capture.only("java.lang.ref.SoftReference");
  bool seen = false;
  for (const RootRecord& root : capture.out.snapshot.roots) {
    if (root.object != soft) continue;
    seen = true;
    CHECK(root.kind == RootKind::kStackLocal);
    CHECK(root.thread == ThreadId{0});
    CHECK(root.depth == 2);
    CHECK(root.slot == 4);
    CHECK(root.location == 17);
    REQUIRE(root.method.valid());
    CHECK(capture.text(catalog.methods[root.method.value].name) == "run");
    CHECK(capture.text(catalog.methods[root.method.value].class_name) == "shop.Shop");
  }
  CHECK(seen);
}

TEST_CASE("a JNI local of a method that is not native is a constant of its code") {
  Shop shop;
  FakeCapture capture(shop.vm);
  REQUIRE(capture.run().ok());
  std::size_t locals = 0, constants = 0;
  for (const RootRecord& root : capture.out.snapshot.roots) {
    if (root.kind == RootKind::kJniLocal) {
      ++locals;
      CHECK(root.object == capture.only("shop.Entry"));
      CHECK(root.thread == ThreadId{0});
    }
    if (root.kind != RootKind::kOther) continue;
    ++constants;
    CHECK(root.object == capture.only("java.util.HashMap"));
    CHECK_FALSE(root.thread.valid());
    REQUIRE(root.method.valid());
    const MethodRow& method = capture.out.snapshot.catalog.methods[root.method.value];
    CHECK(capture.text(method.name) == "run");
  }
  CHECK(locals == 1);
  CHECK(constants == 1);
}

TEST_CASE("class objects of builtin loaders are roots once, if the walk reached them") {
  Shop shop;
  FakeCapture capture(shop.vm);
  REQUIRE(capture.run().ok());
  CHECK(capture.root_kinds(capture.mirror("java.util.HashMap")) ==
        root_kind_name(RootKind::kSystemClass));
  CHECK(capture.root_kinds(capture.mirror("shop.Shop")) == root_kind_name(RootKind::kSystemClass));
  CHECK_FALSE(capture.mirror("shop.Keyed").valid());  // nothing in this heap refers to it
  const std::span<const LoaderRow> loaders = capture.out.snapshot.catalog.loaders;
  REQUIRE(loaders.size() == 2);
  CHECK(capture.text(loaders[0].name) == "boot");
  CHECK(capture.text(loaders[1].name) == "app");
  CHECK(loaders[1].builtin);
  CHECK(capture.root_kinds(loaders[1].object) == root_kind_name(RootKind::kJniGlobal));
}

TEST_CASE(
    "class objects of hidden classes are no roots: the VM may unload them before their loader") {
  Shop shop;
  const std::uint32_t hidden = shop.vm.add_class("Lshop/Shop$$Lambda.0x0000000060040860;", 0, {},
                                                 {}, static_cast<int>(shop.app));
  shop.vm.add_root({JVMTI_HEAP_REFERENCE_JNI_GLOBAL, shop.vm.add_object(hidden)});
  FakeCapture capture(shop.vm);
  REQUIRE(capture.run().ok());
  const ObjectId mirror = capture.mirror("shop.Shop$$Lambda/0x0000000060040860");
  REQUIRE(mirror.valid());
  CHECK(capture.root_kinds(mirror).empty());
}

TEST_CASE(
    "loaders of the application are named by class and own name, and their classes are no roots") {
  Shop shop;
  const std::uint32_t type =
      shop.vm.add_class("Lweb/AppLoader;", static_cast<int>(shop.vm.loader_class));
  const std::uint32_t loader = shop.vm.add_loader(type, "shop-2");
  const std::uint32_t loaded = shop.vm.add_class("Lweb/Page;", 0, {}, {}, static_cast<int>(loader));
  shop.vm.add_root({JVMTI_HEAP_REFERENCE_JNI_GLOBAL, shop.vm.add_object(loaded)});
  FakeCapture capture(shop.vm);
  REQUIRE(capture.run().ok());
  const ClassRow& row = capture.out.snapshot.catalog.classes[capture.class_named("web.Page").value];
  CHECK(capture.text(capture.out.snapshot.catalog.loaders[row.loader.value].name) ==
        "web.AppLoader \"shop-2\"");
  CHECK(capture.root_kinds(row.mirror).empty());
  CHECK((row.flags & kClassPlatform) == 0);
  CHECK(
      (capture.out.snapshot.catalog.classes[capture.class_named("java.util.HashMap").value].flags &
       kClassPlatform) != 0);
}

TEST_CASE(
    "no local reference of ours is alive while the heap is walked, and everything goes back") {
  Shop shop;
  {
    FakeCapture capture(shop.vm);
    REQUIRE(capture.run().ok());
    CHECK(shop.vm.local_references_at_stop == 0);
    capture.end();
    CHECK(capture.ledger().total_bytes() == 0);
    REQUIRE(capture.run(CaptureRung::kHistogram).ok());
  }
  CHECK(shop.vm.local_references == 0);
  CHECK(shop.vm.global_references == 0);
  CHECK(shop.vm.memory_blocks == 0);
  CHECK(shop.vm.environments() == 0);
}

TEST_CASE(
    "objects of a class that was loaded after the catalog are counted, and keep their class object "
    "alive") {
  Shop shop;
  const std::uint32_t late = shop.vm.add_class("Lshop/Late;", 0, {"next"});
  shop.vm.classes[late].listed = false;
  const std::uint32_t object = shop.vm.add_object(late);
  shop.vm.add_root({JVMTI_HEAP_REFERENCE_JNI_GLOBAL, object});
  shop.vm.set_field(object, late, "next", shop.session_object);
  FakeCapture capture(shop.vm);
  REQUIRE(capture.run().ok());
  CHECK(capture.out.snapshot.losses.objects_unknown_class == 1);
  std::uint32_t kept = 0;
  for (std::uint32_t v = 0; v < capture.out.snapshot.object_count(); ++v) {
    if (capture.out.snapshot.class_of[v].valid()) continue;
    for (std::uint32_t r = capture.out.snapshot.first_ref[v];
         r < capture.out.snapshot.first_ref[v + 1]; ++r)
      kept += capture.out.snapshot.label[r] == special(SpecialRef::kClass) ? 1 : 0;
  }
  CHECK(kept == 1);
}

TEST_CASE("a histogram counts every object by class, unreachable and unknown ones too") {
  Shop shop;
  const std::uint32_t late = shop.vm.add_class("Lshop/Late;", 0);
  shop.vm.classes[late].listed = false;
  shop.vm.add_object(late, 64);
  shop.vm.add_object(shop.session, 24);  // unreachable
  FakeCapture capture(shop.vm);
  REQUIRE(capture.run(CaptureRung::kHistogram).ok());
  CHECK_FALSE(capture.out.has_graph);
  const ClassId session = capture.class_named("shop.Session");
  REQUIRE(capture.out.histogram.size() == capture.out.snapshot.catalog.class_count() + 1);
  CHECK(capture.out.histogram[session.value].instances == 2);
  CHECK(capture.out.histogram[session.value].shallow_bytes == 48);
  CHECK(capture.out.histogram.back().instances == 1);
  CHECK(capture.out.histogram.back().shallow_bytes == 64);
}

TEST_CASE("a heap that outgrows the memory becomes a histogram with a note") {
  Shop shop;
  constexpr int kMany = 60'000;
  std::uint32_t before = shop.map_object;
  for (int i = 0; i < kMany; ++i) {
    const std::uint32_t next = shop.vm.add_object(shop.session, 24);
    shop.vm.refer(before, kField, 0, next);
    before = next;
  }
  FakeCapture capture(shop.vm, std::uint64_t{2} << 20);
  REQUIRE(capture.run().ok());
  CHECK_FALSE(capture.out.has_graph);
  CHECK(capture.out.rung == CaptureRung::kHistogram);
  CHECK(capture.out.histogram[capture.class_named("shop.Session").value].instances == kMany + 1);
  CHECK(capture.noted("memory= was used up after"));
  CHECK(shop.vm.walks == 2);
  capture.end();
  CHECK(capture.ledger().total_bytes() == 0);
}

TEST_CASE("every call that fails ends in an error or a histogram, and nothing leaks") {
  const char* calls[] = {"GetEnv",
                         "AddCapabilities",
                         "GetLoadedClasses",
                         "GetAllThreads",
                         "SetTag",
                         "GetTag",
                         "GetClassSignature",
                         "GetClassLoader",
                         "GetClassFields",
                         "GetFieldName",
                         "GetImplementedInterfaces",
                         "IsInterface",
                         "GetThreadInfo",
                         "FollowReferences",
                         "GetMethodName",
                         "GetMethodDeclaringClass",
                         "PushLocalFrame",
                         "GetSuperclass",
                         "GetObjectField",
                         "NewGlobalRef",
                         "FindClass",
                         "GetFieldID",
                         "CallLongMethod",
                         "CallStaticObjectMethod",
                         "GetMethodID",
                         "AttachCurrentThreadAsDaemon",
                         "ExceptionCheck"};
  for (const char* call : calls) {
    for (const int use : {0, 1, 3, 10}) {
      CAPTURE(call);
      CAPTURE(use);
      Shop shop;
      shop.vm.fail(call, JVMTI_ERROR_OUT_OF_MEMORY, use);
      {
        FakeCapture capture(shop.vm);
        if (capture.run().ok() && !capture.out.has_graph) {
          CHECK(capture.out.histogram.size() > 1);
          CHECK_FALSE(capture.notes.all().empty());
        }
      }
      CHECK(shop.vm.local_references == 0);
      CHECK(shop.vm.memory_blocks == 0);
      CHECK(shop.vm.environments() == 0);
    }
  }
}

TEST_CASE(
    "a walk that the VM refuses becomes a histogram; a histogram that it refuses is an error") {
  Shop shop;
  shop.vm.fail("FollowReferences", JVMTI_ERROR_INTERNAL);
  FakeCapture capture(shop.vm);
  REQUIRE(capture.run().ok());
  CHECK(capture.out.rung == CaptureRung::kHistogram);
  CHECK(capture.noted("113"));
  shop.vm.fail("IterateThroughHeap", JVMTI_ERROR_INTERNAL);
  const Result<void> failed = capture.run();
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code == ErrorCode::kVm);
  CHECK(failed.error().detail == JVMTI_ERROR_INTERNAL);
  CHECK_FALSE(capture.run(CaptureRung::kFrozen).ok());
}

TEST_CASE("classes that are not prepared have no field names and stop nothing") {
  Shop shop;
  shop.vm.classes[shop.session].prepared = false;
  FakeCapture capture(shop.vm);
  REQUIRE(capture.run().ok());
  const ClassId session = capture.class_named("shop.Session");
  for (std::uint32_t slot = 0; slot < 4; ++slot)
    CHECK(capture.out.snapshot.catalog.field_name(session, slot).empty());
}

TEST_CASE("where names do not fit, fields go unnamed but referents keep their strength") {
  Shop shop;
  for (int c = 0; c < 400; ++c) {
    std::vector<std::string> fields;
    fields.reserve(40);
    for (int f = 0; f < 40; ++f) fields.push_back("field" + std::to_string(c * 40 + f));
    shop.vm.add_class("Lshop/Wide" + std::to_string(c) + ";", 0, fields);
  }
  FakeCapture capture(shop.vm, std::uint64_t{6} << 20);
  REQUIRE(capture.run().ok());
  REQUIRE(capture.out.has_graph);
  CHECK(capture.noted("fields have no names"));
  CHECK(capture.out.snapshot.catalog.fields.empty());
  CHECK(strength_of(capture.label(capture.only("java.lang.ref.SoftReference"),
                                  capture.only("java.lang.Object"))) == Strength::kSoft);
  CHECK(capture.out.snapshot.catalog.field_name(capture.class_named("shop.Wide3"), 5).empty());
}

TEST_CASE(
    "fifty thousand classes of thousands of loaders, and a long superclass chain, overflow "
    "nothing") {
  FakeVm vm;
  constexpr int kLoaders = 2000;
  constexpr int kChain = 1000;
  for (int l = 0; l < kLoaders; ++l) {
    const int loader =
        static_cast<int>(vm.add_loader(vm.loader_class, "loader" + std::to_string(l)));
    for (int c = 0; c < 25; ++c)
      vm.add_class("Lapp/L" + std::to_string(l) + "/C" + std::to_string(c) + ";", 0,
                   {"a" + std::to_string(c), "b"}, {}, loader);
  }
  int above = 0;
  for (int c = 0; c < kChain; ++c)
    above = static_cast<int>(
        vm.add_class("LChain" + std::to_string(c) + ";", above, {"next" + std::to_string(c)}));
  const std::uint32_t object = vm.add_object(static_cast<std::uint32_t>(above));
  vm.add_root({JVMTI_HEAP_REFERENCE_JNI_GLOBAL, object});
  vm.set_field(object, static_cast<std::uint32_t>(above), "next999",
               vm.add_object(vm.string_class));
  FakeCapture capture(vm, std::uint64_t{256} << 20);
  REQUIRE(capture.run().ok());
  CHECK(capture.out.has_graph);
  CHECK(capture.out.snapshot.catalog.class_count() > 51'000);
  CHECK(capture.out.snapshot.catalog.loaders.size() == kLoaders + 1);
  CHECK(capture.out.snapshot.losses.names_dropped == 0);
  const ObjectId holder = capture.only("Chain999");
  CHECK(field_text(capture, holder, capture.only("java.lang.String")) == "next999");
  CHECK(vm.local_references_at_stop == 0);
}

TEST_CASE("field names follow the specification's index rule in random hierarchies") {
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
    FakeVm vm;
    std::vector<std::uint32_t> interfaces;
    std::vector<std::uint32_t> types{vm.object_class, vm.weak_class};
    const auto some_fields = [&](char letter, std::size_t of) {
      std::vector<std::string> fields;
      fields.reserve(4);
      for (std::uint32_t f = below(4); f > 0; --f)
        fields.push_back(std::string(1, letter) + std::to_string(of) + "_" + std::to_string(f));
      return fields;
    };
    const auto some_interfaces = [&] {
      std::vector<std::uint32_t> chosen;
      for (const std::uint32_t i : interfaces)
        if (below(4) == 0) chosen.push_back(i);
      return chosen;
    };
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint32_t c =
          vm.add_class("LI" + std::to_string(i) + ";", 0, some_fields('i', i), some_interfaces());
      vm.classes[c].interface = true;
      interfaces.push_back(c);
    }
    for (std::size_t i = 0; i < 20; ++i)
      types.push_back(vm.add_class("LC" + std::to_string(i) + ";",
                                   static_cast<int>(types[below(types.size())]),
                                   some_fields('c', i), some_interfaces()));
    std::map<std::string, std::string> expected;  // class of the target -> field that must name it
    int targets = 0;
    for (const std::uint32_t type : types) {
      const std::uint32_t object = vm.add_object(type);
      vm.add_root({JVMTI_HEAP_REFERENCE_JNI_GLOBAL, object});
      for (int s = static_cast<int>(type); s >= 0;
           s = vm.classes[static_cast<std::size_t>(s)].superclass)
        for (const std::string& field : vm.classes[static_cast<std::size_t>(s)].fields) {
          const std::string name = "T" + std::to_string(targets++);
          vm.set_field(object, static_cast<std::uint32_t>(s), field,
                       vm.add_object(vm.add_class("L" + name + ";")));
          expected[name] = field;
        }
    }
    FakeCapture capture(vm);
    REQUIRE(capture.run().ok());
    const Snapshot& s = capture.out.snapshot;
    int checked = 0;
    for (std::uint32_t v = 0; v < s.object_count(); ++v)
      for (std::uint32_t r = s.first_ref[v]; r < s.first_ref[v + 1]; ++r) {
        const auto found =
            expected.find(std::string(s.catalog.class_name(s.class_of[s.target[r].value])));
        if (found == expected.end()) continue;
        ++checked;
        if (found->second == "referent")
          CHECK(strength_of(s.label[r]) == Strength::kWeak);
        else
          CHECK(s.catalog.field_name(s.class_of[v], s.label[r].index()) == found->second);
      }
    CHECK(checked == targets);
  }
}

TEST_CASE("the fake VM numbers fields as the specification says") {
  FakeVm vm;
  const std::uint32_t i0 = vm.add_class("LI0;", 0, {"z"});
  const std::uint32_t i1 = vm.add_class("LI1;", 0, {"y"}, {i0});
  const std::uint32_t base = vm.add_class("LBase;", 0, {"a", "b"}, {i0});
  const std::uint32_t derived = vm.add_class("LDerived;", static_cast<int>(base), {"c"}, {i1});
  CHECK(vm.field_index(base, base, "a") == 1);
  CHECK(vm.field_index(derived, base, "a") == 2);
  CHECK(vm.field_index(derived, derived, "c") == 4);
}
