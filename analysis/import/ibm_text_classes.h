// The kinds of objects that the lines of an IBM text dump name, as classes.
// Shape:  one hash table lookup an object, none when the kind is that of the object before.
// Zone:   offline.   Errors: ImportFailure (kOutOfBudget, kOutOfMemory).
#pragma once

#include "analysis/import/class_names.h"
#include "analysis/import/ibm_text_lines.h"

namespace holdfast::analysis {

class IbmTextClasses {
 public:
  explicit IbmTextClasses(Ledger& ledger) : names_(ledger) {}

  ClassId of(const IbmObjectLine& line);
  Catalog make_catalog(Arena& arena) const { return names_.make_catalog(arena); }

 private:
  ClassId of_kind(std::string_view kind);

  ClassNames names_;
  ClassNames::Numbers by_kind_;
  std::string last_kind_;
  ClassId last_class_, class_class_;
};

// "array of java/lang/String", "[C", "java/util/Map": as a person writes them.
std::string ibm_class_name(std::string_view kind);

}  // namespace holdfast::analysis
