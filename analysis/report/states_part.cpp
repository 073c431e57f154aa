// What fills the heap, state by state, and what waits in queues of references.
#include "analysis/report/report_parts.h"

namespace holdfast::analysis {
namespace {

std::size_t cut(std::size_t count, std::size_t limit, const ReportJob& job) noexcept {
  return std::min(count, limit / job.counts.divisor);
}

bool is_platform(const ReportJob& job, ClassId id) noexcept {
  return id.valid() && (job.catalog.classes[id.value].flags & kClassPlatform) != 0;
}

Result<Offset<report::StateGroupRow>> write_group(ReportJob& job,
                                                  const SuspectResult& group) noexcept {
  HF_TRY(evidence, write_evidence(job, group.evidence));
  const std::uint32_t holder =
      group.group && group.holder.valid() ? job.class_name(job.class_of(group.holder)) : 0;
  return report::CreateStateGroupRow(
      job.builder(), group.group ? report::SuspectKind::Group : report::SuspectKind::SingleObject,
      job.class_name(group.class_id), job.loader_of(group.class_id), group.instances,
      group.shallow_bytes, group.retained_bytes, holder, evidence);
}

auto write_classes(ReportJob& job, std::span<const StateClass> classes) noexcept {
  return write_rows<report::StateClassRow>(
      job, cut(classes.size(), kMaxReportStateClasses, job), kStateClassRowBytes,
      [&](std::size_t i) -> Result<Offset<report::StateClassRow>> {
        const StateClass& row = classes[i];
        return report::CreateStateClassRow(
            job.builder(), job.class_name(row.class_id), job.loader_of(row.class_id), row.instances,
            row.shallow_bytes, row.retained_bytes, is_platform(job, row.class_id));
      });
}

Result<Offset<report::UnreachedFacts>> write_unreached(ReportJob& job,
                                                       const UnreachedFigures& of) noexcept {
  if (!of.told) return Offset<report::UnreachedFacts>();
  HF_TRY(classes, write_classes(job, of.classes));
  return report::CreateUnreachedFacts(job.builder(), of.objects, of.shallow_bytes, of.buffer_bytes,
                                      of.unread_bytes, classes, of.classes_total);
}

Result<Offset<report::StateRow>> write_state(ReportJob& job, std::size_t state) noexcept {
  const HeapStateFigures& of = job.findings.states.states[state];
  HF_TRY(classes, write_classes(job, of.classes));
  HF_TRY(groups, write_rows<report::StateGroupRow>(
                     job, cut(of.groups.size(), kMaxReportStateGroups, job),
                     kStateGroupRowBytes + kListBytes,
                     [&](std::size_t i) { return write_group(job, of.groups[i]); }));
  const bool held = (job.findings.states.held >> state & 1u) != 0;
  return report::CreateStateRow(job.builder(), static_cast<report::HeapState>(state), held,
                                of.objects, of.shallow_bytes, classes, of.classes_total, groups);
}

Result<Offset<report::BacklogRow>> write_backlog(ReportJob& job, const Backlog& of) noexcept {
  const ClassId behind = of.holder.valid() ? job.class_behind(of.holder) : ClassId{};
  const ClassId owner = behind.valid()      ? behind
                        : of.holder.valid() ? job.class_of(of.holder)
                                            : ClassId{};
  const StepName step = of.holder.valid() ? step_name(job, owner, of.held_by) : StepName{};
  HF_TRY(frames, write_rows<report::FrameRow>(
                     job, std::min<std::size_t>(of.frames.size(), kMaxReportBacklogFrames),
                     kFrameRowBytes, [&](std::size_t i) -> Result<Offset<report::FrameRow>> {
                       const MethodId id = of.frames[i].method;
                       const MethodRow method = id.value < job.catalog.methods.size()
                                                    ? job.catalog.methods[id.value]
                                                    : MethodRow{};
                       return report::CreateFrameRow(job.builder(), job.text(method.class_name),
                                                     job.text(method.name), of.frames[i].depth);
                     }));
  const std::uint32_t thread =
      of.thread.valid() ? job.text(job.catalog.threads[of.thread.value].name) : 0;
  const auto name = [&job](ClassId id) { return id.valid() ? job.class_name(id) : 0; };
  return report::CreateBacklogRow(
      job.builder(), of.finalizers,
      name(step.declaring_class.valid() ? step.declaring_class : owner), job.text(step.name),
      step.kind == report::StepKind::StaticField, name(of.reference_class), of.waiting,
      of.retained_bytes, name(of.referent_class), of.referents, of.thread.valid(), thread, frames);
}

}  // namespace

Result<Offset<report::StateFacts>> write_states(ReportJob& job) noexcept {
  const HeapStateFindings& found = job.findings.states;
  if (!found.told) return Offset<report::StateFacts>();
  HF_TRY(states, write_rows<report::StateRow>(job, kHeapStateCount, kStateRowBytes + 2 * kListBytes,
                                              [&](std::size_t i) { return write_state(job, i); }));
  HF_TRY(backlogs, write_rows<report::BacklogRow>(
                       job, job.counts.backlogs, kBacklogRowBytes + kListBytes,
                       [&](std::size_t i) { return write_backlog(job, found.backlogs[i]); }));
  HF_TRY(unreached, write_unreached(job, found.unreached));
  return report::CreateStateFacts(job.builder(), states, backlogs, unreached);
}

}  // namespace holdfast::analysis
