#include "cli/report/holder.h"

#include <algorithm>
#include <array>

namespace holdfast::cli {
namespace {

constexpr std::array<std::string_view, 4> kNotTheApplications = {"boot", "platform", "unknown", ""};

bool is_own(const ObjectView& object) {
  return !object.is_class_object() &&
         std::ranges::find(kNotTheApplications, object.loader) == kNotTheApplications.end();
}

// The step that a field of the application's own leads to; null: none does.
const StepView* last_own_field(const PathView& path) {
  for (std::size_t i = path.steps.size(); i-- > 1;) {
    const StepView& step = path.steps[i];
    if (step.via == Via::kInstanceField && !step.field.empty() && is_own(path.steps[i - 1].object))
      return &step;
  }
  return nullptr;
}

bool is_own_local(const PathView& path) {
  return path.in_frame() && !path.steps.empty() && is_own(path.steps.front().object);
}

}  // namespace

void choose_holder(SuspectView& suspect) {
  const PathView& path = suspect.path;
  const bool by_static =
      std::ranges::any_of(path.steps, [](const StepView& s) { return s.via == Via::kStaticField; });
  suspect.holder_kind = by_static || (!path.in_frame() && !suspect.holder_field.empty())
                            ? HolderKind::kStaticField
                        : path.in_frame() ? HolderKind::kFrame
                                          : HolderKind::kObject;
  if (suspect.holder_kind == HolderKind::kStaticField || is_own_local(path)) return;
  const StepView* step = last_own_field(path);
  if (step == nullptr) return;
  suspect.holder_kind = HolderKind::kField;
  suspect.holder_class = (step - 1)->object.class_name;
  suspect.holder_field = step->field;
}

}  // namespace holdfast::cli
