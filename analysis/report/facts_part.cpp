// Who, when, why, at what cost: the dump record and the ledger as tables.
#include "analysis/report/report_parts.h"
#include "common/version.h"

namespace holdfast::analysis {
namespace {

Offset<report::Origin> write_origin(ReportJob& job) noexcept {
  const DumpRecord& r = job.record;
  return report::CreateOrigin(
      job.builder(), job.text(kVersion), job.text(fixed_text(r.vm.vm_name)),
      job.text(fixed_text(r.vm.vm_version)), job.text(fixed_text(r.vm.vm_vendor)),
      job.text(fixed_text(r.vm.collector)), job.text(fixed_text(r.vm.main_name)),
      job.text(fixed_text(r.host)), job.text(fixed_text(r.container)), r.pid,
      r.vm.command_line_hash, r.started_utc_ms, r.vm_uptime_ms, r.sequence);
}

void add_times(report::CaptureFactsBuilder& facts, const ReportJob& job) noexcept {
  facts.add_predicted_pause_ns(job.record.plan.predicted_pause_ns);
  facts.add_pause_ns(job.capture.pause_ns);
  facts.add_pause_limit_ns(job.record.pause_limit_ns);
  facts.add_prepare_ns(job.capture.prepare_ns);
  facts.add_seal_ns(job.capture.seal_ns);
  facts.add_capture_ns(job.record.capture_ns);
  facts.add_clone_ns(job.capture.clone_ns);
  facts.add_predicted_growth_bytes(job.record.plan.predicted_growth_bytes);
}

void add_heap(report::CaptureFactsBuilder& facts, const ReportJob& job) noexcept {
  facts.add_heap_used_before_bytes(job.capture.heap_before.used_bytes);
  facts.add_heap_used_after_bytes(job.capture.heap_after.used_bytes);
  facts.add_heap_committed_bytes(job.capture.heap_after.committed_bytes);
  facts.add_heap_max_bytes(job.capture.heap_after.max_bytes);
}

void add_losses(report::CaptureFactsBuilder& facts, const CaptureLosses& losses) noexcept {
  facts.add_objects_unknown_class(losses.objects_unknown_class);
  facts.add_roots_dropped(losses.roots_dropped);
  facts.add_references_to_unknown(losses.references_to_unknown);
  facts.add_names_dropped(losses.names_dropped);
  facts.add_input_damaged(losses.input_damaged);
}

Offset<report::CaptureFacts> write_capture(ReportJob& job) noexcept {
  const DumpRecord& record = job.record;
  const std::uint32_t trigger = job.text(trigger_name(record.request.trigger));
  const std::uint32_t rung = job.text(capture_rung_name(job.capture.rung));
  report::CaptureFactsBuilder facts(
      job.builder());  // the widest fields first, so that nothing is lost to padding
  add_times(facts, job);
  add_heap(facts, job);
  add_losses(facts, job.snapshot.losses);
  facts.add_trigger(trigger);
  facts.add_rung(rung);
  facts.add_merged_requests(record.request.merged);
  facts.add_refused_requests(record.gate.refused_cooldown + record.gate.refused_closed);
  facts.add_kind(is_extended(job.capture) ? report::DumpKind::Extended : report::DumpKind::Simple);
  return facts.Finish();
}

Result<Offset<report::MemoryFacts>> write_memory(ReportJob& job) noexcept {
  HF_TRY(categories, write_rows<report::LedgerRow>(
                         job, kMemoryCategoryCount, kLedgerRowBytes, [&job](std::size_t i) {
                           const auto category = static_cast<MemoryCategory>(i);
                           return report::CreateLedgerRow(job.builder(),
                                                          job.text(memory_category_name(category)),
                                                          job.ledger.category_peak_bytes(category));
                         }));
  return report::CreateMemoryFacts(job.builder(), job.ledger.limit_bytes(), job.ledger.peak_bytes(),
                                   categories, job.capture.vm_tag_bytes_estimate,
                                   job.capture.process_growth_bytes);
}

Result<Offset<RowList<report::PassRow>>> write_passes(ReportJob& job) noexcept {
  return write_rows<report::PassRow>(job, job.counts.passes, kPassRowBytes, [&job](std::size_t i) {
    const PassRecord& pass = job.findings.passes[i];
    return report::CreatePassRow(job.builder(), job.text(pass.name), pass.wall_ns, pass.cpu_ns,
                                 pass.scratch_peak_bytes, job.text(pass.left_out));
  });
}

Result<Offset<IndexList>> write_notes(ReportJob& job) noexcept {
  std::uint32_t ids[Notes::kMaxNotes] = {};
  std::size_t count = 0;
  for (const Note& note : job.record.notes.all()) ids[count++] = job.text(fixed_text(note.text));
  return write_indices(job, std::span(ids, count));
}

}  // namespace

Result<FactsPart> write_facts(ReportJob& job) noexcept {
  FactsPart part;
  part.origin = write_origin(job);
  part.capture = write_capture(job);
  HF_TRY(options, write_options(job));
  HF_TRY(memory, write_memory(job));
  HF_TRY(passes, write_passes(job));
  HF_TRY(notes, write_notes(job));
  part.options = options;
  part.memory = memory;
  part.passes = passes;
  part.notes = notes;
  return part;
}

}  // namespace holdfast::analysis
