#include "analysis/import/heap_roots.h"

#include <algorithm>

namespace holdfast::analysis {
namespace {

class Bits {
 public:
  Bits(std::size_t count, Ledger& ledger) : words_(count / 64 + 1, ledger, MemoryCategory::kGraph) {
    words_.grow_to(count / 64 + 1);
  }
  bool test(std::uint32_t i) const noexcept { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void set(std::uint32_t i) noexcept { words_[i / 64] |= std::uint64_t{1} << (i % 64); }

 private:
  GrowingArray<std::uint64_t> words_;
};

template <class Visit>
void visit_referents(const Snapshot& s, std::uint32_t v, Visit visit) {
  for (std::uint32_t i = s.first_ref[v]; i < s.first_ref[v + 1]; ++i) visit(s.target[i].value);
  if (const ObjectId implied = s.implied_class_object(ObjectId{v}); implied.valid())
    visit(implied.value);
}

Bits referred_to(const Snapshot& snapshot, Ledger& ledger) {
  Bits referred(snapshot.object_count(), ledger);
  for (std::uint32_t v = 0; v < snapshot.object_count(); ++v)
    visit_referents(snapshot, v, [&](std::uint32_t to) {
      if (to != v) referred.set(to);
    });
  return referred;
}

// Marks what `root` reaches. Each object is pushed once in all calls together, so the stack never grows past them.
void reach(const Snapshot& snapshot, std::uint32_t root, Bits& reached,
           std::span<std::uint32_t> stack) noexcept {
  std::size_t depth = 0;
  stack[depth++] = root;
  reached.set(root);
  while (depth != 0) {
    const std::uint32_t v = stack[--depth];
    visit_referents(snapshot, v, [&](std::uint32_t to) {
      if (reached.test(to)) return;
      reached.set(to);
      stack[depth++] = to;
    });
  }
}

GrowingArray<std::uint32_t> unreached_by_address(std::uint32_t objects, const Bits& reached,
                                                 std::span<const std::uint64_t> addresses,
                                                 Ledger& ledger) {
  GrowingArray<std::uint32_t> left(objects, ledger, MemoryCategory::kGraph);
  for (std::uint32_t v = 0; v < objects; ++v)
    if (!reached.test(v)) left.push(v);
  const auto address = [&](std::uint32_t v) { return addresses[v]; };
  if (!addresses.empty() && !std::ranges::is_sorted(left.span(), {}, address))
    std::ranges::sort(left.span(), {}, address);
  return left;
}

}  // namespace

HeapRoots find_heap_roots(const Snapshot& snapshot, std::span<const std::uint64_t> addresses,
                          std::span<const std::uint32_t> absent, Ledger& ledger) {
  const std::uint32_t objects = snapshot.object_count();
  HeapRoots roots;
  roots.objects = {std::uint64_t{objects} + 1, ledger, MemoryCategory::kGraph};
  GrowingArray<std::uint32_t> stack(std::uint64_t{objects} + 1, ledger, MemoryCategory::kGraph);
  stack.grow_to(std::size_t{objects} + 1);
  Bits reached(objects, ledger);
  for (const std::uint32_t v : absent) reached.set(v);
  {
    const Bits referred = referred_to(snapshot, ledger);
    for (std::uint32_t v = 0; v < objects; ++v)
      if (!referred.test(v) && !reached.test(v)) roots.objects.push(v);
  }
  roots.pure = roots.objects.size();
  for (const std::uint32_t v : roots.objects.span()) reach(snapshot, v, reached, stack.span());
  if (roots.pure + absent.size() == objects) return roots;
  const auto left = unreached_by_address(objects, reached, addresses, ledger);
  for (const std::uint32_t v : left.span()) {
    if (reached.test(v)) continue;
    roots.objects.push(v);
    reach(snapshot, v, reached, stack.span());
  }
  return roots;
}

void adopt_heap_roots(Snapshot& snapshot, DumpRecord& record, Arena& arena,
                      std::span<const std::uint64_t> addresses,
                      std::span<const std::uint32_t> absent, Ledger& ledger) {
  const HeapRoots found = find_heap_roots(snapshot, addresses, absent, ledger);
  const std::size_t before = snapshot.roots.size();
  auto roots = arena.make_filled<RootRecord>(before + found.objects.size(), RootRecord{});
  if (!roots) throw ImportFailure(roots.error().code, 0, "the memory limit is used up");
  std::ranges::copy(snapshot.roots, roots->begin());
  for (std::size_t i = 0; i < found.objects.size(); ++i)
    (*roots)[before + i].object = ObjectId{found.objects[i]};
  snapshot.roots = *roots;
  record.notes.add(
      "the dump has no GC roots: %zu objects without referrers and %zu more, chosen in cycles by "
      "their addresses, stand for them (as in HeapRoots)",
      found.pure, found.objects.size() - found.pure);
}

}  // namespace holdfast::analysis
