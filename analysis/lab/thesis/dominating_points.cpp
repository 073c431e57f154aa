#include "analysis/lab/thesis/dominating_points.h"

#include <algorithm>

#include "analysis/results.h"

namespace holdfast::analysis::lab {

std::vector<bool> dominating_points(const NaiveGraph& components,
                                    const std::vector<std::uint32_t>& idom,
                                    SuperRootNumber super_root) {
  const std::uint32_t count = components.count();
  const std::uint32_t above = super_root == SuperRootNumber::kHighest ? count + 1 : 0;
  std::vector<bool> is_point(count);
  std::vector<std::uint32_t> value(count + 1, 0);
  for (std::uint32_t i = 1; i <= count; ++i) {  // as the listing, components count from 1
    std::uint32_t highest = 0;
    for (const std::uint32_t referent : components.row(i - 1))
      highest = std::max(highest, value[referent + 1]);
    is_point[i - 1] = highest == i;
    const std::uint32_t dominator = idom[i - 1];
    value[i] = std::max(highest, dominator == Dominators::kRoot ? above : dominator + 1);
  }
  return is_point;
}

}  // namespace holdfast::analysis::lab
