// How many collections objects have survived, as plain values: by class and range.
// Shape:  rows of one figure for each range; O(classes x ranges), at most 20 ranges.
// Zone:   offline.   Errors: none, the reader has checked lengths and indices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::report {
struct AgeFacts;
}

namespace holdfast::cli {

class ReportNames;

enum class AgeRangeKind : std::uint8_t { kCollections, kTenured, kUnknown };

struct AgeRangeView {
  AgeRangeKind kind = AgeRangeKind::kCollections;
  std::uint64_t from = 0;
  std::uint64_t to = 0;  // inclusive; UINT64_MAX: and more

  bool old() const;          // as the report ranks classes: 8 collections or more, or tenured
  std::string text() const;  // "0", "4-7", "65,536+", "tenured", "not known"
};

struct AgeClassView {
  std::string_view class_name, loader;
  std::vector<std::uint64_t> objects, bytes;  // [ranges]
  std::uint32_t distinct_ages = 0;
};

struct AgeSums {
  std::uint64_t objects = 0, bytes = 0;
  std::uint64_t old_objects = 0, old_bytes = 0;
};

struct AgesView {
  std::string_view source =
      "none";  // "header", "ranges"; none: the ages of all objects are not told
  std::vector<AgeRangeView> ranges;
  std::vector<AgeClassView> classes;  // by old bytes, then by bytes
  std::uint64_t classes_total = 0;
  AgeClassView rest_of_classes, total;

  bool told() const { return !ranges.empty(); }
  AgeSums sums(const AgeClassView& row) const;
};

AgesView ages_view(const ReportNames& names, const report::AgeFacts& from);
// Of ages no more than that there are some is added up: a class in two rows is counted once at least, so the larger figure stands.
void add_to_rest(AgeClassView& rest, const AgeClassView& row);

}  // namespace holdfast::cli
