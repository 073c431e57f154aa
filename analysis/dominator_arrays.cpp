#include "analysis/dominator_arrays.h"

#include <cstddef>

#include "platforms/pages.h"

namespace holdfast::analysis {

namespace {

constexpr std::size_t kResultWords = 6;   // position, subtree_objects, retained (2), idom, order
constexpr std::size_t kScratchWords = 3;  // vertex, parent, semi

// Random access over hundreds of megabytes: large pages saved a third of the time (analysis/README.md).
void hint_huge_pages(std::span<std::uint64_t> block) noexcept {
  const std::size_t page = platforms::page_bytes();
  const auto address = reinterpret_cast<std::uintptr_t>(block.data());
  const std::uintptr_t first = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + block.size_bytes()) / page * page;
  if (end > first) platforms::advise_huge_pages(reinterpret_cast<std::byte*>(first), end - first);
}

// `words` 32-bit words an object, each array with two elements to spare and an even length.
Result<std::span<std::uint32_t>> make_block(std::size_t words, std::size_t stride,
                                            Arena& arena) noexcept {
  HF_TRY(block, arena.make<std::uint64_t>(words * stride / 2));
  hint_huge_pages(block);
  return std::span<std::uint32_t>(reinterpret_cast<std::uint32_t*>(block.data()), words * stride);
}

std::size_t stride_of(std::uint32_t objects) noexcept { return (std::size_t{objects} + 3) / 2 * 2; }

}  // namespace

Result<DominatorArrays> DominatorArrays::make_results(std::uint32_t objects,
                                                      Arena& arena) noexcept {
  const std::size_t stride = stride_of(objects);
  HF_TRY(block, make_block(kResultWords, stride, arena));
  DominatorArrays a;
  a.number = block.first(objects);
  a.cross_start = block.subspan(stride, stride);
  a.subtree_objects = a.cross_start;
  const auto free_for_stack = block.subspan(2 * stride, 4 * stride);
  a.stack = free_for_stack;
  a.pair = {reinterpret_cast<LinkPair*>(free_for_stack.data()), stride};
  a.retained = {reinterpret_cast<std::uint64_t*>(free_for_stack.data()), objects};
  a.idom_by_object = free_for_stack.subspan(2 * stride, objects);
  a.in_start = free_for_stack.subspan(3 * stride, stride);
  a.order = a.in_start;
  return a;
}

Result<void> DominatorArrays::add_scratch(std::uint32_t objects, Arena& arena) noexcept {
  const std::size_t stride = stride_of(objects);
  HF_TRY(block, make_block(kScratchWords, stride, arena));
  vertex = block.first(stride);
  parent = block.subspan(stride, stride);
  semi = block.subspan(2 * stride, stride);
  return {};
}

}  // namespace holdfast::analysis
