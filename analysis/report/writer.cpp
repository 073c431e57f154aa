#include "analysis/report/writer.h"

#include "analysis/report/file_header.h"
#include "analysis/report/reader.h"
#include "analysis/report/report_parts.h"

namespace holdfast::analysis {
namespace {

struct Parts {
  FactsPart facts;
  SetsPart sets;
  Offset<RowList<report::ThreadRow>> threads;
  FindingsPart found;
  Offset<RowList<report::ObjectRow>> objects;
  Offset<report::AccountFacts> accounts;
  Offset<report::AgeFacts> ages;
  Offset<report::AgingFacts> aging;
  Offset<report::CollectionFacts> collections;
  Offset<report::TrackFacts> tracking;
  Offset<report::HolderFacts> holders;
  Offset<report::StateFacts> states;
  ClassesPart classes;
  Offset<RowList<flatbuffers::String>> strings;
};

void finish(ReportJob& job, const Parts& p) noexcept {
  const Offset<report::Report> root = report::CreateReport(
      job.builder(), p.strings, p.facts.origin, p.facts.options, p.facts.capture, p.facts.memory,
      p.facts.passes, p.facts.notes, p.found.graph, p.classes.classes, job.classes_total,
      p.classes.rest, p.sets.loaders, p.sets.packages, p.threads, p.objects, p.found.tree,
      p.found.top_objects, p.found.top_paths, p.found.suspects,
      static_cast<std::uint32_t>(job.catalog.loaders.size()), p.sets.rest_of_loaders,
      static_cast<std::uint32_t>(job.findings.packages.size()), p.sets.rest_of_packages,
      static_cast<std::uint32_t>(job.catalog.threads.size()), job.strings.cut(),
      job.record.notes.dropped(), static_cast<std::uint32_t>(job.findings.suspects.size()),
      p.found.reachable, p.found.cuts, p.accounts, p.ages, p.aging, p.collections, p.tracking,
      p.holders, job.findings.basic, p.states);
  report::FinishReportBuffer(job.builder(), root);
}

// The header goes right before the payload, which the builder has put at the end of the block.
Result<std::span<const std::byte>> seal_image(ReportJob& job) noexcept {
  const std::size_t payload_bytes = job.builder().GetSize();
  const std::size_t image_bytes = kReportHeaderBytes + payload_bytes;
  if (image_bytes > job.block().size())
    return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(image_bytes));
  const std::span<std::byte> image = job.block().last(image_bytes);
  write_header(image);
  if (auto checked = check_report(image); !checked) {
    return make_error(ErrorCode::kInconsistent, checked.error().detail);
  }
  return std::span<const std::byte>(image);
}

// The order is explained in report_parts.h.
Result<std::span<const std::byte>> write_once(AnalysisInput& input, const Findings& findings,
                                              std::size_t divisor) noexcept {
  ReportJob job(input, findings);
  HF_CHECK_OK(job.open(divisor));
  Parts parts;
  HF_TRY(facts, write_facts(job));
  const Offset<report::CollectionFacts> collections = write_collections(job);
  HF_TRY(sets, write_sets(job));
  HF_CHECK_OK(select_threads(job));
  HF_TRY(found, write_findings(job));
  HF_TRY(threads, write_threads(job));
  HF_TRY(objects, write_objects(job));
  HF_TRY(tracking, write_tracking(job));
  HF_TRY(states, write_states(job));
  HF_TRY(aging, write_aging(job));
  HF_TRY(accounts, write_accounts(job));
  HF_TRY(ages, write_ages(job));
  HF_TRY(holders, write_holders(job));
  job.strings.set_limit(kMaxReportTextBytes);
  HF_TRY(classes, write_classes(job));
  HF_TRY(strings, write_strings(job));
  parts = Parts{facts, sets,        threads,  found,   objects, accounts, ages,
                aging, collections, tracking, holders, states,  classes,  strings};
  finish(job, parts);
  return seal_image(job);
}

}  // namespace

Result<Offset<RowList<flatbuffers::String>>> write_strings(ReportJob& job) noexcept {
  HF_TRY(offsets, job.arena.make<Offset<flatbuffers::String>>(job.strings.size()));
  char buffer[kMaxReportNameBytes];
  for (std::uint32_t id = 0; id < job.strings.size(); ++id) {
    const std::string_view text = job.strings.text(id, buffer);
    offsets[id] = job.builder().CreateString(text.data(), text.size());
  }
  return job.builder().CreateVector(offsets.data(), offsets.size());
}

Result<std::span<const std::byte>> write_report(AnalysisInput& input,
                                                const Findings& findings) noexcept {
  constexpr std::size_t kDivisors[] = {1, 4, 16};
  Error last = make_error(ErrorCode::kOutOfBudget);
  for (const std::size_t divisor : kDivisors) {
    const Arena::Mark mark = input.arena.mark();
    auto image = write_once(input, findings, divisor);
    if (image) return *image;
    last = image.error();
    input.arena.rewind(mark);
    if (last.code != ErrorCode::kOutOfBudget && last.code != ErrorCode::kOutOfMemory &&
        last.code != ErrorCode::kTooMany)
      break;
  }
  return last;
}

}  // namespace holdfast::analysis
