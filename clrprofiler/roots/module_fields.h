// The modules of the process as far as static fields go: their metadata, their application domain, and what a field record says.
// Shape:  one row a module that has metadata and is not collectible, sorted by ModuleID; references are given back with the list.
// Zone:   capture, on a thread that the runtime does not know or that has called ForceGC.
// Errors: open(): the runtime's, kOutOfBudget. A module without metadata is left out.
// Source: ECMA-335, II.15.4.1.3 and II.23.2.4 (field signatures).
#pragma once

#include <span>
#include <string_view>

#include "clrprofiler/profiler_info.h"
#include "common/arena.h"

namespace holdfast::clr {

struct FieldsOfModule {
  ModuleID module = 0;
  IMetaDataImport* metadata = nullptr;
  AppDomainID domain = 0;
};

class ModuleFields {
 public:
  static constexpr std::uint32_t kMostModules = 1u << 14;

  ModuleFields() = default;
  ModuleFields(const ModuleFields&) = delete;
  ModuleFields& operator=(const ModuleFields&) = delete;
  ~ModuleFields();

  Result<void> open(ProfilerInfo& info, Arena& arena) noexcept;
  std::span<const FieldsOfModule> modules() const noexcept { return modules_; }
  const FieldsOfModule* find(ModuleID module) const noexcept;
  std::uint32_t collectible() const noexcept { return collectible_; }

 private:
  bool add(ProfilerInfo& info, ModuleID module) noexcept;

  std::span<FieldsOfModule> modules_;
  std::size_t size_ = 0;
  std::uint32_t collectible_ = 0;
};

// One field record; the name is cut from `buffer`, and empty when it is longer than that.
struct StaticField {
  static constexpr std::size_t kMostNameUnits = 512;

  char16_t buffer[kMostNameUnits];
  std::u16string_view name;
  mdTypeDef owner = 0;
  bool holds_object = false;     // static, with a slot of its own for a reference or a box
  bool holds_reference = false;  // and not for a box

  // False when there is no such field.
  bool read(IMetaDataImport& metadata, mdFieldDef field) noexcept;
};

// From the signature: a reference, a struct in a box, or neither: a number or a pointer.
enum class FieldHolds : std::uint8_t { kNoObject, kReference, kBox };
FieldHolds field_holds(std::span<const std::uint8_t> signature) noexcept;
bool is_generic_type(IMetaDataImport& metadata, mdTypeDef type) noexcept;

}  // namespace holdfast::clr
