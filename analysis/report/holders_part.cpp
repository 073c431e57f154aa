// Who holds the instances of a class: as many classes as there is room for, in the order of the class table.
#include "analysis/report/report_parts.h"

namespace holdfast::analysis {
namespace {

constexpr std::size_t kMostHolderBytes = 100'000;  // names included

Offset<report::HolderRow> write_root_place(ReportJob& job, const HolderPlace& place) noexcept {
  const auto kind = static_cast<report::RootKind>(place.root_kind);
  if (place.kind == PlaceKind::kRoot)
    return report::CreateHolderRow(job.builder(), report::StepKind::Root, kind,
                                   report::Strength::Strong, 0, 0, place.references, 0,
                                   place.bytes);
  const bool known = place.field.value < job.catalog.methods.size();
  const MethodRow field = known ? job.catalog.methods[place.field.value] : MethodRow{};
  return report::CreateHolderRow(job.builder(), report::StepKind::StaticField, kind,
                                 report::Strength::Strong, job.text(field.class_name),
                                 job.text(field.name), place.references, 0, place.bytes);
}

Offset<report::HolderRow> write_place(ReportJob& job, const HolderPlace& place) noexcept {
  if (place.kind == PlaceKind::kRoot || place.kind == PlaceKind::kStaticRoot)
    return write_root_place(job, place);
  const StepName step = step_name(job, place.referrer, place.label);
  const bool declared = step.declaring_class.valid();
  const std::uint32_t owner = job.class_name(declared ? step.declaring_class : place.referrer);
  return report::CreateHolderRow(job.builder(), step.kind, report::RootKind::SystemClass,
                                 static_cast<report::Strength>(strength_of(place.label)), owner,
                                 job.text(step.name), place.references, place.referrers,
                                 place.bytes);
}

Result<Offset<report::HolderClassRow>> write_class(ReportJob& job,
                                                   const ClassHolders& of) noexcept {
  const auto& places = of.places;
  std::uint64_t rest_references = of.references, rest_bytes = of.bytes;
  for (const HolderPlace& place : places) {
    rest_references -= place.references;
    rest_bytes -= place.bytes;
  }
  HF_TRY(rows,
         write_rows<report::HolderRow>(job, places.size(), kHolderRowBytes,
                                       [&](std::size_t i) -> Result<Offset<report::HolderRow>> {
                                         return write_place(job, places[i]);
                                       }));
  return report::CreateHolderClassRow(
      job.builder(), job.class_name(of.class_id), job.loader_of(of.class_id),
      job.class_figures(of.class_id.value).instances, rows, of.places_total, rest_references,
      rest_bytes, of.unplaced_references);
}

// Where the file is as large as it may be, what is left is for the classes, too.
std::size_t most_bytes(const ReportJob& job) noexcept {
  const bool full = job.block().size() + sizeof(std::uint64_t) > kMaxReportBytes;
  return full ? std::min(kMostHolderBytes, job.bytes_left() / 4) : kMostHolderBytes;
}

// What a class can take at most, names included.
std::size_t class_bound(std::size_t places) noexcept {
  constexpr std::size_t kLongestName = kMaxReportNameBytes + 12;
  return kHolderClassRowBytes + kListBytes + kLongestName +
         places * (kHolderRowBytes + 2 * kLongestName);
}

}  // namespace

Result<Offset<report::HolderFacts>> write_holders(ReportJob& job) noexcept {
  const HolderFindings& found = job.findings.holders;
  if (!found.told) return Offset<report::HolderFacts>();
  const auto classes = found.classes.first(job.counts.holder_classes);
  HF_TRY(offsets, job.arena.make<Offset<report::HolderClassRow>>(classes.size()));
  const std::size_t list_bytes = classes.size() * kIndexBytes + kListBytes;
  job.open_list(list_bytes);
  const std::size_t left = job.bytes_left(), most = most_bytes(job);
  std::size_t places = job.counts.holder_places, count = 0;
  for (const ClassHolders& of : classes) {
    const std::size_t bound = class_bound(of.places.size());
    if (!job.room(bound) || left - job.bytes_left() + bound > most) break;
    if (of.places.size() > places) break;
    HF_TRY(row, write_class(job, of));
    offsets[count++] = row;
    places -= of.places.size();
  }
  job.close_list(list_bytes);
  return report::CreateHolderFacts(job.builder(),
                                   job.builder().CreateVector(offsets.data(), count));
}

}  // namespace holdfast::analysis
