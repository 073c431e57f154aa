// The group that an object belongs to when objects are grouped by class, loader or package.
// Shape:  4 B a class + 16 B a group + ClassObjects; O(log classes) for class objects, two looks for others. The last key is
//         for objects of unknown class. Class objects belong to the group of the class that they stand for.
// Zone:   worker, offline.   Errors: kOutOfBudget.
#pragma once

#include "analysis/class_objects.h"

namespace holdfast::analysis {

enum class GroupBy : std::uint8_t { kClass, kLoader, kPackage };

class GroupKeys {
 public:
  static Result<GroupKeys> make(const Snapshot& snapshot, GroupBy by, Arena& arena) noexcept;

  // By class the key is the class id, by loader the loader id.
  std::uint32_t of(std::uint32_t object) const noexcept {
    return key_of_row_[class_objects_.row_of(object)];
  }
  bool is_class_object(std::uint32_t object) const noexcept {
    return class_objects_.is_class_object(object);
  }
  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(names_.size()); }
  std::string_view name(std::uint32_t key) const noexcept { return names_[key]; }

 private:
  Result<void> by_class(const Catalog& catalog, Arena& arena) noexcept;
  Result<void> by_loader(const Catalog& catalog, Arena& arena) noexcept;
  Result<void> by_package(const Catalog& catalog, Arena& arena) noexcept;

  ClassObjects class_objects_;
  std::span<const std::uint32_t> key_of_row_;  // [class count + 1]
  std::span<const std::string_view> names_;
};

}  // namespace holdfast::analysis
