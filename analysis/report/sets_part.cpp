// Loaders and packages: the largest listed, the rest summed.
#include "analysis/report/ranking.h"
#include "analysis/report/report_parts.h"

namespace holdfast::analysis {
namespace {

void add_set_figures(SetFigures& sum, const SetFigures& one) noexcept {
  sum.class_count += one.class_count;
  sum.instances += one.instances;
  sum.shallow_bytes += one.shallow_bytes;
}

// Without a graph nobody summed up the loaders yet; the histogram has what is needed.
Result<std::span<const SetFigures>> loader_figures(ReportJob& job) noexcept {
  if (job.findings.loaders.size() == job.catalog.loaders.size()) return job.findings.loaders;
  HF_TRY(sums, job.arena.make_filled<SetFigures>(job.catalog.loaders.size(), SetFigures{}));
  for (std::uint32_t c = 0; c < job.catalog.class_count(); ++c) {
    const LoaderId loader = job.catalog.classes[c].loader;
    if (loader.value >= sums.size()) continue;
    const ClassFigures figures = job.class_figures(c);
    add_set_figures(sums[loader.value],
                    SetFigures{{}, 1, figures.instances, figures.shallow_bytes, 0});
  }
  return std::span<const SetFigures>(sums);
}

std::uint64_t weight(const SetFigures& set) noexcept {
  return std::max(set.retained_bytes, set.shallow_bytes);
}

Result<void> write_loaders(ReportJob& job, SetsPart& part) noexcept {
  HF_TRY(figures, loader_figures(job));
  HF_TRY(order,
         rank_largest(
             job.arena, figures.size(), job.counts.loaders, [](std::uint32_t) { return true; },
             [&figures](std::uint32_t i) { return weight(figures[i]); }));
  for (std::uint32_t row = 0; row < order.size(); ++row) job.loader_rows[order[row]] = row;
  HF_TRY(rows,
         write_rows<report::LoaderRow>(job, order.size(), kLoaderRowBytes, [&](std::size_t i) {
           const SetFigures& set = figures[order[i]];
           const LoaderRow& loader = job.catalog.loaders[order[i]];
           return report::CreateLoaderRow(job.builder(), job.text(loader.name), set.class_count,
                                          set.instances, set.shallow_bytes, set.retained_bytes,
                                          loader.builtin);
         }));
  SetFigures rest;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (job.loader_rows[i] == kNoRow) add_set_figures(rest, figures[i]);
  }
  part.loaders = rows;
  part.rest_of_loaders = report::CreateLoaderRow(job.builder(), 0, rest.class_count, rest.instances,
                                                 rest.shallow_bytes);
  return {};
}

Result<void> write_packages(ReportJob& job, SetsPart& part) noexcept {
  const auto packages = job.findings.packages;
  HF_TRY(order, rank_largest(
                    job.arena, packages.size(), packages.size(), [](std::uint32_t) { return true; },
                    [&packages](std::uint32_t i) { return weight(packages[i]); }));
  const std::size_t listed = job.counts.packages;
  HF_TRY(rows, write_rows<report::PackageRow>(job, listed, kPackageRowBytes, [&](std::size_t i) {
           const SetFigures& set = packages[order[i]];
           return report::CreatePackageRow(job.builder(), job.text(set.name), set.class_count,
                                           set.instances, set.shallow_bytes, set.retained_bytes);
         }));
  SetFigures rest;
  for (const std::uint32_t i : order.subspan(listed)) add_set_figures(rest, packages[i]);
  part.packages = rows;
  part.rest_of_packages = report::CreatePackageRow(job.builder(), 0, rest.class_count,
                                                   rest.instances, rest.shallow_bytes);
  return {};
}

}  // namespace

Result<SetsPart> write_sets(ReportJob& job) noexcept {
  SetsPart part;
  HF_CHECK_OK(write_loaders(job, part));
  HF_CHECK_OK(write_packages(job, part));
  return part;
}

}  // namespace holdfast::analysis
