#include "analysis/reachable/reachable_findings.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_heap.h"
#include "analysis/reachable/hidden_objects.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;

namespace {

constexpr StrengthSet kHolding = holding_strengths(kRetainStrong | kRetainSoft);

struct Found {
  explicit Found(const Snapshot& s, const ReachableLimits& limits = {},
                 std::span<const ObjectId> wanted = {},
                 std::span<const SuspectResult> suspects = {})
      : snapshot(s), heap(s, kHolding) {
    Arena& arena = AnalysedHeap::arena();
    const ReachableQuestion question{s, heap.dominators, wanted, suspects};
    const auto room = AnalysedHeap::or_abort(ReachableRoom::make(question, arena));
    const Arena::Mark end_of_room = arena.mark();
    const auto condensation =
        AnalysedHeap::or_abort(condense(heap.references, {kHolding}, arena, heap.cancel));
    const std::size_t used = arena.used_bytes();
    found = AnalysedHeap::or_abort(
        find_reachable(question, condensation, limits, room, arena, heap.cancel));
    CHECK(arena.used_bytes() == used);  // nothing but the room is left
    arena.rewind(end_of_room);
  }
  std::uint64_t bytes_of(ObjectId object) const {
    for (const ReachableFigure& row : found.objects)
      if (row.object == object) return row.bytes;
    return 0;
  }
  bool hides(std::initializer_list<ObjectId> objects) const {
    return std::equal(found.hidden.begin(), found.hidden.end(), objects.begin(), objects.end());
  }

  const Snapshot& snapshot;
  AnalysedHeap heap;
  ReachableFindings found;
};

// Two holders of the same buffer, of `bytes`, and as much again that only a third one holds.
struct SharedBuffer {
  explicit SharedBuffer(std::uint64_t bytes) {
    const ClassId array = heap.klass("byte[]");
    buffer = heap.object(array, bytes);
    writer = heap.object(heap.klass("shop.Writer", {"buffer"}), 24);
    reader = heap.object(heap.klass("shop.Reader", {"buffer"}), 32);
    heap.field(writer, "buffer", buffer);
    heap.field(reader, "buffer", buffer);
    heap.root(writer, RootKind::kJniGlobal);
    heap.root(reader, RootKind::kJniGlobal);
    other = heap.object(array, 2 * bytes);
    heap.root(other, RootKind::kJniGlobal);
  }
  lab::TestHeap heap;
  ObjectId buffer, writer, reader, other;
};

// The rules of hidden_objects.h, read off one after the other.
class NaiveHidden {
 public:
  explicit NaiveHidden(const Snapshot& s) : s_(s), d_(lab::naive_dominators(s, kHolding)) {
    for (std::uint32_t v = 0; v < s.object_count(); ++v) {
      reached_.push_back(reached_from(v));
      if (is_held(v)) held_bytes_ += s.shallow_bytes(ObjectId{v});
    }
  }
  std::vector<std::uint32_t> all() const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t v = 0; v < s_.object_count(); ++v)
      if (is_held(v) && is_hidden(v) && stands_for_its_component(v)) found.push_back(v);
    std::ranges::stable_sort(found, std::ranges::greater{},
                             [this](std::uint32_t v) { return bytes(v) - d_.retained_bytes[v]; });
    std::map<std::uint32_t, std::uint32_t> of_class;
    std::erase_if(found, [&](std::uint32_t v) {
      return ++of_class[s_.class_of[v].value] > kMaxHiddenOfClass;
    });
    if (found.size() > kMaxHiddenObjects) found.resize(kMaxHiddenObjects);
    return found;
  }
  std::uint64_t bytes(std::uint32_t v) const {
    std::uint64_t sum = 0;
    for (std::uint32_t w = 0; w < s_.object_count(); ++w)
      if (reached_[v][w]) sum += s_.shallow_bytes(ObjectId{w});
    return sum;
  }

 private:
  std::vector<bool> reached_from(std::uint32_t from) const {
    std::vector<bool> met(s_.object_count());
    std::vector<std::uint32_t> stack{from};
    met[from] = true;
    while (!stack.empty()) {
      const std::uint32_t v = stack.back();
      stack.pop_back();
      for (const lab::NaiveEdge& edge : lab::naive_row(s_, v)) {
        if (edge.implied || (kHolding & strength_bit(edge.strength)) == 0 || met[edge.to]) continue;
        met[edge.to] = true;
        stack.push_back(edge.to);
      }
    }
    return met;
  }
  bool is_held(std::uint32_t v) const { return d_.idom[v] != ObjectId::kNoneValue; }
  bool reaches_nearly_all(std::uint64_t reached) const {
    std::uint64_t most = 0;
    for (std::uint32_t v = 0; v < s_.object_count(); ++v)
      if (is_held(v)) most = std::max(most, bytes(v));
    return 2 * reached > held_bytes_ && 10 * reached >= 9 * most;
  }
  bool gathers(std::uint32_t v) const {
    const auto targets = s_.target.subspan(s_.first_ref[v], s_.first_ref[v + 1] - s_.first_ref[v]);
    return std::ranges::none_of(
        targets, [&](ObjectId target) { return 2 * bytes(target.value) > bytes(v); });
  }
  bool is_hidden(std::uint32_t v) const {
    const std::uint64_t reached = bytes(v);
    if (reached < 2 * d_.retained_bytes[v] || (reaches_nearly_all(reached) && !gathers(v)) ||
        200 * (reached - d_.retained_bytes[v]) < held_bytes_)
      return false;
    std::uint32_t above = d_.idom[v];
    if (above != Dominators::kRoot && !reaches_nearly_all(bytes(above)) &&
        4 * bytes(above) <= 5 * reached)
      return false;
    while (above != Dominators::kRoot && d_.retained_bytes[above] < reached) above = d_.idom[above];
    const bool shown = above != Dominators::kRoot && d_.retained_bytes[above] < 2 * reached;
    return !shown || (is_own(v) && gathers(v));
  }
  bool is_own(std::uint32_t v) const {
    const ClassId id = s_.class_of[v];
    return id.valid() && (s_.catalog.classes[id.value].flags & (kClassPlatform | kClassClass)) == 0;
  }
  bool stands_for_its_component(std::uint32_t v) const {
    for (std::uint32_t w = 0; w < s_.object_count(); ++w) {
      if (!reached_[v][w] || !reached_[w][v] || !is_held(w)) continue;
      if (d_.retained_bytes[w] > d_.retained_bytes[v] ||
          (d_.retained_bytes[w] == d_.retained_bytes[v] && w < v))
        return false;
    }
    return true;
  }

  const Snapshot& s_;
  lab::NaiveDominators d_;
  std::vector<std::vector<bool>> reached_;
  std::uint64_t held_bytes_ = 0;
};

}  // namespace

TEST_CASE("reachable: what two holders share is shown, and nothing else") {
  SharedBuffer shared(100'000);
  const Snapshot s = shared.heap.snapshot();
  const ObjectId wanted[] = {shared.other, shared.reader};
  const Found f(s, {}, wanted);
  CHECK(f.hides({shared.writer, shared.reader}));
  CHECK(f.bytes_of(shared.reader) == 100'032);
  CHECK(f.bytes_of(shared.writer) == 100'024);
  CHECK(f.bytes_of(shared.other) == 200'000);
  CHECK(f.found.objects.size() == 3);  // the reader once
  CHECK(f.found.components == s.object_count());
  CHECK(f.found.shared == 1);
  CHECK(f.found.estimated_objects == 0);
  CHECK(f.found.reason == EstimateReason::kNone);
  CHECK(f.found.classes[s.class_of[shared.other.value].value].largest_bytes == 200'000);
  CHECK(f.found.retained_sum == 100'000 + 24 + 32 + 200'000);
  CHECK(f.found.reachable_sum == 100'000 + 100'024 + 100'032 + 200'000);
}

TEST_CASE("reachable: held objects by how much more they reach than they retain") {
  for (std::size_t i = 0; i < kDifferenceLimits.size(); ++i) {
    CAPTURE(i);
    const std::uint64_t least = i == 0 ? 8 : kDifferenceLimits[i - 1];
    SharedBuffer shared(least);
    shared.heap.object(shared.heap.klass("shop.Garbage"), 64);
    const Found f(shared.heap.snapshot());
    std::uint64_t sum = 0;
    for (const std::uint64_t objects : f.found.differences) sum += objects;
    CHECK(sum == 4);  // the garbage is not held
    CHECK(f.found.differences[i] == (i == 0 ? 4 : 2));
    CHECK(f.found.differences[0] == (i == 0 ? 4 : 2));
  }
}

TEST_CASE(
    "reachable: more retained than reached, by references to class objects, is no difference") {
  lab::TestHeap heap;
  const ClassId plugin = heap.klass("shop.Plugin");
  const ObjectId statics = heap.object(heap.klass("byte[]"), 50'000);
  const ObjectId mirror = heap.object(heap.klass("java.lang.Class"), 64);
  heap.row(plugin).mirror = mirror;  // no root: its loader holds it no more
  heap.refer(mirror, statics, RefLabel::static_field(0));
  const ObjectId object = heap.object(plugin, 16);
  heap.root(object, RootKind::kJniGlobal);
  const ObjectId wanted[] = {object};
  const Found f(heap.snapshot(), {}, wanted);
  CHECK(f.heap.dominators.retained_bytes[object.value] == 50'080);
  CHECK(f.bytes_of(object) == 16);
  CHECK(f.found.differences[0] == 3);
  CHECK(f.found.hidden.empty());
}

TEST_CASE(
    "hidden: not what the dominator shows, not the end of a chain, not what reaches most of the "
    "heap") {
  lab::TestHeap heap;
  const ClassId node = heap.klass("shop.Node", {"next", "previous", "value"});
  const ClassId list = heap.klass("shop.List", {"first"});
  const ClassId bytes = heap.klass("byte[]");
  const ObjectId held =
      heap.object(list, 24);  // all its nodes reach each other, and it retains them
  heap.root(held, RootKind::kJniGlobal);
  ObjectId last = held;
  for (int i = 0; i < 10; ++i) {
    const ObjectId next = heap.object(node, 32);
    heap.field(last, i == 0 ? "first" : "next", next);
    if (i > 0) heap.field(next, "previous", last);
    heap.field(next, "value", heap.object(bytes, 1000));
    last = next;
  }
  const ObjectId shared = heap.object(bytes, 5000);
  const ClassId map = heap.klass("shop.Map", {"table"}), table = heap.klass("shop.Table", {"data"});
  ObjectId maps[2];
  for (ObjectId& one : maps) {
    one = heap.object(map, 48);
    const ObjectId inside = heap.object(table, 64);
    heap.root(one, RootKind::kJniGlobal);
    heap.field(one, "table", inside);
    heap.field(inside, "data", shared);
  }
  {
    const Found f(heap.snapshot());
    CHECK(f.hides({maps[0], maps[1]}));
  }
  const ObjectId third = heap.object(map, 48);
  heap.root(third, RootKind::kJniGlobal);
  heap.field(third, "table", shared);
  {
    const Found f(heap.snapshot());
    CHECK(f.hides({maps[0], maps[1]}));  // two of a class, those of which the difference is larger
  }
  const ObjectId all = heap.object(heap.klass("shop.All", {"list", "map"}), 24);
  heap.root(all, RootKind::kJniGlobal);
  heap.field(all, "list", held);
  heap.field(all, "map", maps[0]);
  const Found f(heap.snapshot());
  CHECK(std::ranges::find(f.found.hidden, all) == f.found.hidden.end());
}

TEST_CASE("hidden: a buffer and a list that share most of the heap (seed 000, figure 2.3)") {
  lab::TestHeap heap;
  const ClassId array = heap.klass("java.lang.Object[]"), session = heap.klass("shop.Session");
  const ObjectId buffer = heap.object(array, 4000), list = heap.object(array, 4000);
  for (std::uint32_t i = 0; i < 100; ++i) {
    const ObjectId one = heap.object(session, 1000);
    heap.element(buffer, i, one);
    heap.element(list, i, one);
  }
  const ClassId holder = heap.klass("shop.Holder", {"objects"});
  for (const ObjectId table : {buffer, list}) {
    const ObjectId above = heap.object(holder, 16);
    heap.field(above, "objects", table);
    heap.root(above, RootKind::kJniGlobal);
  }
  const Found f(heap.snapshot());
  CHECK(f.hides({buffer, list}));
}

TEST_CASE("hidden: a buffer and a list that one server holds, and share all that it retains") {
  lab::TestHeap heap;
  const ObjectId server = heap.object(heap.klass("shop.Server", {"buffer", "list"}), 24);
  heap.root(server, RootKind::kJniGlobal);
  const ObjectId buffer = heap.object(heap.klass("shop.Buffer"), 4000);
  const ObjectId list = heap.object(heap.klass("shop.ResultList"), 4000);
  const ObjectId table = heap.object(heap.klass("java.lang.Object[]"), 4000);
  const ObjectId linked = heap.object(heap.klass("shop.Linked", {"table"}), 16);
  for (const ObjectId one : {buffer, list, linked}) heap.element(server, 0, one);
  heap.field(linked, "table", table);
  for (std::uint32_t i = 0; i < 100; ++i) {
    const ObjectId session = heap.object(heap.klass("shop.Session"), 1000);
    for (const ObjectId holder : {buffer, list, table}) heap.element(holder, i, session);
  }
  const Found f(heap.snapshot());
  CHECK(f.hides({buffer, list}));  // not the platform's table, nor what only leads to it
}

TEST_CASE("hidden: class objects count as what they stand for") {
  lab::TestHeap heap;
  const ObjectId shared = heap.object(heap.klass("byte[]"), 100'000);
  std::vector<ObjectId> holders;
  for (const char* name : {"shop.A", "shop.B", "shop.C", "shop.D"}) {
    heap.static_field(heap.klass(name, {"cache"}), "cache", shared);
    holders.push_back(heap.class_object(heap.klass(name)));
  }
  heap.root(heap.object(heap.klass("byte[]"), 200'000), RootKind::kJniGlobal);
  const Found f(heap.snapshot());
  CHECK(f.hides({holders[0], holders[1], holders[2], holders[3]}));
}

TEST_CASE("hidden: as the slow definition has it, on random graphs") {
  std::uint32_t wrong = 0, listed = 0;
  for (std::uint64_t seed = 1; seed <= tries(300); ++seed) {
    lab::LabGraph graph = lab::random_graph(seed, true);
    for (ClassRow& row : graph.classes) row.mirror = ObjectId{};
    const Snapshot s = graph.snapshot();
    const Found f(s);
    const std::vector<std::uint32_t> naive = NaiveHidden(s).all();
    const bool same = std::ranges::equal(f.found.hidden, naive, {}, &ObjectId::value);
    wrong += same ? 0 : 1;
    listed += static_cast<std::uint32_t>(naive.size());
  }
  CHECK(wrong == 0);
  CHECK(listed > (all_tries() ? 100u : 0u));
}

TEST_CASE("reachable: without time what is shared is estimated and says so, of classes too") {
  lab::TestHeap heap;
  const ClassId pair = heap.klass("shop.Pair", {"a", "b"}), bytes = heap.klass("byte[]");
  ObjectId pairs[3], buffers[3];
  for (ObjectId& buffer : buffers) buffer = heap.object(bytes, 1 << 20);
  for (std::size_t i = 0; i < 3; ++i) {
    pairs[i] = heap.object(pair, 24);
    heap.root(pairs[i], RootKind::kJniGlobal);
    heap.field(pairs[i], "a", buffers[i]);
    heap.field(pairs[i], "b", buffers[(i + 1) % 3]);
  }
  const Snapshot s = heap.snapshot();
  const ObjectId wanted[] = {pairs[0], buffers[0]};
  const Found f(s, {.wall_ns = 0}, wanted);
  CHECK(f.found.reason == EstimateReason::kTime);
  CHECK(f.found.estimated_objects == 3);
  CHECK(f.found.standard_error > 0.05);
  CHECK(f.found.standard_error < 0.1);
  for (const ReachableFigure& row : f.found.objects)
    CHECK(row.estimated == (s.class_of[row.object.value] == pair));
  CHECK(f.found.classes[pair.value].estimated);
  CHECK_FALSE(f.found.classes[bytes.value].estimated);
  CHECK(f.found.classes[bytes.value].largest_bytes == 1 << 20);
}

TEST_CASE("reachable findings: memory that ends, and a cancelled dump, leave nothing behind") {
  SharedBuffer shared(4096);
  const Snapshot s = shared.heap.snapshot();
  AnalysedHeap heap(s, kHolding);
  Arena& arena = AnalysedHeap::arena();
  const ReachableQuestion question{s, heap.dominators, {}, {}};
  const auto room = AnalysedHeap::or_abort(ReachableRoom::make(question, arena));
  const auto c = AnalysedHeap::or_abort(condense(heap.references, {kHolding}, arena, heap.cancel));
  const std::size_t used = arena.used_bytes();
  std::uint32_t refused = 0;
  for (std::uint64_t bytes = 0;; bytes += 64) {
    const ArenaCap cap(arena, bytes);
    const auto made = find_reachable(question, c, {}, room, arena, heap.cancel);
    CHECK(arena.used_bytes() == used);
    if (made && made->reason == EstimateReason::kNone) break;
    refused += made ? 0 : 1;
  }
  CHECK(refused > 2);
  CancelToken cancelled;
  cancelled.cancel();
  const auto made = find_reachable(question, c, {}, room, arena, cancelled);
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().code == ErrorCode::kCancelled);
  CHECK(arena.used_bytes() == used);
}
