#include "cli/report/report_view_names.h"

namespace holdfast::cli {
namespace {

// The view's enums have the schema's order; a schema that grows in the middle must not pass unnoticed.
static_assert(static_cast<int>(Via::kOther) == static_cast<int>(report::StepKind::Other));
static_assert(static_cast<int>(Via::kReferent) == static_cast<int>(report::StepKind::Referent));
static_assert(static_cast<int>(Root::kOther) == static_cast<int>(report::RootKind::Other));
static_assert(static_cast<int>(Root::kStaticField) ==
              static_cast<int>(report::RootKind::StaticField));
static_assert(static_cast<int>(Root::kPossibleStackSlot) ==
              static_cast<int>(report::RootKind::PossibleStackSlot));
static_assert(static_cast<int>(Root::kMonitor) == static_cast<int>(report::RootKind::Monitor));
static_assert(static_cast<int>(Firmness::kUnreachable) ==
              static_cast<int>(report::Strength::Unreachable));

}  // namespace

Root root_of(report::RootKind kind) { return static_cast<Root>(kind); }
Firmness firmness_of(report::Strength strength) { return static_cast<Firmness>(strength); }

std::string_view ReportNames::text(std::uint32_t id) const {
  if (id >= report_.strings()->size()) return {};
  return report_.strings()->Get(id)->string_view();
}

std::string_view ReportNames::loader(std::uint32_t row) const {
  return row < report_.loaders()->size() ? text(report_.loaders()->Get(row)->name())
                                         : std::string_view{};
}

ObjectView ReportNames::object(std::uint32_t row) const {
  const report::ObjectRow& from = *report_.objects()->Get(row);
  ObjectView view{row,
                  text(from.class_name()),
                  loader(from.loader()),
                  text(from.class_object_of()),
                  from.shallow_bytes(),
                  from.retained_bytes(),
                  from.reachable_bytes(),
                  from.reachable_estimated()};
  const report::TrackedRow* known = tracked(row);
  if (known == nullptr) return view;
  view.identity = known->number();
  view.first_sequence = known->first_sequence();
  view.first_utc_ms = known->first_utc_ms();
  return view;
}

// By object, as the reader has checked.
const report::TrackedRow* ReportNames::tracked(std::uint32_t row) const {
  if (report_.tracking() == nullptr) return nullptr;
  const auto& all = *report_.tracking()->objects();
  std::uint32_t first = 0;
  for (std::uint32_t count = all.size(); count > 0;) {
    const std::uint32_t half = count / 2;
    const bool before = all.Get(first + half)->object() < row;
    first = before ? first + half + 1 : first;
    count = before ? count - half - 1 : half;
  }
  return first < all.size() && all.Get(first)->object() == row ? all.Get(first) : nullptr;
}

std::optional<ObjectView> ReportNames::maybe_object(std::uint32_t row) const {
  if (row >= report_.objects()->size()) return std::nullopt;
  return object(row);
}

StepView ReportNames::step(const report::PathStep& from) const {
  StepView view;
  view.object = object(from.object());
  view.via = static_cast<Via>(from.kind());
  view.field = text(from.name());
  view.declaring_class = text(from.declaring_class());
  view.index = from.index();
  view.index_saturated = from.index_saturated();
  return view;
}

PathView ReportNames::path(const report::RootPath& from) const {
  PathView path;
  path.root = root_of(from.root_kind());
  path.strength = firmness_of(from.strength());
  if (from.thread() < report_.threads()->size())
    path.thread = text(report_.threads()->Get(from.thread())->name());
  path.frame_class = text(from.frame_class());
  path.frame_method = text(from.frame_method());
  path.frame_depth = from.frame_depth();
  path.slot = from.slot();
  path.length = from.length();
  path.steps_left_out = from.steps_left_out();
  path.left_out_after = from.left_out_after();
  for (const auto* one : *from.steps()) path.steps.push_back(step(*one));
  return path;
}

}  // namespace holdfast::cli
