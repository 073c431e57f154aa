// How the graph hangs together, its important objects, and the references to cut.
#include "analysis/report/report_parts.h"

namespace holdfast::analysis {
namespace {

Result<Offset<RowList<report::ImportantRow>>> write_important(
    ReportJob& job, std::span<const ImportantObject> objects) noexcept {
  return write_rows<report::ImportantRow>(
      job, objects.size(), kImportantRowBytes, [&job, objects](std::size_t i) {
        const ImportantObject& row = objects[i];
        return report::CreateImportantRow(job.builder(), job.object(row.object), row.references,
                                          row.referrers, row.articulation);
      });
}

// A cut is the end of a path: of one reference, or of a root alone.
Result<Offset<report::CutRow>> write_cut(ReportJob& job, const Cut& cut) noexcept {
  const PathStepResult ends[] = {{cut.referrer, RefLabel{}}, {cut.referent, cut.label}};
  const bool of_root = !cut.referrer.valid();
  RootPathResult path;
  path.root = cut.root;
  path.steps = of_root ? std::span(ends).last(1) : std::span(ends);
  path.length = static_cast<std::uint32_t>(path.steps.size());
  const auto reference = write_step(job, path, path.steps.size() - 1);
  Offset<report::RootPath> root;
  if (of_root) {
    HF_TRY(written, write_path(job, path));
    root = written;
  }
  return report::CreateCutRow(job.builder(), job.object(cut.referrer), reference, root,
                              cut.references, cut.freed_objects, cut.freed_bytes, cut.articulation);
}

}  // namespace

Result<Offset<report::CutFacts>> write_cuts(ReportJob& job) noexcept {
  const CutFindings& found = job.findings.cuts;
  const ImportantNodes& nodes = found.important;
  if (found.components == 0) return Offset<report::CutFacts>();
  constexpr std::size_t kCutBytes = kCutRowBytes + kRootPathBytes + kListBytes + 2 * kPathStepBytes;
  HF_TRY(cuts,
         write_rows<report::CutRow>(job, job.counts.cuts, kCutBytes, [&job, &nodes](std::size_t i) {
           return write_cut(job, nodes.cuts[i]);
         }));
  HF_TRY(references, write_important(job, nodes.most_references.first(job.counts.most_references)));
  HF_TRY(referrers, write_important(job, nodes.most_referrers.first(job.counts.most_referrers)));
  return report::CreateCutFacts(job.builder(), found.components, found.cyclic_components,
                                found.cyclic_objects, found.largest_component_objects,
                                found.biconnected_components, found.largest_biconnected_nodes,
                                found.parts, found.articulation_points, found.dominating_points,
                                references, referrers, cuts);
}

}  // namespace holdfast::analysis
