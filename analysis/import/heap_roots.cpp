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

struct Graph {
  std::span<const std::uint32_t> first_ref;
  std::span<const ObjectId> target;

  std::uint32_t objects() const noexcept {
    return static_cast<std::uint32_t>(first_ref.size() - 1);
  }
  std::span<const ObjectId> of(std::uint32_t v) const noexcept {
    return target.subspan(first_ref[v], first_ref[v + 1] - first_ref[v]);
  }
};

Bits referred_to(const Graph& graph, Ledger& ledger) {
  Bits referred(graph.objects(), ledger);
  for (std::uint32_t v = 0; v < graph.objects(); ++v)
    for (const ObjectId to : graph.of(v))
      if (to.value != v) referred.set(to.value);
  return referred;
}

// Marks what `root` reaches. Each object is pushed once in all calls together, so the stack never grows past them.
void reach(const Graph& graph, std::uint32_t root, Bits& reached,
           std::span<std::uint32_t> stack) noexcept {
  std::size_t depth = 0;
  stack[depth++] = root;
  reached.set(root);
  while (depth != 0) {
    const std::uint32_t v = stack[--depth];
    for (const ObjectId to : graph.of(v)) {
      if (reached.test(to.value)) continue;
      reached.set(to.value);
      stack[depth++] = to.value;
    }
  }
}

GrowingArray<std::uint32_t> unreached_by_address(std::uint32_t objects, const Bits& reached,
                                                 std::span<const std::uint64_t> addresses,
                                                 Ledger& ledger) {
  GrowingArray<std::uint32_t> left(objects, ledger, MemoryCategory::kGraph);
  for (std::uint32_t v = 0; v < objects; ++v)
    if (!reached.test(v)) left.push(v);
  const auto address = [&](std::uint32_t v) { return addresses[v]; };
  if (!std::ranges::is_sorted(left.span(), {}, address))
    std::ranges::sort(left.span(), {}, address);
  return left;
}

}  // namespace

HeapRoots find_heap_roots(std::span<const std::uint32_t> first_ref,
                          std::span<const ObjectId> target,
                          std::span<const std::uint64_t> addresses,
                          std::span<const std::uint32_t> absent, Ledger& ledger) {
  const Graph graph{first_ref, target};
  const std::uint32_t objects = graph.objects();
  HeapRoots roots;
  roots.objects = {std::uint64_t{objects} + 1, ledger, MemoryCategory::kGraph};
  GrowingArray<std::uint32_t> stack(std::uint64_t{objects} + 1, ledger, MemoryCategory::kGraph);
  stack.grow_to(std::size_t{objects} + 1);
  Bits reached(objects, ledger);
  for (const std::uint32_t v : absent) reached.set(v);
  {
    const Bits referred = referred_to(graph, ledger);
    for (std::uint32_t v = 0; v < objects; ++v)
      if (!referred.test(v) && !reached.test(v)) roots.objects.push(v);
  }
  roots.pure = roots.objects.size();
  for (const std::uint32_t v : roots.objects.span()) reach(graph, v, reached, stack.span());
  if (roots.pure + absent.size() == objects) return roots;
  const auto left = unreached_by_address(objects, reached, addresses, ledger);
  for (const std::uint32_t v : left.span()) {
    if (reached.test(v)) continue;
    roots.objects.push(v);
    reach(graph, v, reached, stack.span());
  }
  return roots;
}

}  // namespace holdfast::analysis
