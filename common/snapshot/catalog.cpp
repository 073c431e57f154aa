#include "common/snapshot/catalog.h"

#include <algorithm>

namespace holdfast {

std::string_view primitive_name(char letter) noexcept {
  switch (letter) {
    case 'Z':
      return "boolean";
    case 'B':
      return "byte";
    case 'C':
      return "char";
    case 'S':
      return "short";
    case 'I':
      return "int";
    case 'J':
      return "long";
    case 'F':
      return "float";
    case 'D':
      return "double";
    default:
      return {};
  }
}

std::size_t hidden_class_suffix(std::string_view name) noexcept {
  const std::size_t mark = name.find_last_of("/.+");
  if (mark == std::string_view::npos || mark == 0) return std::string_view::npos;
  std::string_view behind = name;
  behind.remove_prefix(mark + 1);
  const bool address = behind.starts_with("0x");
  if (address) behind.remove_prefix(2);
  const auto is_digit = [address](char c) {
    return (c >= '0' && c <= '9') || (address && c >= 'a' && c <= 'f');
  };
  const bool digits = !behind.empty() && std::all_of(behind.begin(), behind.end(), is_digit);
  return digits ? mark : std::string_view::npos;
}

std::string_view builtin_loader_name(std::string_view class_name) noexcept {
  struct Row {
    std::string_view class_name, name;
  };
  constexpr Row kRows[] = {
      {"jdk.internal.loader.ClassLoaders$PlatformClassLoader", kPlatformLoaderName},
      {"jdk.internal.loader.ClassLoaders$AppClassLoader", "app"},
      {"sun.misc.Launcher$ExtClassLoader", kPlatformLoaderName},  // JDK 8
      {"sun.misc.Launcher$AppClassLoader", "app"},
  };
  for (const Row& row : kRows)
    if (row.class_name == class_name) return row.name;
  return {};
}

namespace {

// Superclass chains are short; the limit only guards against a cycle in a forged catalog.
constexpr std::uint32_t kMaxSuperclassSteps = 1u << 16;

}  // namespace

std::uint32_t Catalog::field_index(ClassId id, std::uint32_t slot) const noexcept {
  if (!id.valid() || id.value >= classes.size()) return kNoField;
  const std::uint32_t interface_fields = classes[id.value].interface_field_count;
  if (slot < interface_fields) return kNoField;
  const std::uint32_t in_chain = slot - interface_fields;
  ClassId at = id;
  for (std::uint32_t step = 0;
       at.valid() && at.value < classes.size() && step < kMaxSuperclassSteps; ++step) {
    const ClassRow& row = classes[at.value];
    if (in_chain >= row.chain_offset) {
      const std::uint32_t ordinal = in_chain - row.chain_offset;
      return ordinal < row.field_count ? row.first_field + ordinal : kNoField;
    }
    at = row.superclass;
  }
  return kNoField;
}

std::string_view Catalog::field_name(ClassId id, std::uint32_t slot) const noexcept {
  const std::uint32_t index = field_index(id, slot);
  return index == kNoField ? std::string_view{} : strings.view(fields[index]);
}

bool Catalog::is_hidden(ClassId id) const noexcept {
  std::string_view name = class_name(id);
  while (name.ends_with("[]")) name.remove_suffix(2);
  return hidden_class_suffix(name) != std::string_view::npos;
}

std::string_view Catalog::class_name(ClassId id) const noexcept {
  if (!id.valid() || id.value >= classes.size()) return "(class loaded during the dump)";
  return strings.view(classes[id.value].name);
}

}  // namespace holdfast
