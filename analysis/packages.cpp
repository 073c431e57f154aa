#include "analysis/packages.h"

#include <bit>

#include "common/text_tail.h"

namespace holdfast::analysis {

namespace {

std::uint64_t hash_of(std::string_view text) noexcept {  // FNV-1a
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

struct NameList {
  std::span<std::string_view> names;
  std::size_t count = 0;
};

std::uint32_t find_or_add(NameList& packages, std::span<std::uint32_t> slots,
                          std::string_view name) noexcept {
  const std::size_t mask = slots.size() - 1;
  for (std::size_t i = static_cast<std::size_t>(hash_of(name)) & mask;; i = (i + 1) & mask) {
    if (slots[i] == kNoSet) {
      packages.names[packages.count] = name;
      slots[i] = static_cast<std::uint32_t>(packages.count++);
      return slots[i];
    }
    if (packages.names[slots[i]] == name) return slots[i];
  }
}

}  // namespace

std::string_view package_of(std::string_view class_name) noexcept {
  std::string_view name = class_name.substr(0, class_name.find_first_of("<[/"));
  if (name.ends_with('.')) name.remove_suffix(1);  // "shop.Cart.<>c", in the class shop.Cart
  std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  if (text_tail(name, dot + 1).starts_with("0x")) {  // "shop.Main$$Lambda.0x00007f…"
    name = name.substr(0, dot);
    dot = name.rfind('.');
  }
  return dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
}

Result<PackageGroups> group_packages(const Catalog& catalog, Arena& arena) noexcept {
  const std::size_t classes = catalog.classes.size();
  HF_TRY(of_class, arena.make<std::uint32_t>(classes));
  HF_TRY(names, arena.make<std::string_view>(classes));
  NameList packages{names};
  ArenaScope scratch(arena);
  HF_TRY(slots, arena.make_filled<std::uint32_t>(std::bit_ceil(2 * classes + 2), kNoSet));
  for (std::uint32_t c = 0; c < classes; ++c)
    of_class[c] = find_or_add(packages, slots, package_of(catalog.class_name(ClassId{c})));
  return PackageGroups{of_class, names.first(packages.count)};
}

Result<std::span<const SetFigures>> package_figures(const Snapshot& snapshot, const Dominators& d,
                                                    std::span<const ClassFigures> classes,
                                                    Arena& arena,
                                                    const CancelToken& cancel) noexcept {
  HF_TRY(packages, group_packages(snapshot.catalog, arena));
  HF_TRY(rows, set_figures(snapshot, d, classes, packages.of_class, packages.names.size(), arena,
                           cancel));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].name = packages.names[i];
  return std::span<const SetFigures>(rows);
}

}  // namespace holdfast::analysis
