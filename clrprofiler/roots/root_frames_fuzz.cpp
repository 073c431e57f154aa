// Any stacks and any roots: the frames that are found are of the roots' functions, and their order is that of the stacks.
// Shape:  input: bytes; each a function of 0 to 7 in its low bits. The first byte says how many of the rest are frames; a frame with the
//         high bit begins a thread.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "analysis/lab/test_arena.h"
#include "clrprofiler/roots/root_frames.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

void must(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t frames = data[0] < size - 1 ? data[0] : size - 1;
  std::vector<std::uint64_t> functions;
  std::vector<FrameStretch> stacks;
  for (std::size_t i = 1; i <= frames; ++i) {
    if (stacks.empty() || (data[i] & 0x80) != 0)
      stacks.push_back({static_cast<std::uint32_t>(functions.size()), 0});
    functions.push_back(1u + (data[i] & 7u));
    ++stacks.back().count;
  }
  std::vector<std::uint64_t> roots;
  for (std::size_t i = frames + 1; i < size; ++i) roots.push_back(data[i] & 7u);
  std::vector<RootFrame> found(roots.size());
  analysis::lab::TestArena memory(std::uint64_t{1} << 24);
  const auto count = match_root_frames(functions, stacks, roots, found, memory.arena());
  must(count.ok());
  std::uint32_t matched = 0;
  RootFrame before{0, 0};
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (!found[i].found()) continue;
    ++matched;
    must(found[i].stack < stacks.size() && found[i].depth < stacks[found[i].stack].count);
    must(functions[stacks[found[i].stack].first + found[i].depth] == roots[i]);
    must(found[i].stack > before.stack ||
         (found[i].stack == before.stack && found[i].depth >= before.depth));
    before = found[i];
  }
  must(matched == *count);
  return 0;
}
