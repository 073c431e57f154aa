#include "analysis/import/class_names.h"

#include <algorithm>

#include "analysis/import/import_failure.h"

namespace holdfast::analysis {
namespace {

constexpr std::string_view kClassName = "java.lang.Class";
constexpr std::uint64_t kNameCost = 200;  // two table entries, two strings, a row

// Names say nothing about loaders; these packages nobody else may have, or nobody else has.
constexpr std::string_view kPlatformPackages[] = {
    "java.", "javax.", "jdk.", "sun.", "com.sun.", "com.ibm.jvm.", "com.ibm.oti.", "com.ibm.misc."};

std::string_view element_name(std::string_view name) noexcept {
  while (name.ends_with("[]")) name.remove_suffix(2);
  return name;
}

bool is_platform(std::string_view name) noexcept {
  const std::string_view element = element_name(name);
  if (element.size() != name.size() && element.find('.') == std::string_view::npos &&
      !element.empty() && element[0] >= 'a' && element[0] <= 'z')
    return true;  // an array of primitives
  return name == "primitive array" ||
         std::ranges::any_of(kPlatformPackages, [&](std::string_view package) {
           return element.starts_with(package);
         });
}

template <class T>
T made(Result<T> result) {
  if (!result)
    throw ImportFailure(result.error().code, 0, "the memory limit does not hold the class names");
  return std::move(*result);
}

}  // namespace

void ClassNames::charge(std::uint64_t bytes) {
  if (!ledger_.charge(MemoryCategory::kCatalog, bytes))
    throw ImportFailure(ErrorCode::kOutOfBudget, 0, "the memory limit is used up");
  charged_bytes_ += bytes;
}

ClassId ClassNames::add(std::string_view name) {
  charge(kNameCost + 2 * name.size());
  const ClassId id{static_cast<std::uint32_t>(names_.size())};
  names_.emplace_back(name);
  by_name_.try_emplace(names_.back(), id);
  return id;
}

ClassId ClassNames::named(std::string_view name) {
  const auto known = by_name_.find(name);
  return known == by_name_.end() ? add(name) : known->second;
}

Catalog ClassNames::make_catalog(Arena& arena) const {
  constexpr std::string_view kBoot = "boot";
  constexpr std::string_view kUnknown = "unknown";
  std::uint64_t text_bytes = kBoot.size() + kUnknown.size();
  for (const std::string& name : names_) text_bytes += 3 * name.size();  // bad UTF-8 grows
  Catalog catalog;
  catalog.strings =
      made(StringTable::make(arena, static_cast<std::uint32_t>(names_.size()) + 2, text_bytes));
  catalog.loaders = made(arena.make_filled<LoaderRow>(2, LoaderRow{}));
  catalog.loaders[0] = {catalog.strings.intern(kBoot), ObjectId{}, true};
  catalog.loaders[1] = {catalog.strings.intern(kUnknown), ObjectId{}, false};
  catalog.classes = made(arena.make_filled<ClassRow>(names_.size(), ClassRow{}));
  for (std::size_t c = 0; c < names_.size(); ++c) {
    ClassRow& row = catalog.classes[c];
    const std::string& name = names_[c];
    row.name = catalog.strings.intern(name);
    const bool platform = is_platform(name);
    row.loader = LoaderId{platform ? 0u : 1u};
    if (platform) row.flags |= kClassPlatform;
    if (name.ends_with("[]") || name == "primitive array") row.flags |= kClassArray;
    if (name == kClassName) row.flags |= kClassClass;
    if (name == "java.lang.Thread") row.flags |= kClassThread;
    if (name.ends_with("ClassLoader")) row.flags |= kClassLoaderKind;
  }
  return catalog;
}

}  // namespace holdfast::analysis
