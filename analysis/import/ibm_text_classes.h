// The classes of an IBM text dump: a number for each kind of object that its lines name, and their catalog.
// Shape:  one hash table lookup an object, none when the kind is that of the object before. Names are charged to the ledger
//         as they come; class row 24 B + its name.
// Zone:   offline.   Errors: ImportFailure (kOutOfBudget, kOutOfMemory).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/import/ibm_text_lines.h"
#include "common/arena.h"
#include "common/snapshot/catalog.h"

namespace holdfast::analysis {

class IbmTextClasses {
 public:
  explicit IbmTextClasses(Ledger& ledger) : ledger_(ledger) {}
  ~IbmTextClasses() { ledger_.refund(MemoryCategory::kCatalog, charged_bytes_); }
  IbmTextClasses(const IbmTextClasses&) = delete;
  IbmTextClasses& operator=(const IbmTextClasses&) = delete;

  ClassId of(const IbmObjectLine& line);
  Catalog make_catalog(Arena& arena) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>()(text);
    }
  };
  using Numbers = std::unordered_map<std::string, ClassId, Hash, std::equal_to<>>;

  ClassId of_kind(std::string_view kind);
  void charge(std::uint64_t bytes);

  Ledger& ledger_;
  std::uint64_t charged_bytes_ = 0;
  Numbers by_kind_, by_name_;
  std::vector<std::string> names_;  // source-like
  std::string last_kind_;
  ClassId last_class_, class_class_;
};

// "array of java/lang/String", "[C", "java/util/Map": as a person writes them.
std::string ibm_class_name(std::string_view kind);

}  // namespace holdfast::analysis
