// Which classes, loaders, packages and threads a report lists: the largest, and in what order.
// Shape:  an index array, sorted and cut; O(k log k) for k candidates, 4 B each of scratch. Equal sizes keep their order, so equal
//         heaps give equal reports.
// Zone:   worker.   Errors: kOutOfBudget.
#pragma once

#include <algorithm>
#include <span>

#include "analysis/results.h"
#include "common/arena.h"

namespace holdfast::analysis {

// A class row says something: it has objects, held or not.
inline bool worth_listing(const ClassFigures& figures) noexcept {
  return figures.instances != 0 || figures.unheld_instances != 0;
}

// Retained size of a set is at least its shallow size, so one key ranks by both; objects that are not held have only the last.
inline std::uint64_t class_weight(const ClassFigures& f) noexcept {
  return std::max({f.retained_bytes, f.shallow_bytes, f.unheld_bytes});
}

// The first `limit` of those of [0, count) that `wanted`, by `size_of`, largest first.
template <class Wanted, class SizeOf>
Result<std::span<std::uint32_t>> rank_largest(Arena& arena, std::size_t count, std::size_t limit,
                                              Wanted wanted, SizeOf size_of) noexcept {
  HF_TRY(order, arena.make<std::uint32_t>(count));
  std::size_t size = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (wanted(i)) order[size++] = i;
  }
  const auto ranked = order.first(size);
  std::sort(ranked.begin(), ranked.end(), [&size_of](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t size_a = size_of(a);
    const std::uint64_t size_b = size_of(b);
    return size_a != size_b ? size_a > size_b : a < b;
  });
  return ranked.first(std::min(size, limit));
}

}  // namespace holdfast::analysis
