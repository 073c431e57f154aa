// A heap to read in tests: a shop, in a fake VM; and one reading of it.
// Shape:  read(): both ways, and how the VM ends its records; lines_of() of what came of it.   Zone: tests.   Errors: those of the reading.
#pragma once

#include "jvmpi/heap/read_heap_fixture.h"

namespace holdfast::jvmpi {

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

inline Read read(ReadHeap& bench, bool one_buffer, bool ask_roots = true,
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

inline bool has(const Read& of, const std::string& line) {
  return std::find(of.lines.begin(), of.lines.end(), line) != of.lines.end();
}

inline std::vector<std::string> lines_with(const Read& of, const std::string& begin) {
  std::vector<std::string> lines;
  for (const auto& line : of.lines)
    if (line.starts_with(begin)) lines.push_back(line);
  return lines;
}

}  // namespace holdfast::jvmpi
