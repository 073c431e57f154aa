// The statistics of a heap as the thesis lists them: --statistics.
//   heap_figures       tables 5.1, 5.2, A.2 and A.4 (analysis/statistics/heap_statistics.h says what is counted): of the heap and of
//                      its component graph
//   size_difference_figures   table 5.3: held objects by how much larger their reachable size is than their retained size
// Shape:  one Answer each. A statistic that only one of the two graphs has leaves the other's cell empty. Reachable sizes are
//         exact for as long as queries.reachable_wall_ns, and the remark says how many are not.
// Zone:   offline.   Errors: QueryError.
// Source: seed 000, chapter 5 and appendix A.
#pragma once

#include "cli/analyze/graph_queries.h"

namespace holdfast::cli {

Answer heap_figures(const QueryInput& input);
Answer size_difference_figures(const GraphQueries& queries, const QueryInput& input);

}  // namespace holdfast::cli
