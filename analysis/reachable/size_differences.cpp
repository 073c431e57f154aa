#include "analysis/reachable/size_differences.h"

#include "common/cancel.h"

namespace holdfast::analysis {

Result<SizeDifferences> size_differences(const Dominators& dominators, const ReachableSizes& sizes,
                                         const CancelToken& cancel) noexcept {
  SizeDifferences found;
  for (std::uint32_t v = 0; v < dominators.idom.size(); ++v) {
    if (v % kCancelStride == 0) HF_CHECK_OK(cancel.check());
    if (dominators.idom[v] == ObjectId::kNoneValue) continue;
    const ObjectId id{v};
    ++found.objects[size_difference_group(sizes.of(id), dominators.retained_bytes[v])];
    found.estimated_objects += sizes.is_estimate(id) ? 1 : 0;
  }
  return found;
}

}  // namespace holdfast::analysis
