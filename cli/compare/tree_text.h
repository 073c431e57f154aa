// Changes in the upper dominator tree, path by path.
// Shape:  the largest changes with all that stands above them.   Zone: offline.   Errors: none.
#pragma once

#include <vector>

#include "cli/compare/comparison.h"
#include "cli/text/page.h"

namespace holdfast::cli {

void write_tree_changes(const std::vector<PathChange>& tree, std::size_t top, Page& page);
// "class shop.Registry" for a class object, else the class.
std::string path_label(const PathChange& path);

}  // namespace holdfast::cli
