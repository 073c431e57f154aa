#include "analysis/dominator_path.h"

#include <algorithm>

namespace holdfast::analysis {

Result<DominatorPath> dominator_path(const Snapshot& snapshot, const Dominators& d, ObjectId object,
                                     std::uint32_t max_steps, Arena& arena) noexcept {
  DominatorPath path;
  if (object.value >= d.idom.size() || d.idom[object.value] == ObjectId::kNoneValue) return path;
  for (std::uint32_t at = object.value; at != Dominators::kRoot; at = d.idom[at]) ++path.length;
  const std::uint32_t kept = std::min(path.length, max_steps);
  const std::uint32_t front = kept / 2;  // of an odd number the end, which is asked for, has more
  const std::uint32_t left_out = path.length - kept;
  HF_TRY(steps, arena.make<DominatorStep>(kept));
  path.steps = steps;
  path.left_out_after = left_out > 0 && front > 0 ? front - 1 : 0;
  std::uint32_t at = object.value;
  for (std::uint32_t step = path.length; step-- > 0; at = d.idom[at]) {
    if (left_out > 0 && step >= front && step < front + left_out) continue;
    steps[step < front ? step : step - left_out] = {
        ObjectId{at}, snapshot.shallow_bytes(ObjectId{at}), d.retained_bytes[at]};
  }
  return path;
}

}  // namespace holdfast::analysis
