#include "analysis/lab/graph_differences.h"

namespace holdfast::analysis::lab {

std::string_view graph_difference_name(GraphDifference kind) noexcept {
  static constexpr std::array<std::string_view, kGraphDifferenceCount> kNames = {
      "other class",
      "other shallow size",
      "reference only in the first",
      "reference only in the second",
      "two partners for one object",
      "string constant without a partner",
      "root only in the first",
      "root only in the second",
      "object only in the first",
      "fields of class objects",
      "fields that the VM adds",
      "fields without a name in the second",
      "references of classes that are not linked",
      "arrays of resolved constants",
      "classes named by constant pools",
      "roots of the VM itself",
      "classes that the second knows nothing of",
      "roots of the capture thread",
      "references of stack chunks",
      "locals of resting virtual threads",
      "objects only in the first, behind such roots",
      "objects only in the second, behind these",
  };
  return kNames[static_cast<std::size_t>(kind)];
}

std::uint64_t GraphDifferences::errors() const {
  std::uint64_t sum = 0;
  for (std::size_t kind = 0; kind < counts_.size(); ++kind)
    if (is_error(static_cast<GraphDifference>(kind))) sum += counts_[kind];
  return sum;
}

}  // namespace holdfast::analysis::lab
