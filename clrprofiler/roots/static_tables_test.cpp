#include "clrprofiler/roots/static_tables.h"

#include <doctest/doctest.h>

#include <set>

#include "clrprofiler/heap/fake_recording.h"
#include "clrprofiler/heap/heap_graph.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

constexpr RecordedRoot kLike{0, 42, 0, 0x100};
constexpr std::uint64_t kFirstElement = 16;  // behind the method table and the length

// Told slots lie in the tables; anything else holds objects in its own name.
struct Tables {
  FakeRecording recorded;
  FakeClrHeap heap;

  void table(std::uint64_t address, std::vector<std::uint64_t> values) {
    heap.objects.push_back({address, kFirstElement + 8 * 100, 7, std::move(values)});
  }
  void object(std::uint64_t address) { heap.objects.push_back({address, 24, 8, {}}); }
  std::set<std::uint64_t> find(std::vector<StaticSlot> told) {
    recorded.play(fake_forced_walk(heap));
    HeapRecording& recording = recorded.recording();
    REQUIRE(recording.whole());
    Arena& arena = recorded.memory().work_arena();
    REQUIRE(HeapGraph::read(recording, {}, arena, CancelToken{}).ok());
    const std::size_t before = recording.roots.size();
    const auto added = add_untold_statics(recording, told, kLike, arena);
    REQUIRE(added.ok());
    CHECK(*added == recording.roots.size() - before);
    std::set<std::uint64_t> found;
    for (std::size_t i = before; i < recording.roots.size(); ++i) {
      CHECK(recording.roots[i].id == kLike.id);
      CHECK(recording.roots[i].kind == kLike.kind);
      found.insert(recording.roots[i].object);
    }
    return found;
  }
};

}  // namespace

TEST_CASE("static tables: what a table holds beside what was told is a static variable, too") {
  Tables t;
  t.object(0x1000);
  t.object(0x1018);
  t.object(0x1030);
  t.table(0x100000, {0x1000, 0x1018});
  t.table(0x200000, {0x1030});  // an array of the application's own
  CHECK(t.find({{0x100000 + kFirstElement + 80, 0x1000, u"Told"}}) ==
        std::set<std::uint64_t>{0x1018});
}

TEST_CASE("static tables: every table with a told slot, whatever lies around it") {
  Tables t;
  for (std::uint64_t i = 0; i < 6; ++i) t.object(0x1000 + 24 * i);
  t.table(0x100000, {0x1000, 0x1018});
  t.table(0x100000 + kFirstElement + 800, {0x1030, 0x1048});
  t.table(0x100000 + 2 * (kFirstElement + 800), {0x1060, 0x1078, 0x1060});
  CHECK(t.find({{0x100000 + kFirstElement, 0x1000, u"A"},
                {0x100000 + 3 * (kFirstElement + 800) - 8, 0x1078, u"B"}}) ==
        std::set<std::uint64_t>{0x1018, 0x1060});
}

TEST_CASE(
    "static tables: one without a told slot, between others and held by a handle that does not "
    "pin") {
  Tables t;
  for (std::uint64_t i = 0; i < 5; ++i) t.object(0x1000 + 24 * i);
  constexpr std::uint64_t kNext = kFirstElement + 800;
  t.table(0x100000, {0x1000});
  t.table(0x100000 + kNext, {0x1018});      // of generic types alone
  t.table(0x100000 + 2 * kNext, {0x1030});  // pinned: an application's
  t.table(0x100000 + 3 * kNext, {0x1048});  // nobody's handle
  t.table(0x900000, {0x1060});              // elsewhere
  t.heap.roots = {{0x100000, EventRootKind::kHandle},
                  {0x100000 + kNext, EventRootKind::kHandle},
                  {0x100000 + 2 * kNext, EventRootKind::kHandle, kRootPinning},
                  {0x900000, EventRootKind::kHandle}};
  CHECK(t.find({{0x100000 + kFirstElement, 0x1000, u"Told"}}) == std::set<std::uint64_t>{0x1018});
}

TEST_CASE("static tables: none was told, or they lie outside of the heap") {
  Tables t;
  t.object(0x1000);
  t.table(0x100000, {0x1000});
  CHECK(t.find({{0x7000, 0x1000, u"Outside"}}).empty());
}
