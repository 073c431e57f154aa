#include "clrprofiler/roots/dump_roots.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "clrprofiler/heap/fake_recording.h"
#include "clrprofiler/heap/heap_events.h"
#include "clrprofiler/roots/fake_process.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

constexpr ModuleID kShop = 0x7000;

// A process with two threads and a class, and what a collection of it would have told.
struct Bench {
  FakeProcess process;
  FakeRecording recorded;
  DumpRoots roots;
  Notes notes;
  Catalog catalog;

  Bench() {
    process.threads = {{0x10, 0, {5, 6}}, {0x20, 0, {6, 7}}};
    process.compiled = {0, 0, 0, 0, 0, 0, 0};
    process.modules = {
        {kShop,
         0,
         {{0x100, 0, {{u"s_entries", fdStatic, {0x06, ELEMENT_TYPE_OBJECT}, 0x9000}}, 0}}}};
    process.compiled.push_back(0x100);
  }

  HeapRecording& heap() { return recorded.recording(); }
  void stack_root(std::uint64_t object, std::uint64_t function) {
    REQUIRE(heap().roots.push(
        {object, function, 0, static_cast<std::uint32_t>(EventRootKind::kStack)}));
  }
  void static_variable(std::uint64_t slot, std::uint64_t object, const std::u16string& name,
                       std::uint32_t flags = 0) {
    const auto at = static_cast<std::uint32_t>(heap().names.size());
    for (const char16_t unit : name) REQUIRE(heap().names.push(unit));
    REQUIRE(heap().statics.push(
        {slot, object, 0x100, flags, at, static_cast<std::uint32_t>(name.size())}));
  }
  void run() {
    CaptureMemory& memory = recorded.memory();
    roots.look(process.info(), UINT64_MAX, memory.work_arena(), notes);
    REQUIRE(roots.match(heap(), memory.work_arena()).ok());
    Modules modules;
    ClassReader reader;
    REQUIRE(modules.open(process.info(), memory.work_arena()).ok());
    REQUIRE(reader.open(process.info(), modules, memory.work_arena()).ok());
    const NameRoom room = roots.room();
    auto strings = StringTable::make(memory.catalog_arena(), room.names + 8, room.text_bytes + 64);
    REQUIRE(strings.ok());
    catalog.strings = *strings;
    REQUIRE(roots.name(reader, heap(), memory, catalog, notes).ok());
  }
  // Of the i-th root of the recording.
  RootRecord described(std::size_t i) {
    RootRecord record;
    roots.describe(heap().roots[i], record);
    return record;
  }
  std::string_view method_name(const RootRecord& record) {
    return catalog.strings.view(catalog.methods[record.method.value].name);
  }
};

}  // namespace

TEST_CASE("dump roots: threads and frames of stack roots, classes and fields of static ones") {
  Bench bench;
  bench.stack_root(0x1000, 5);
  bench.stack_root(0x1008, 6);
  REQUIRE(bench.heap().roots.push(
      {0x1010, 0x77, 3, static_cast<std::uint32_t>(EventRootKind::kHandle)}));
  bench.stack_root(0x1018, 7);
  bench.stack_root(0x1020, 99);
  bench.stack_root(0x1028, 0);
  bench.static_variable(0x9000, 0x2000, u"s_entries");
  bench.static_variable(0x9008, 0x2008, u"t_own", kStaticThreadLocal);
  bench.static_variable(0x9010, 0x2010, u"s_nobody's");
  bench.run();

  CHECK(bench.roots.stack_roots() == 5);
  CHECK(bench.roots.matched_roots() == 3);
  CHECK(bench.described(0).thread == ThreadId{0});
  CHECK(bench.described(0).depth == 0);
  CHECK(bench.described(1).thread == ThreadId{0});
  CHECK(bench.described(1).depth == 1);
  CHECK(bench.described(3).thread == ThreadId{1});
  CHECK(bench.described(3).depth == 1);
  CHECK(bench.described(4).method.valid());  // a function whose thread is not known
  CHECK_FALSE(bench.described(4).thread.valid());
  CHECK_FALSE(bench.described(5).method.valid());
  CHECK(bench.described(0).method != bench.described(1).method);

  REQUIRE(bench.heap().roots.size() == 8);
  const RootRecord handle = bench.described(2);
  CHECK_FALSE(handle.method.valid());
  CHECK(bench.heap().roots[2].flags == 3);
  const RootRecord known = bench.described(6);
  CHECK(bench.heap().roots[6].object == 0x2000);
  CHECK(known.kind == RootKind::kStaticField);
  CHECK(bench.method_name(known) == "s_entries");
  CHECK(bench.catalog.methods[known.method.value].class_name != StringId{0});
  const RootRecord unknown = bench.described(7);
  CHECK(bench.heap().roots[7].object == 0x2010);
  CHECK(unknown.kind == RootKind::kStaticField);
  CHECK(bench.method_name(unknown) == "s_nobody's");
  CHECK(bench.catalog.strings.view(bench.catalog.methods[unknown.method.value].class_name).empty());

  CHECK(bench.catalog.threads.size() == 2);
  CHECK(bench.catalog.methods.size() == 4 + 2 + 1);
  CHECK(bench.roots.owners().by_address == 1);
  CHECK(bench.notes.all().empty());
  CHECK(bench.process.loads == 0);
}

TEST_CASE("dump roots: without stacks there are functions alone, and a note") {
  Bench bench;
  bench.process.suspend_answer = E_FAIL;
  bench.stack_root(0x1000, 5);
  bench.run();
  CHECK(bench.described(0).method.valid());
  CHECK_FALSE(bench.described(0).thread.valid());
  REQUIRE(bench.notes.all().size() == 1);
  CHECK(std::string(bench.notes.all()[0].text).find("GC roots on stacks have no threads") == 0);
}

TEST_CASE("dump roots: nothing to tell") {
  Bench bench;
  bench.process.threads.clear();
  bench.run();
  CHECK(bench.catalog.methods.size() == 1);
  CHECK(bench.catalog.threads.empty());
  CHECK(bench.roots.stack_roots() == 0);
}
