#include "cli/report/ages_view.h"

#include <algorithm>

#include "analysis/ages/age_findings.h"
#include "cli/report/report_view_names.h"
#include "cli/text/number_text.h"
#include "cli/text/unknown_word.h"

namespace holdfast::cli {
namespace {

constexpr std::uint32_t kTenuredName = 0xFFFFFFFEu;  // as in report.fbs
constexpr std::uint32_t kUnknownName = 0xFFFFFFFFu;

AgeRangeView range_view(std::uint32_t least) {
  if (least == kTenuredName) return {AgeRangeKind::kTenured};
  if (least == kUnknownName) return {AgeRangeKind::kUnknown};
  const std::uint64_t from = least;
  const bool last = from >= range_begin(kAgeDoublings - 1);
  return {AgeRangeKind::kCollections, from, last ? UINT64_MAX : from == 0 ? 0 : 2 * from - 1};
}

AgeClassView row_view(const ReportNames& names, const report::AgeClassRow& from) {
  AgeClassView view;
  view.class_name = names.text(from.class_name());
  view.loader = names.loader(from.loader());
  view.objects.assign(from.objects()->begin(), from.objects()->end());
  view.bytes.assign(from.bytes()->begin(), from.bytes()->end());
  view.distinct_ages = from.distinct_ages();
  return view;
}

std::string_view source_word(report::AgeSource source) {
  switch (source) {
    case report::AgeSource::None:
      return "none";
    case report::AgeSource::Header:
      return "header";
    case report::AgeSource::Ranges:
      return "ranges";
  }
  return unknown_word(static_cast<std::size_t>(source));
}

}  // namespace

bool AgeRangeView::old() const {
  return kind == AgeRangeKind::kTenured ||
         (kind == AgeRangeKind::kCollections && from >= analysis::kOldCollections);
}

std::string AgeRangeView::text() const {
  if (kind == AgeRangeKind::kTenured) return "tenured";
  if (kind == AgeRangeKind::kUnknown) return "not known";
  if (to == UINT64_MAX) return thousands(from) + "+";
  return from == to ? thousands(from) : thousands(from) + "-" + thousands(to);
}

AgeSums AgesView::sums(const AgeClassView& row) const {
  AgeSums sums;
  for (std::size_t i = 0; i < row.objects.size(); ++i) {
    sums.objects += row.objects[i];
    sums.bytes += row.bytes[i];
    if (!ranges[i].old()) continue;
    sums.old_objects += row.objects[i];
    sums.old_bytes += row.bytes[i];
  }
  return sums;
}

AgesView ages_view(const ReportNames& names, const report::AgeFacts& from) {
  AgesView view;
  view.source = source_word(from.source());
  for (const std::uint32_t least : *from.ranges()) view.ranges.push_back(range_view(least));
  for (const auto* row : *from.classes()) view.classes.push_back(row_view(names, *row));
  view.classes_total = std::max<std::uint64_t>(from.classes_total(), view.classes.size());
  if (!view.told()) return view;
  view.rest_of_classes = row_view(names, *from.rest_of_classes());
  view.total = row_view(names, *from.total());
  return view;
}

void add_to_rest(AgeClassView& rest, const AgeClassView& row) {
  for (std::size_t i = 0; i < rest.objects.size(); ++i) {
    rest.objects[i] += row.objects[i];
    rest.bytes[i] += row.bytes[i];
  }
  rest.distinct_ages = std::max(rest.distinct_ages, row.distinct_ages);
}

}  // namespace holdfast::cli
