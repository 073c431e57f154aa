// Classes of dumps that tell little more than names: a number for each, and the catalog.
// Shape:  200 B a class + its name, charged to the ledger as it comes. Loaders are unknown: classes of java.*, javax.* and
//         their like are given to the boot loader, all others to one named "unknown".
// Zone:   offline.   Errors: ImportFailure (kOutOfBudget, kOutOfMemory).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/arena.h"
#include "common/snapshot/catalog.h"

namespace holdfast::analysis {

class ClassNames {
 public:
  explicit ClassNames(Ledger& ledger) : ledger_(ledger) {}
  ~ClassNames() { ledger_.refund(MemoryCategory::kCatalog, charged_bytes_); }
  ClassNames(const ClassNames&) = delete;
  ClassNames& operator=(const ClassNames&) = delete;

  ClassId add(std::string_view name);    // another one, also where the name is known
  ClassId named(std::string_view name);  // the first of this name, made where there is none
  const std::string& name(ClassId id) const noexcept { return names_[id.value]; }
  std::size_t count() const noexcept { return names_.size(); }
  void charge(std::uint64_t bytes);
  Catalog make_catalog(Arena& arena) const;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>()(text);
    }
  };
  using Numbers = std::unordered_map<std::string, ClassId, Hash, std::equal_to<>>;

 private:
  Ledger& ledger_;
  std::uint64_t charged_bytes_ = 0;
  Numbers by_name_;
  std::vector<std::string> names_;  // source-like
};

}  // namespace holdfast::analysis
