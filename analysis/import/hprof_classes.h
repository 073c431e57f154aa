// The classes of an HPROF dump: names, hierarchy, loaders and field layouts, as a catalog and as what decoding needs.
// Why two shapes: the catalog is what every snapshot has; decoding ten million objects wants, for each class, just the
//      offsets of its references and the next superclass that has any.
// Shape:  class c is the c-th class dump of the file; behind them stand classes that only arrays of primitives name and
//         that the dump lacks (no class object). Layouts: 32 B a class, 8 B a reference field. Superclass cycles are cut
//         where they close; a class is then without superclass.
//         Field slots are numbered static fields first, as HPROF lists them.
// Zone:   offline.   Errors: ImportFailure (memory).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/import/hprof_survey.h"
#include "analysis/import/object_index.h"
#include "common/arena.h"
#include "common/snapshot/catalog.h"

namespace holdfast::analysis {

// A reference field among a class's own.
struct ReferenceField {
  std::uint32_t offset = 0;  // bytes from the start of the class's own fields in an instance dump
  RefLabel label;            // its slot
  bool referent = false;     // java.lang.ref.Reference.referent
};

// What an instance dump of a class holds: own fields first, then the superclass's, and so on.
struct ClassLayout {
  std::uint32_t first_reference = 0;  // into references
  std::uint32_t reference_count = 0;  // own
  std::uint64_t own_bytes = 0;        // in an instance dump
  std::uint64_t all_bytes = 0;        // superclasses included
  std::uint64_t next_offset =
      0;         // where the fields of `next` begin, from the start of this class's own
  ClassId next;  // the nearest superclass that has reference fields
};

class HprofClasses {
 public:
  HprofClasses(const HprofSurvey& survey, const ObjectIndex& index);

  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(layouts.size()); }
  std::uint32_t dumped() const noexcept { return static_cast<std::uint32_t>(ids.size()); }
  ClassId find(std::uint64_t class_id) const noexcept {
    const auto at = by_id_.find(class_id);
    return at == by_id_.end() ? ClassId{} : at->second;
  }
  ClassId of_primitive_array(std::uint8_t type) const noexcept {
    return primitive_arrays_[type & 15u];
  }
  ClassId named(std::string_view name) const noexcept;  // the first of that name

  std::uint32_t chain_offset(ClassId id) const noexcept { return chain_offsets_[id.value]; }
  // Superclasses before subclasses.
  std::span<const std::uint32_t> from_the_top() const noexcept { return order_; }
  // A class that names a superclass which the dump lacks, and the bytes of fields that it must have had.
  bool lacks_superclass(std::uint32_t c) const noexcept {
    return c < dumped() && missing_super_bytes_[c] != kNothingMissing;
  }
  std::uint64_t missing_bytes(std::uint32_t c) const noexcept { return missing_super_bytes_[c]; }
  // Makes the catalog, with room for `more_names` of `more_bytes` besides its own.
  Catalog make_catalog(Arena& arena, std::uint32_t more_names, std::uint64_t more_bytes) const;

  std::vector<std::uint64_t> ids;         // [dumped] class object identifiers
  std::vector<std::uint64_t> loader_ids;  // [dumped]
  std::vector<ClassId> superclass;        // [count]
  std::vector<std::string> names;         // [count] source-like
  std::vector<ClassLayout> layouts;       // [count]
  std::vector<ReferenceField> references;
  std::vector<std::uint8_t> field_types;        // own instance fields, class by class
  std::vector<std::uint32_t> first_field_type;  // [count + 1]
  std::vector<std::uint32_t> static_counts;     // [count]
  std::uint64_t cut_cycles = 0;

 private:
  void read_names(const HprofSurvey& survey);
  void link_superclasses(const HprofSurvey& survey);
  void lay_out(const HprofSurvey& survey);
  void lay_out_own(const HprofSurvey& survey, std::uint32_t c, std::uint32_t chain_offset);
  void add_primitive_array_classes();
  void number_from_the_top();

  static constexpr std::uint64_t kNothingMissing = UINT64_MAX;

  const HprofSurvey& survey_;
  const ObjectIndex& index_;
  std::vector<std::uint64_t> missing_super_bytes_;  // [dumped]
  std::unordered_map<std::uint64_t, ClassId> by_id_;
  std::array<ClassId, 16> primitive_arrays_{};
  std::vector<std::uint32_t> order_;          // superclasses before subclasses
  std::vector<std::uint32_t> chain_offsets_;  // [count] declared fields of all superclasses
};

// "java/lang/String" or "[[I" as a person writes it: "java.lang.String", "int[][]".
std::string source_class_name(std::string_view binary_name);

}  // namespace holdfast::analysis
