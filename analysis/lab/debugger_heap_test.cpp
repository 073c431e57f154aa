#include "analysis/lab/debugger_heap.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "analysis/lab/random.h"
#include "analysis/lab/test_heap.h"

using namespace holdfast;
using namespace holdfast::analysis;
using namespace holdfast::analysis::lab;

namespace {

// What a debugger would see of a snapshot: other numbers, other order of references.
DebuggerHeap seen(const Snapshot& s, std::uint64_t seed) {
  std::vector<std::uint32_t> number(s.object_count());
  std::iota(number.begin(), number.end(), 0u);
  Random random(seed);
  for (std::uint32_t i = s.object_count(); i > 1; --i)
    std::swap(number[i - 1], number[random.below(i)]);
  DebuggerHeap heap;
  heap.objects.resize(s.object_count());
  for (std::uint32_t c = 0; c < s.catalog.class_count(); ++c)
    heap.types.emplace_back(s.catalog.class_name(ClassId{c}));
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    auto& object = heap.objects[number[v]];
    object = {0x1000u + v * 64u, s.shallow_bytes(ObjectId{v}), s.class_of[v].value, true, {}};
    for (std::uint32_t i = s.first_ref[v + 1]; i > s.first_ref[v]; --i)
      object.referents.push_back(number[s.target[i - 1].value]);
  }
  return heap;
}

void shop(TestHeap& heap) {
  const ClassId session = heap.klass("shop.Session", {"user", "next"});
  const ClassId user = heap.klass("shop.User");
  ObjectId next{};
  for (int i = 0; i < 10; ++i) {
    const ObjectId one = heap.object(session, 48);
    heap.field(one, "user", heap.object(user, i < 5 ? 24 : 32));
    if (next.valid()) heap.field(one, "next", next);
    next = one;
  }
  heap.root(next, RootKind::kOther);
}

template <class T>
void put(std::vector<std::byte>& file, T value) {
  const auto* from = reinterpret_cast<const std::byte*>(&value);
  file.insert(file.end(), from, from + sizeof value);
}

void put_text(std::vector<std::byte>& file, std::string_view text) {
  for (const char c : text) file.push_back(static_cast<std::byte>(c));
}

// Two objects of "Key" and "Value"; the first refers to itself, and a dependent handle holds the second by it.
std::vector<std::byte> small_file() {
  std::vector<std::byte> file;
  put_text(file, "HFDBGHP1");
  put<std::uint32_t>(file, 2);
  for (const std::string_view name : {"Key", "Value"}) {
    put(file, static_cast<std::uint32_t>(name.size()));
    put_text(file, name);
  }
  put<std::uint32_t>(file, 2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    put<std::uint64_t>(file, 0x1000 + 24 * i);
    put<std::uint32_t>(file, i);
    put<std::uint64_t>(file, 24);
    put<std::uint8_t>(file, i == 0 ? 1 : 0);
    put<std::uint32_t>(file, i == 0 ? 1 : 0);
    if (i == 0) put<std::uint32_t>(file, 0);
  }
  put<std::uint32_t>(file, 1);
  put<std::uint32_t>(file, 0);
  put<std::uint32_t>(file, 1);
  return file;
}

}  // namespace

TEST_CASE("debugger heap: the same objects in another order are the same") {
  TestHeap heap;
  shop(heap);
  const Snapshot s = heap.snapshot();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const DebuggerComparison result = compare_with_debugger(s, seen(s, seed));
    CHECK(result.same());
    CHECK(result.lines.empty());
    CHECK(result.depths.back().alike == s.object_count());
  }
}

TEST_CASE("debugger heap: every reference, size and class that differs is seen") {
  TestHeap heap;
  shop(heap);
  const Snapshot s = heap.snapshot();
  const DebuggerHeap same = seen(s, 1);
  for (std::size_t v = 0; v < same.objects.size(); ++v) {
    DebuggerHeap other = same;
    other.objects[v].shallow_bytes += 8;
    CHECK_FALSE(compare_with_debugger(s, other).same());
    other = same;
    other.objects[v].type ^= 1;
    CHECK_FALSE(compare_with_debugger(s, other).same());
    for (std::size_t i = 0; i < same.objects[v].referents.size(); ++i) {
      other = same;
      other.objects[v].referents.erase(other.objects[v].referents.begin() +
                                       static_cast<std::ptrdiff_t>(i));
      CHECK_FALSE(compare_with_debugger(s, other).same());
      other = same;
      other.objects[v].referents.push_back(other.objects[v].referents[i]);
      const DebuggerComparison twice = compare_with_debugger(s, other);
      CHECK_FALSE(twice.same());
      CHECK(twice.depths[0].only_in_snapshot == 0);  // a reference is nothing that depth 0 sees
      CHECK(twice.depths[1].only_in_snapshot == 1);
    }
  }
}

TEST_CASE(
    "debugger heap: garbage of the debugger's is no difference, and nothing else is excused") {
  TestHeap heap;
  shop(heap);
  const Snapshot s = heap.snapshot();
  DebuggerHeap more = seen(s, 1);
  more.objects.push_back({0x9000, 64, 0, false, {3}});
  DebuggerComparison result = compare_with_debugger(s, more);
  CHECK(result.same());
  CHECK(result.depths.back().only_unreached == 1);
  more.objects.back().reached = true;
  result = compare_with_debugger(s, more);
  CHECK_FALSE(result.same());
  REQUIRE(result.lines.size() == 1);
  CHECK(result.lines[0].find("only in the debugger: ") == 0);
  more.objects.erase(more.objects.begin(), more.objects.end());
  CHECK_FALSE(compare_with_debugger(s, more).same());
}

TEST_CASE("debugger heap: the file is read, and refused when cut at any byte") {
  const std::vector<std::byte> file = small_file();
  const auto heap = read_debugger_heap(file);
  REQUIRE(heap);
  CHECK(heap->types == std::vector<std::string>{"Key", "Value"});
  CHECK(heap->objects[0].referents == std::vector<std::uint32_t>{0, 1});
  CHECK(heap->objects[0].reached);
  CHECK(heap->objects[1].address == 0x1018);
  for (std::size_t size = 0; size < file.size(); ++size)
    CHECK_FALSE(read_debugger_heap(std::span(file).first(size)));
  for (std::size_t i = 0; i < file.size(); ++i) {  // any number may be wrong; none leads outside
    std::vector<std::byte> damaged = file;
    damaged[i] ^= std::byte{0xFF};
    if (const auto other = read_debugger_heap(damaged))
      for (const auto& object : other->objects)
        CHECK(std::all_of(object.referents.begin(), object.referents.end(),
                          [&](std::uint32_t r) { return r < other->objects.size(); }));
  }
}
