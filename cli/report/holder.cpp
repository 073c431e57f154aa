#include "cli/report/holder.h"

#include <algorithm>
#include <array>
#include <vector>

namespace holdfast::cli {
namespace {

constexpr std::array<std::string_view, 4> kNotTheApplications = {"boot", "platform", "unknown", ""};

// What no application can change. A framework beside it (Microsoft.Extensions, Scala) is named where nothing else is.
constexpr std::array<std::string_view, 9> kCorePackages = {
    "java.",     "javax.",           "jdk.",    "sun.", "com.sun.", "System.",
    "Internal.", "Microsoft.Win32.", "Interop."};

bool is_core(std::string_view class_name) {
  return class_name.empty() || std::ranges::any_of(kCorePackages, [&](std::string_view package) {
           return class_name.starts_with(package);
         });
}

// Whose class a field is of that leads to a step; empty: none does.
struct Owner {
  std::string_view class_name, field;
  bool of_static_field = false;
  bool of_framework = false;  // which the platform brings along
};

Owner owner_of(const PathView& path, std::size_t i) {
  const StepView& step = path.steps[i];
  if (step.via == Via::kStaticField) return {step.declaring_class, step.field, true};
  if (i == 0 || step.via != Via::kInstanceField || step.field.empty()) return {};
  const ObjectView& object = path.steps[i - 1].object;
  if (object.is_class_object()) return {};
  const bool own =
      std::ranges::find(kNotTheApplications, object.loader) == kNotTheApplications.end();
  return {object.class_name, step.field, false, !own};
}

bool is_suspected(const SuspectView& suspect, std::string_view class_name) {
  return class_name == suspect.class_name ||
         std::ranges::find(suspect.levels, class_name, &LevelView::class_name) !=
             suspect.levels.end();
}

// The owners on the path that a developer can change, the nearest to its end first.
std::vector<Owner> owners_of(const SuspectView& suspect) {
  std::vector<Owner> found;
  for (std::size_t i = suspect.path.steps.size(); i-- > 0;) {
    const Owner owner = owner_of(suspect.path, i);
    if (!owner.field.empty() && !is_core(owner.class_name) &&
        (owner.of_static_field || !is_suspected(suspect, owner.class_name)))
      found.push_back(owner);
  }
  if (std::ranges::any_of(found, [](const Owner& owner) { return !owner.of_framework; }))
    std::erase_if(found, [](const Owner& owner) { return owner.of_framework; });
  return found;
}

std::string_view package_of(std::string_view class_name) {
  const std::size_t end = class_name.rfind('.');
  return end == std::string_view::npos ? std::string_view() : class_name.substr(0, end);
}

// The owner that the nearest one belongs to, named where the objects that pile up are of its own package: then the nearest one is their container. The first
// outside of the package, else the next one.
const Owner* above(const SuspectView& suspect, const std::vector<Owner>& owners) {
  const std::string_view package = package_of(suspect.class_name);
  if (package_of(owners.front().class_name) != package) return nullptr;
  const Owner* next = nullptr;
  for (std::size_t i = 1; i < owners.size() && !owners[i].of_static_field; ++i) {
    if (package_of(owners[i].class_name) != package) return &owners[i];
    if (next == nullptr && owners[i].class_name != owners.front().class_name) next = &owners[i];
  }
  return next;
}

}  // namespace

void choose_holder(SuspectView& suspect) {
  const PathView& path = suspect.path;
  const auto by_static =
      std::ranges::find_if(path.steps.rbegin(), path.steps.rend(),
                           [](const StepView& s) { return s.via == Via::kStaticField; });
  const bool is_static = by_static != path.steps.rend();
  suspect.holder_kind = is_static || (!path.in_frame() && !suspect.holder_field.empty())
                            ? HolderKind::kStaticField
                        : path.in_frame() ? HolderKind::kFrame
                                          : HolderKind::kObject;
  if (is_static && suspect.holder_field.empty()) {
    suspect.holder_class = by_static->declaring_class;
    suspect.holder_field = by_static->field;
  }
  const std::vector<Owner> owners = owners_of(suspect);
  if (owners.empty() || owners.front().of_static_field) return;
  suspect.holder_kind = HolderKind::kField;
  suspect.holder_class = owners.front().class_name;
  suspect.holder_field = owners.front().field;
  if (is_static) {
    suspect.begins_in_class = by_static->declaring_class;
    suspect.begins_in_field = by_static->field;
  }
  if (const Owner* const owner = above(suspect, owners); owner != nullptr) {
    suspect.part_of_class = owner->class_name;
    suspect.part_of_field = owner->field;
  }
}

}  // namespace holdfast::cli
