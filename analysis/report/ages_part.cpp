// Ages: of each class, those first whose old objects take the most, as far as there is room.
#include <algorithm>

#include "analysis/ages/age_findings.h"
#include "analysis/report/report_parts.h"

namespace holdfast::analysis {
namespace {

// The order is the same.
static_assert(static_cast<int>(AgeSource::kHeader) == static_cast<int>(report::AgeSource::Header));
static_assert(static_cast<int>(AgeSource::kRanges) == static_cast<int>(report::AgeSource::Ranges));

constexpr std::uint32_t kTenuredName = 0xFFFFFFFEu;
constexpr std::uint32_t kUnknownName = 0xFFFFFFFFu;

// The ranges that have objects, by index.
struct ToldRanges {
  std::size_t index[kAgeRanges] = {};
  std::size_t count = 0;

  explicit ToldRanges(const ClassAges& total) noexcept {
    for (std::size_t range = 0; range < kAgeRanges; ++range)
      if (total.objects[range] != 0) index[count++] = range;
  }
};

std::uint32_t range_name(std::size_t range) noexcept {
  if (range == kTenuredRange) return kTenuredName;
  if (range == kUnknownRange) return kUnknownName;
  return static_cast<std::uint32_t>(range_begin(range));
}

// Not element by element, which is a kilobyte of code each time.
[[gnu::noinline]] Offset<flatbuffers::Vector<std::uint64_t>> write_figures(
    ReportJob& job, const ToldRanges& ranges, const std::uint64_t (&figures)[kAgeRanges]) noexcept {
  std::uint64_t* list = nullptr;
  const auto offset = job.builder().CreateUninitializedVector(ranges.count, &list);
  for (std::size_t i = 0; i < ranges.count; ++i) list[i] = figures[ranges.index[i]];
  return offset;
}

Offset<report::AgeClassRow> write_row(ReportJob& job, const ToldRanges& ranges,
                                      const ClassAges& ages, std::uint32_t name,
                                      std::uint32_t loader) noexcept {
  const auto object_list = write_figures(job, ranges, ages.objects);
  const auto byte_list = write_figures(job, ranges, ages.bytes);
  return report::CreateAgeClassRow(job.builder(), name, loader, object_list, byte_list,
                                   ages.distinct_ages());
}

// Totals are summed up again for each comparison: an array of them would cost more memory than there may be.
Result<std::span<std::uint32_t>> ranked_by_age(ReportJob& job) noexcept {
  const auto& classes = job.findings.ages.classes;
  HF_TRY(order, job.arena.make<std::uint32_t>(classes.size()));
  std::size_t size = 0;
  for (std::uint32_t c = 0; c < classes.size(); ++c)
    if (age_totals(classes[c]).objects != 0) order[size++] = c;
  const auto ranked = order.first(size);
  std::sort(ranked.begin(), ranked.end(), [&classes](std::uint32_t i, std::uint32_t j) {
    const AgeTotals a = age_totals(classes[i]), b = age_totals(classes[j]);
    if (a.old_bytes != b.old_bytes) return a.old_bytes > b.old_bytes;
    return a.bytes != b.bytes ? a.bytes > b.bytes : i < j;
  });
  return ranked;
}

// In half of the room that is left, names included.
std::size_t rows_in_room(const ReportJob& job, std::size_t ranges) noexcept {
  constexpr std::size_t kLongestName = kMaxReportNameBytes + 12;
  const std::size_t row = age_row_bytes(ranges);
  const std::size_t fixed =
      kAgeFactsBytes + 2 * row + ranges * kIndexBytes + 2 * kListBytes + kLongestName;
  const std::size_t half = job.bytes_left() / 2;
  return (half - std::min(half, fixed)) / row;
}

ClassId aged_class_id(const ReportJob& job, std::uint32_t index) noexcept {
  return index < job.catalog.class_count() ? ClassId{index} : ClassId{};
}

}  // namespace

Result<Offset<report::AgeFacts>> write_ages(ReportJob& job) noexcept {
  const AgeFindings& found = job.findings.ages;
  if (found.source == AgeSource::kNone || found.classes.empty()) return Offset<report::AgeFacts>();
  ClassAges total, rest;
  for (const ClassAges& one : found.classes) add(total, one);
  const ToldRanges ranges(total);
  HF_TRY(order, ranked_by_age(job));
  const std::size_t most = std::min(job.counts.aged_classes, order.size());
  const std::size_t fit = rows_in_room(job, ranges.count);
  HF_TRY(names, job.arena.make<std::uint32_t>(most));
  std::size_t listed = 0;
  // A name takes room, too, unless it is there already: what fits is asked again with each.
  while (listed < std::min(most, fit) && listed < rows_in_room(job, ranges.count)) {
    names[listed] = job.class_name(aged_class_id(job, order[listed]));
    ++listed;
  }
  for (const std::uint32_t index : order.subspan(listed)) add(rest, found.classes[index]);
  HF_TRY(rows, write_rows<report::AgeClassRow>(
                   job, listed, age_row_bytes(ranges.count),
                   [&](std::size_t i) -> Result<Offset<report::AgeClassRow>> {
                     return write_row(job, ranges, found.classes[order[i]], names[i],
                                      job.loader_of(aged_class_id(job, order[i])));
                   }));
  std::uint32_t range_names[kAgeRanges];
  for (std::size_t i = 0; i < ranges.count; ++i) range_names[i] = range_name(ranges.index[i]);
  const auto name_list = job.builder().CreateVector(range_names, ranges.count);
  const auto rest_row = write_row(job, ranges, rest, 0, kNoRow);
  const auto total_row = write_row(job, ranges, total, 0, kNoRow);
  return report::CreateAgeFacts(job.builder(), static_cast<report::AgeSource>(found.source),
                                name_list, rows, static_cast<std::uint32_t>(order.size()), rest_row,
                                total_row);
}

}  // namespace holdfast::analysis
