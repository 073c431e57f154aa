#include "analysis/top_objects.h"

#include <algorithm>

#include "analysis/dominator_arrays.h"
#include "analysis/dominator_tree.h"

namespace holdfast::analysis {

Result<std::span<const ObjectId>> top_objects(const Dominators& d, std::uint32_t limit,
                                              Arena& arena, const CancelToken& cancel) noexcept {
  HF_TRY(top, arena.make_filled<ObjectId>(std::min(limit, d.held_objects), ObjectId{}));
  // "larger" makes the standard heap a heap with the smallest kept object at its front.
  const auto larger = [&](ObjectId a, ObjectId b) {
    const std::uint64_t a_bytes = d.retained_bytes[a.value];
    const std::uint64_t b_bytes = d.retained_bytes[b.value];
    return a_bytes != b_bytes ? a_bytes > b_bytes : a < b;
  };
  std::size_t count = 0;
  HF_CHECK_OK(forward_in_strides(
      0, top.empty() ? 0 : d.held_objects, cancel, [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t p = from; p < to; ++p) {
          prefetch_ahead(d, p, d.retained_bytes);
          const ObjectId object{d.order[p]};
          if (count == top.size()) {
            if (!larger(object, top[0])) continue;
            std::pop_heap(top.begin(), top.end(), larger);
            top.back() = object;
          } else {
            top[count++] = object;
          }
          std::push_heap(top.begin(), top.begin() + static_cast<std::ptrdiff_t>(count), larger);
        }
      }));
  std::sort_heap(top.begin(), top.end(), larger);
  return std::span<const ObjectId>(top);
}

}  // namespace holdfast::analysis
