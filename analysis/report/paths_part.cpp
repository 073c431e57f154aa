// Paths from a GC root, each step with the name of the reference that it follows; and what the path says about the holder.
#include "analysis/report/report_parts.h"

namespace holdfast::analysis {
namespace {

// Chains of superclasses are short; the limit keeps a cycle in a forged catalog from hanging us.
constexpr int kMaxSuperclasses = 4096;

// The class that declares the field at `slot`, counted as in catalog.h.
ClassId declaring_class(const Catalog& catalog, ClassId id, std::uint32_t slot) noexcept {
  if (!id.valid() || slot < catalog.classes[id.value].interface_field_count)
    return id;  // a constant of an interface
  const std::uint32_t position = slot - catalog.classes[id.value].interface_field_count;
  ClassId at = id;
  for (int step = 0; at.valid() && step < kMaxSuperclasses; ++step) {
    if (position >= catalog.classes[at.value].chain_offset) return at;
    at = catalog.classes[at.value].superclass;
  }
  return id;
}

StepName special_step(RefLabel label) noexcept {
  switch (static_cast<SpecialRef>(label.bits)) {
    case SpecialRef::kReferentSoft:
    case SpecialRef::kReferentWeak:
    case SpecialRef::kReferentFinal:
    case SpecialRef::kReferentPhantom:
      return {.kind = report::StepKind::Referent};
    case SpecialRef::kClass:
      return {.kind = report::StepKind::Class};
    case SpecialRef::kClassLoader:
      return {.kind = report::StepKind::ClassLoader};
    case SpecialRef::kSuperclass:
      return {.kind = report::StepKind::Superclass};
    case SpecialRef::kInterface:
      return {.kind = report::StepKind::Interface};
    case SpecialRef::kConstantPool:
      return {.kind = report::StepKind::Constant};
    case SpecialRef::kSigners:
      return {.name = "signers"};
    case SpecialRef::kProtectionDomain:
      return {.name = "protection domain"};
    case SpecialRef::kDependent:
      return {.name = "dependent handle"};
    case SpecialRef::kElement:
      return {.kind = report::StepKind::Element, .saturated = true};  // 0 or later
    default:
      return {};
  }
}

// `referrer` is invalid where the path lost its middle: then the field's name is not known.
StepName step_name(const ReportJob& job, ObjectId referrer, RefLabel label) noexcept {
  ClassId owner;
  if (referrer.valid())
    owner = label.is_static_field() ? job.class_behind(referrer) : job.class_of(referrer);
  return step_name(job, owner, label);
}

bool has_gap(const RootPathResult& path) noexcept { return path.length > path.steps.size(); }

ObjectId referrer_of(const RootPathResult& path, std::size_t step) noexcept {
  if (has_gap(path) && step == std::size_t{path.left_out_after} + 1) return {};
  return path.steps[step - 1].object;
}

const RootRecord* root_of(const ReportJob& job, const RootPathResult& path) noexcept {
  return !path.steps.empty() && path.root < job.snapshot.roots.size()
             ? &job.snapshot.roots[path.root]
             : nullptr;
}

MethodRow method_of(const ReportJob& job, const RootRecord& root) noexcept {
  return root.method.value < job.catalog.methods.size() ? job.catalog.methods[root.method.value]
                                                        : MethodRow{};
}

// What a static field of a VM without class objects holds: the field is told where others have their referrer's.
Offset<report::PathStep> write_root_step(ReportJob& job, const RootPathResult& path) noexcept {
  const RootRecord* root = root_of(job, path);
  const bool is_static = root != nullptr && root->kind == RootKind::kStaticField;
  const MethodRow field = is_static ? method_of(job, *root) : MethodRow{};
  return report::CreatePathStep(job.builder(), job.object(path.steps[0].object),
                                is_static ? report::StepKind::StaticField : report::StepKind::Root,
                                job.text(field.name), 0, false, job.text(field.class_name));
}

}  // namespace

StepName step_name(const ReportJob& job, ClassId owner, RefLabel label) noexcept {
  if (label.is_special()) return special_step(label);
  if (label.is_element()) {
    return {
        .kind = report::StepKind::Element, .index = label.index(), .saturated = label.saturated()};
  }
  const bool is_static = label.is_static_field();
  StepName step{.kind =
                    is_static ? report::StepKind::StaticField : report::StepKind::InstanceField};
  if (!owner.valid() || label.saturated()) return step;
  step.name = job.catalog.field_name(owner, label.index());
  if (is_static) step.declaring_class = declaring_class(job.catalog, owner, label.index());
  return step;
}

Offset<report::PathStep> write_step(ReportJob& job, const RootPathResult& path,
                                    std::size_t i) noexcept {
  if (i == 0) return write_root_step(job, path);
  const PathStepResult& step = path.steps[i];
  const StepName name = step_name(job, referrer_of(path, i), step.label);
  const std::uint32_t declaring =
      name.declaring_class.valid() ? job.class_name(name.declaring_class) : 0;
  return report::CreatePathStep(job.builder(), job.object(step.object), name.kind,
                                job.text(name.name), name.index, name.saturated, declaring);
}

Result<Offset<report::RootPath>> write_path(ReportJob& job, const RootPathResult& path) noexcept {
  HF_TRY(steps,
         write_rows<report::PathStep>(job, path.steps.size(), kPathStepBytes,
                                      [&](std::size_t i) { return write_step(job, path, i); }));
  const RootRecord* record = root_of(job, path);
  const RootRecord root = record != nullptr ? *record : RootRecord{};
  const bool in_frame = root.kind != RootKind::kStaticField;  // whose first step has the names
  const MethodRow frame = in_frame ? method_of(job, root) : MethodRow{};
  const auto kept = static_cast<std::uint32_t>(path.steps.size());
  const std::uint32_t length = std::max(path.length, kept);
  return report::CreateRootPath(job.builder(), static_cast<report::RootKind>(root.kind),
                                job.thread_row_of(root.thread), job.text(frame.class_name),
                                job.text(frame.name), root.depth, root.slot,
                                static_cast<report::Strength>(path.strength), length, steps,
                                length - kept, length > kept ? path.left_out_after : 0);
}

PathHolder path_holder(ReportJob& job, const RootPathResult& path) noexcept {
  for (std::size_t i = path.steps.size(); i-- > 1;) {
    if (!path.steps[i].label.is_static_field()) continue;
    const StepName name = step_name(job, referrer_of(path, i), path.steps[i].label);
    if (name.declaring_class.valid())
      return {job.class_name(name.declaring_class), job.text(name.name)};
  }
  const RootRecord* root = root_of(job, path);
  if (root != nullptr && root->method.valid()) {
    const MethodRow frame = method_of(job, *root);
    return {job.text(frame.class_name), job.text(frame.name)};
  }
  return {};
}

}  // namespace holdfast::analysis
