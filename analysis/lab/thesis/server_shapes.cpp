#include "analysis/lab/thesis/server_shapes.h"

#include <algorithm>

namespace holdfast::analysis::lab {

namespace {

// nodes, classes, references, roots, leaves, components, cyclic, largest, component leaves | articulation points, dominating ones,
// average and maximum height, KB, above the largest, differ by 1 KB, 10 KB, 100 KB | height of the largest
constexpr ServerShape kRows[] = {
    {497'860, 7'136, 772'425, 47'882, 182'838, 403'026, 11'327, 26'180, 183'200,  //
     138'027, 106'238, 14.06, 61, 20 * 1'024, 3'407, 33'010, 23'887, 28'140, 13},
    {734'962, 7'792, 1'285'127, 46'687, 277'293, 585'965, 11'478, 75'658, 277'655,  //
     213'998, 180'596, 15.71, 60, 35 * 1'024, 1'093, 37'643, 24'927, 33'862, 14},
    {945'087, 7'792, 1'841'021, 46'301, 347'797, 727'077, 11'478, 144'673, 348'159,  //
     283'929, 250'708, 15.60, 60, 50 * 1'024, 1'093, 37'639, 24'930, 33'669, 14},
    {1'128'750, 7'792, 2'342'892, 45'705, 410'762, 846'290, 11'478, 209'117, 411'124,  //
     348'937, 315'532, 15.55, 60, 65 * 1'024, 1'093, 37'659, 24'926, 33'846, 14},
    {1'409'000, 7'792, 3'081'501, 45'938, 505'067, 1'034'983, 11'481, 300'675, 505'429,  //
     441'648, 408'216, 15.46, 60, 85 * 1'024, 1'085, 37'659, 24'926, 33'863, 14},
    {1'780'673, 7'795, 4'060'032, 46'161, 630'750, 1'285'279, 11'482, 421'530, 631'118,  //
     564'439, 531'073, 14.46, 59, 115 * 1'024, 1'024, 37'673, 25'488, 33'781, 13},
};

}  // namespace

std::span<const ServerShape> table_5_2_rows() { return kRows; }

ServerShape scaled(const ServerShape& shape, std::uint32_t divisor) {
  ServerShape small = shape;
  for (std::uint32_t* number :
       {&small.nodes, &small.classes, &small.references, &small.roots, &small.leaves,
        &small.components, &small.cyclic, &small.largest, &small.articulation_points,
        &small.dominating_points, &small.above_largest, &small.differ_1kb, &small.differ_10kb,
        &small.differ_100kb, &small.heap_kb})
    *number /= divisor;
  small.component_leaves = small.leaves + (shape.component_leaves - shape.leaves) / divisor;
  small.above_largest = std::max(small.above_largest, 3 * small.largest_height);
  return small;
}

}  // namespace holdfast::analysis::lab
