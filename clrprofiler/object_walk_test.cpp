#include "clrprofiler/object_walk.h"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "analysis/report/reader.h"
#include "analysis/report/report_generated.h"
#include "analysis/snapshot_file/snapshot_reader.h"
#include "clrprofiler/callback.h"
#include "clrprofiler/fake_monitored_heap.h"
#include "clrprofiler/heap/fake_recording.h"
#include "platforms/clock.h"
#include "platforms/comes_true_for_test.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::clr;
using platforms::comes_true;

namespace {

// Three orders in a chain with their customers, some references null, held in every way that there is.
struct Shop {
  platforms::ScratchDirectory scratch;
  FakeMonitoredHeap runtime;
  ClassID order = runtime.get("shop.Order");
  ClassID customer = runtime.get("shop.Customer");
  std::vector<ObjectID> orders;

  explicit Shop(int version = 11) {
    runtime.version = version;
    runtime.add_field(order, "customer", {0x06, ELEMENT_TYPE_OBJECT}, 8);
    runtime.add_field(order, "next", {0x06, ELEMENT_TYPE_OBJECT}, 16);
    runtime.lay_out(order, 32, {{8, 2}});
    for (int i = 0; i < 3; ++i) orders.push_back(runtime.add(order, 32));
    const ObjectID ann = runtime.add(customer, 24), bob = runtime.add(customer, 24);
    const ObjectID told = runtime.add(customer, 24);
    FakeMonitoredHeap::refer(orders[0], 1, ann);
    FakeMonitoredHeap::refer(orders[0], 2, orders[1]);
    FakeMonitoredHeap::refer(orders[1], 2, orders[2]);
    FakeMonitoredHeap::refer(orders[2], 1, bob);
    const FunctionID run = runtime.add_function(order, "Run");
    runtime.roots = {{orders[0], COR_PRF_GC_ROOT_STACK, 0, run},
                     {0, COR_PRF_GC_ROOT_STACK, 0, run},
                     {orders[1], COR_PRF_GC_ROOT_HANDLE, COR_PRF_GC_ROOT_PINNING, 0x7700},
                     {ann, COR_PRF_GC_ROOT_HANDLE, COR_PRF_GC_ROOT_WEAKREF, 0x7708},
                     {bob, COR_PRF_GC_ROOT_FINALIZER, 0, 0},
                     {orders[2], COR_PRF_GC_ROOT_OTHER, 0, 0}};
    runtime.dependents = {{orders[2], told}};
  }

  std::string options(const std::string& more) const {
    return std::string("memory=1g,control=off,pause=1h,snapshot=on,cooldown=0s,log=info:") +
           scratch.path() + "/log,dir=" + scratch.path() + "," + more;
  }
  void add_garbage() {
    for (int i = 0; i < 100; ++i) {
      runtime.add(order, 32);
      runtime.objects.back().dead = true;
    }
  }
  std::vector<std::string> files(const std::string& ending) const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
      if (entry.path().extension() == ending) found.push_back(entry.path());
    return found;
  }
  std::string log() const {
    std::ifstream file(std::string(scratch.path()) + "/log");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Loaded with the process, one dump at its start, and its end, which waits for the report.
  void run(const std::string& more) {
    REQUIRE(runtime.load(options("on=start," + more)) == S_OK);
    runtime.start_up();
    REQUIRE(comes_true([&] { return runtime.collections > 0 || !runtime.failing.empty(); }));
    runtime.shut_down();
  }
};

// What is read back of a dump.
struct Dump {
  analysis::ReportFile file;
  const report::Report* report = nullptr;

  explicit Dump(const Shop& shop) {
    const auto found = shop.files(".hfr");
    REQUIRE_MESSAGE(found.size() == 1, shop.log());
    auto opened = file.open(found[0].c_str());
    REQUIRE(opened.ok());
    report = *opened;
  }
  std::string text(std::uint32_t index) const { return report->strings()->Get(index)->str(); }
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> classes() const {
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> counts;
    for (const report::ClassRow* row : *report->classes())
      counts[text(row->name())] = {row->instances(), row->shallow_bytes()};
    return counts;
  }
  std::string notes() const {
    std::string all;
    for (const std::uint32_t note : *report->notes()) all += text(note) + "\n";
    return all;
  }
};

const std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> kCounted = {
    {"shop.Order", {3, 96}}, {"shop.Customer", {3, 72}}};

// "shop.Order.next>shop.Order", each reference once.
std::string lines(const std::multiset<std::string>& found) {
  std::string text;
  for (const std::string& line : found) text += line + "\n";
  return text;
}

std::multiset<std::string> references_of(const Snapshot& s) {
  std::multiset<std::string> found;
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    for (std::uint32_t i = s.first_ref[v]; i < s.first_ref[v + 1]; ++i) {
      const RefLabel label = s.label[i];
      const std::string name =
          label == special(SpecialRef::kDependent)
              ? "(dependent)"
              : std::string(s.catalog.field_name(s.class_of[v], label.index()));
      found.insert(std::string(s.catalog.class_name(s.class_of[v])) + "." + name + ">" +
                   std::string(s.catalog.class_name(s.class_of[s.target[i].value])));
    }
  return found;
}

std::multiset<std::string> roots_of(const Snapshot& s) {
  std::multiset<std::string> found;
  for (const RootRecord& root : s.roots) {
    std::string text(root_kind_name(root.kind));
    if (root.method.valid()) {
      const MethodRow& method = s.catalog.methods[root.method.value];
      text += " " + std::string(s.catalog.strings.view(method.class_name)) + "." +
              std::string(s.catalog.strings.view(method.name));
    }
    found.insert(text + ">" + std::string(s.catalog.class_name(s.class_of[root.object.value])));
  }
  return found;
}

void check_graph(const Shop& shop) {
  const Dump dump(shop);
  REQUIRE_MESSAGE(dump.report->graph() != nullptr, dump.notes());
  CHECK(dump.classes() == kCounted);
  const auto found = shop.files(".hfs");
  REQUIRE(found.size() == 1);
  analysis::SnapshotFile file;
  REQUIRE(file.open(found[0].c_str()).ok());
  const Snapshot& s = file.snapshot();
  CHECK(lines(references_of(s)) ==
        "shop.Order.(dependent)>shop.Customer\n"
        "shop.Order.customer>shop.Customer\nshop.Order.customer>shop.Customer\n"
        "shop.Order.next>shop.Order\nshop.Order.next>shop.Order\n");
  CHECK(lines(roots_of(s)) ==
        "VM internal>shop.Order\nfinalizer queue>shop.Customer\npinned handle>shop.Order\n"
        "stack local shop.Order.Run>shop.Order\n");
}

bool contains(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("an extended dump by calls: objects, references, roots, dependent handles") {
  for (const int version : {3, 4, 8, 11})
    for (const bool server : {false, true}) {
      CAPTURE(version);
      CAPTURE(server);
      Shop shop(version);
      shop.runtime.server = server;
      shop.run("dump=extended");
      check_graph(shop);
      CHECK(shop.runtime.open_handles() == 0);
      CHECK(contains(shop.log(), "concurrent collection is off in this process"));
    }
}

TEST_CASE("a simple dump is the same walk, counted") {
  for (const int version : {8, 11}) {
    Shop shop(version);
    shop.add_garbage();  // gone with the collection
    shop.run("dump=simple");
    const Dump dump(shop);
    CHECK(dump.report->graph() == nullptr);
    CHECK(dump.classes() == kCounted);
  }
}

TEST_CASE(
    "the flag is there at load and for one collection, and collections at rest tell nothing") {
  Shop shop;
  REQUIRE(shop.runtime.load(shop.options("on=off")) == S_OK);
  CHECK(shop.runtime.low_mask == (COR_PRF_MONITOR_GC | COR_PRF_MONITOR_MODULE_LOADS));
  CHECK_FALSE(shop.runtime.concurrent);
  shop.runtime.start_up();
  CHECK(shop.runtime.low_mask == 0);
  shop.runtime.collect(0, false);
  shop.runtime.collect(2, true);
  CHECK(shop.runtime.objects_told == 0);
  shop.runtime.shut_down();
}

TEST_CASE("the flag is taken away before and after the collection of a dump") {
  Shop dumped;
  dumped.run("dump=extended");
  const std::vector<std::uint32_t> masks = dumped.runtime.masks();
  std::vector<bool> told;
  for (const std::uint32_t mask : masks) told.push_back((mask & COR_PRF_MONITOR_GC) != 0);
  CHECK(told == std::vector<bool>{true, false, false, true, false, false});
  CHECK(masks.back() == 0);
  CHECK(dumped.runtime.collections.load() == 1);
}

TEST_CASE("walks of other collections are refused at their first object") {
  Shop shop;
  shop.runtime.before_forced = [&] {
    shop.add_garbage();
    shop.runtime.collect(0, false);
    shop.runtime.collect(1, true);
    shop.runtime.collect(2, false);  // for want of memory
    shop.add_garbage();
  };
  shop.runtime.after_forced = [&] {
    shop.add_garbage();
    shop.runtime.collect(0, false);
  };
  shop.run("dump=extended");
  check_graph(shop);
  CHECK(shop.runtime.walks_refused.load() == 4);
  CHECK(shop.runtime.objects_told.load() == 4 + 6);
  CHECK(contains(Dump(shop).notes(), "3 further walks of the heap came along"));
}

TEST_CASE("a whole collection that the application asked for is as good as ours") {
  Shop shop;
  shop.runtime.before_forced = [&] {
    shop.add_garbage();
    shop.runtime.collect(2, true);
  };
  shop.run("dump=extended");
  check_graph(shop);
  CHECK(shop.runtime.walks_refused.load() == 1);
}

TEST_CASE("collections of other threads all the while") {
  Shop shop;
  std::atomic<bool> ends{false};
  std::thread churn([&] {
    while (!ends) shop.runtime.collect(0, false);
  });
  shop.run("dump=extended");
  ends = true;
  churn.join();
  check_graph(shop);
}

TEST_CASE("attached, the flag is asked for at once, and concurrent collection is back afterwards") {
  Shop shop;
  REQUIRE(shop.runtime.attach(shop.options("on=start,dump=extended")) == S_OK);
  REQUIRE(comes_true([&] { return shop.files(".hfr").size() == 1; }));
  shop.runtime.shut_down();
  check_graph(shop);
  CHECK(shop.runtime.masks()[0] == COR_PRF_MONITOR_GC);
  CHECK(shop.runtime.masks()[1] == 0);
  CHECK(contains(shop.log(), "concurrent collection is off until the agent leaves"));
}

TEST_CASE("where concurrent collection stays on there are no dumps, and one line says why") {
  Shop shop;
  shop.runtime.can_turn_concurrent_off = false;
  REQUIRE(shop.runtime.attach(shop.options("on=start,dump=extended")) == S_OK);
  CHECK(contains(shop.log(),
                 "no heap dumps here: the runtime does not turn concurrent collection "
                 "off (0x80131376)"));
  REQUIRE(comes_true([&] { return contains(shop.log(), "no dump: this runtime tells its heap"); }));
  shop.runtime.shut_down();
  CHECK(shop.files(".hfr").empty());
  CHECK(shop.runtime.collections == 0);
  CHECK(shop.runtime.low_mask == 0);
}

TEST_CASE("a collection that is refused makes no dump, and does no harm") {
  Shop shop;
  shop.runtime.fail("ForceGC", E_FAIL);
  shop.run("dump=extended");
  CHECK(shop.files(".hfr").empty());
  CHECK(shop.runtime.low_mask == 0);
}

TEST_CASE("a collection that does not happen is asked for again") {
  Shop shop;
  shop.runtime.ignored_forces = 7;
  shop.run("dump=extended");
  check_graph(shop);
}

TEST_CASE("collections that never happen make no dump") {
  Shop shop;
  shop.runtime.ignored_forces = 1000;
  REQUIRE(shop.runtime.load(shop.options("on=start,dump=extended")) == S_OK);
  shop.runtime.start_up();
  REQUIRE(comes_true([&] { return shop.runtime.masks().size() >= 6; }));
  shop.runtime.shut_down();
  CHECK(shop.files(".hfr").empty());
  CHECK(shop.runtime.low_mask == 0);
}

TEST_CASE("a collection that does not come is given up, and until it has there is no other") {
  constexpr std::uint64_t kSoonNs = 100'000'000;
  Shop shop;
  shop.runtime.concurrent = false;
  std::atomic<bool> go{false};
  const auto wait_until_let_go = [&] {
    while (!go) platforms::sleep_ns(1'000'000);
  };
  ProfilerInfo info;
  REQUIRE(info.open(shop.runtime.unknown()).ok());
  ForcedCollection collection({kSoonNs, kSoonNs});
  const auto walk_once = [&] {
    FakeRecording recorded;
    HeapRecorder recorder(recorded.recording(), HeapRecorder::Objects::kRead);
    StaticList statics;
    return ObjectWalk(info, collection, recorder, statics, {}).run();
  };
  shop.runtime.before_forced = wait_until_let_go;
  const Result<void> given_up = walk_once();
  REQUIRE_FALSE(given_up);
  CHECK(given_up.error().code == ErrorCode::kDeadline);
  CHECK(collection.stuck());
  CHECK((shop.runtime.low_mask & COR_PRF_MONITOR_GC) == 0);
  const Result<void> refused = walk_once();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kRefused);
  go = true;
  collection.close();
  CHECK(shop.runtime.objects_told == 0);  // nobody wants to know any more
  CHECK(walk_once().ok());
  // The walk is there, and only ForceGC does not come back.
  go = false;
  shop.runtime.before_forced = {};
  shop.runtime.after_forced = wait_until_let_go;
  CHECK(walk_once().ok());
  CHECK(collection.stuck());
  go = true;
  collection.close();
}

TEST_CASE("without any flags the agent stays off") {
  Shop shop;
  shop.runtime.fail("SetEventMask", E_FAIL);
  CHECK(shop.runtime.load(shop.options("on=start")) == CORPROF_E_PROFILER_CANCEL_ACTIVATION);
}

TEST_CASE("objects without a size make no graph") {
  Shop shop;
  shop.runtime.fail("GetObjectSize", E_FAIL);
  shop.run("dump=extended");
  const Dump dump(shop);
  CHECK(dump.report->graph() == nullptr);
  CHECK(contains(dump.notes(), "no object graph: the runtime's heap events contradict themselves"));
}

TEST_CASE("static fields are listed before the collection, and read in it") {
  for (const int version : {8, 11}) {
    Shop shop(version);
    FakeMonitoredHeap& runtime = shop.runtime;
    const ClassID till = runtime.get("shop.Till");
    const auto field = [&](const char* name, CorElementType type) {
      const mdFieldDef token =
          runtime.add_field(till, name, {0x06, static_cast<std::uint8_t>(type)}, 0, fdStatic);
      runtime.statics.push_back({till, token, 0});
      return &runtime.statics.back().slot;
    };
    std::uint64_t* open = field("open", ELEMENT_TYPE_OBJECT);
    *field("last", ELEMENT_TYPE_CLASS) = shop.orders[2];
    *field("number", ELEMENT_TYPE_I8) = 42;
    *field("box", ELEMENT_TYPE_VALUETYPE) = 43;
    field("nothing", ELEMENT_TYPE_OBJECT);
    *open = shop.orders[2];
    runtime.before_forced = [&] {  // long after the list was made
      runtime.collect(0, false);
      *open = shop.orders[1];
    };
    shop.run("dump=extended");
    const Dump dump(shop);
    REQUIRE_MESSAGE(dump.report->graph() != nullptr, dump.notes());
    analysis::SnapshotFile file;
    REQUIRE(file.open(shop.files(".hfs")[0].c_str()).ok());
    std::string found;
    for (const RootRecord& root : file.snapshot().roots) {
      if (root.kind != RootKind::kStaticField) continue;
      const Catalog& catalog = file.snapshot().catalog;
      const MethodRow& row = catalog.methods[root.method.value];
      found += std::string(catalog.strings.view(row.class_name)) + "." +
               std::string(catalog.strings.view(row.name)) + " ";
      std::uint32_t edges = file.snapshot().first_ref[root.object.value + 1] -
                            file.snapshot().first_ref[root.object.value];
      found += std::to_string(edges) + "\n";  // orders[1] has one reference, orders[2] two
    }
    CHECK(found == "shop.Till.open 1\nshop.Till.last 2\n");
    CHECK(runtime.open_handles() == 0);
  }
}

TEST_CASE("calls that come while nobody asks are answered") {
  ICorProfilerCallback& callback = callback_object();
  BOOL collected[5] = {1, 1, 1, 1, 1};
  ObjectID object = 8;
  COR_PRF_GC_ROOT_KIND kind = COR_PRF_GC_ROOT_STACK;
  COR_PRF_GC_ROOT_FLAGS flags{};
  UINT_PTR id = 0;
  GCHandleID handle = 0;
  CHECK(callback.GarbageCollectionStarted(5, collected, COR_PRF_GC_INDUCED) == S_OK);
  CHECK(callback.ObjectReferences(object, 0, 0, nullptr) == E_FAIL);
  CHECK(callback.RootReferences2(1, &object, &kind, &flags, &id) == S_OK);
  CHECK(callback.ConditionalWeakTableElementReferences(1, &object, &object, &handle) == S_OK);
  CHECK(callback.GarbageCollectionFinished() == S_OK);
}
