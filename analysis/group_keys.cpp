#include "analysis/group_keys.h"

#include "analysis/packages.h"

namespace holdfast::analysis {

Result<void> GroupKeys::by_class(const Catalog& catalog, Arena& arena) noexcept {
  const std::uint32_t rows = catalog.class_count() + 1;
  HF_TRY(keys, arena.make<std::uint32_t>(rows));
  HF_TRY(names, arena.make_filled<std::string_view>(rows, {}));
  for (std::uint32_t row = 0; row < rows; ++row) {
    keys[row] = row;
    names[row] = catalog.class_name(ClassId{row});
  }
  key_of_row_ = keys;
  names_ = names;
  return {};
}

Result<void> GroupKeys::by_loader(const Catalog& catalog, Arena& arena) noexcept {
  const auto loaders = static_cast<std::uint32_t>(catalog.loaders.size());
  HF_TRY(keys, arena.make<std::uint32_t>(std::size_t{catalog.class_count()} + 1));
  HF_TRY(names, arena.make_filled<std::string_view>(std::size_t{loaders} + 1, {}));
  for (std::uint32_t c = 0; c < catalog.class_count(); ++c)
    keys[c] = std::min(catalog.classes[c].loader.value, loaders);
  keys.back() = loaders;
  for (std::uint32_t l = 0; l < loaders; ++l)
    names[l] = catalog.strings.view(catalog.loaders[l].name);
  names.back() = catalog.class_name(ClassId{});
  key_of_row_ = keys;
  names_ = names;
  return {};
}

Result<void> GroupKeys::by_package(const Catalog& catalog, Arena& arena) noexcept {
  HF_TRY(packages, group_packages(catalog, arena));
  const auto count = static_cast<std::uint32_t>(packages.names.size());
  HF_TRY(keys, arena.make<std::uint32_t>(std::size_t{catalog.class_count()} + 1));
  HF_TRY(names, arena.make_filled<std::string_view>(std::size_t{count} + 1, {}));
  std::copy(packages.of_class.begin(), packages.of_class.end(), keys.begin());
  std::copy(packages.names.begin(), packages.names.end(), names.begin());
  keys.back() = count;
  names.back() = catalog.class_name(ClassId{});
  key_of_row_ = keys;
  names_ = names;
  return {};
}

Result<GroupKeys> GroupKeys::make(const Snapshot& snapshot, GroupBy by, Arena& arena) noexcept {
  GroupKeys made;
  HF_TRY(class_objects, ClassObjects::make(snapshot, arena));
  made.class_objects_ = class_objects;
  switch (by) {
    case GroupBy::kClass:
      HF_CHECK_OK(made.by_class(snapshot.catalog, arena));
      break;
    case GroupBy::kLoader:
      HF_CHECK_OK(made.by_loader(snapshot.catalog, arena));
      break;
    case GroupBy::kPackage:
      HF_CHECK_OK(made.by_package(snapshot.catalog, arena));
      break;
  }
  return made;
}

}  // namespace holdfast::analysis
