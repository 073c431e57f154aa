// Classes, the largest first, into what room the other parts have left; those that find none are summed up.
#include "analysis/report/ranking.h"
#include "analysis/report/report_parts.h"

namespace holdfast::analysis {
namespace {

ClassId class_id_at(const ReportJob& job, std::uint32_t index) noexcept {
  return index < job.catalog.class_count() ? ClassId{index} : ClassId{};
}

void add_figures(ClassFigures& sum, const ClassFigures& one) noexcept {
  sum.instances += one.instances;
  sum.shallow_bytes += one.shallow_bytes;
  sum.largest_retained_bytes = std::max(sum.largest_retained_bytes, one.largest_retained_bytes);
  sum.unheld_instances += one.unheld_instances;
  sum.unheld_bytes += one.unheld_bytes;
}

Offset<report::ClassRow> write_class(ReportJob& job, std::uint32_t index,
                                     std::uint32_t name) noexcept {
  const ClassId id = class_id_at(job, index);
  const ClassFigures f = job.class_figures(index);
  const ClassReach reach = job.class_reach(index);
  const bool platform = id.valid() && (job.catalog.classes[index].flags & kClassPlatform) != 0;
  return report::CreateClassRow(job.builder(), name, job.loader_of(id), f.instances,
                                f.shallow_bytes, f.retained_bytes, f.largest_retained_bytes,
                                f.unheld_instances, f.unheld_bytes, platform, reach.largest_bytes,
                                reach.estimated);
}

Offset<report::ClassRow> write_rest(ReportJob& job, std::span<const std::uint32_t> rest) noexcept {
  ClassFigures sum;
  ClassReach reach;
  for (const std::uint32_t index : rest) {
    add_figures(sum, job.class_figures(index));
    const ClassReach one = job.class_reach(index);
    reach.largest_bytes = std::max(reach.largest_bytes, one.largest_bytes);
    reach.estimated = reach.estimated || one.estimated;
  }
  return report::CreateClassRow(job.builder(), 0, kNoRow, sum.instances, sum.shallow_bytes, 0,
                                sum.largest_retained_bytes, sum.unheld_instances, sum.unheld_bytes,
                                false, reach.largest_bytes, reach.estimated);
}

// How many of `order` fit, names included. Interning is what decides, so the names are there afterwards.
std::size_t classes_that_fit(ReportJob& job, std::span<const std::uint32_t> order,
                             std::span<std::uint32_t> names) noexcept {
  constexpr std::size_t kLongestName = kMaxReportNameBytes + 12;
  std::size_t count = 0;
  while (count < names.size() &&
         job.room((count + 2) * kClassRowBytes + kListBytes + kLongestName)) {
    const std::uint32_t cut = job.strings.cut();
    names[count] = job.class_name(class_id_at(job, order[count]));
    const bool no_name =
        job.strings.cut() != cut &&
        job.catalog.class_name(class_id_at(job, order[count])).size() <= kMaxReportNameBytes;
    if (no_name) break;  // a class without its name tells nothing
    ++count;
  }
  return count;
}

}  // namespace

Result<ClassesPart> write_classes(ReportJob& job) noexcept {
  const std::size_t classes =
      std::size_t{job.catalog.class_count()} + 1;  // the last: objects of unknown class
  HF_TRY(order, rank_largest(
                    job.arena, classes, classes,
                    [&job](std::uint32_t i) { return worth_listing(job.class_figures(i)); },
                    [&job](std::uint32_t i) { return class_weight(job.class_figures(i)); }));
  HF_TRY(names, job.arena.make<std::uint32_t>(job.counts.classes));
  const std::size_t listed = classes_that_fit(job, order, names);
  HF_TRY(rows, write_rows<report::ClassRow>(job, listed, kClassRowBytes, [&](std::size_t i) {
           return write_class(job, order[i], names[i]);
         }));
  return ClassesPart{rows, write_rest(job, order.subspan(listed))};
}

}  // namespace holdfast::analysis
