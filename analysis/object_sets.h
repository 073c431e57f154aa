// Sets of objects, chosen by what their class is called: what every set query starts from.
// Shape:  one bit an object, in words of 64: bit v & 63 of words[v >> 6]. objects == bits set; shallow_bytes == their sum.
//         Choosing costs O(classes * name + n); the classes are matched once, objects only look up their class.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/arena.h"
#include "common/cancel.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::analysis {

struct ObjectSet {
  std::span<std::uint64_t> words;
  std::uint64_t objects = 0;
  std::uint64_t shallow_bytes = 0;

  static Result<ObjectSet> make(const Snapshot& snapshot, Arena& arena) noexcept;  // an empty one

  bool contains(std::uint32_t object) const noexcept {
    return (words[object >> 6] >> (object & 63) & 1u) != 0;
  }
  // False when it was in already.
  bool insert(const Snapshot& snapshot, std::uint32_t object) noexcept {
    if (contains(object)) return false;
    words[object >> 6] |= std::uint64_t{1} << (object & 63);
    ++objects;
    shallow_bytes += snapshot.shallow_bytes(ObjectId{object});
    return true;
  }
  // visit(object) in rising order.
  template <class Visit>
  void for_each(Visit visit) const noexcept {
    for (std::size_t w = 0; w < words.size(); ++w) {
      for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1)
        visit(
            static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
    }
  }
};

// What a pattern (name_pattern.h) is compared with.
enum class SelectBy : std::uint8_t {
  kClassName,
  kExactClassName,  // no pattern: '*' and '?' are themselves
  kLoaderName,
  kPackage,  // as package_of() says; a pattern for sub-packages, too, is "shop*"
};

struct ObjectQuery {
  SelectBy by = SelectBy::kClassName;
  std::string_view pattern;
  bool subclasses = false;     // of matching classes, too
  bool class_objects = false;  // the class objects of those classes, too
};

// [class count + 1], the last for objects of unknown class (never of a loader or package).
Result<std::span<const bool>> select_classes(const Catalog& catalog, const ObjectQuery& query,
                                             Arena& arena, const CancelToken& cancel) noexcept;
Result<ObjectSet> select_objects(const Snapshot& snapshot, const ObjectQuery& query, Arena& arena,
                                 const CancelToken& cancel) noexcept;
// All objects, held or not, whose row in `classes` (as select_classes makes them) is true.
Result<ObjectSet> objects_of_classes(const Snapshot& snapshot, std::span<const bool> classes,
                                     bool class_objects, Arena& arena,
                                     const CancelToken& cancel) noexcept;
// One class of one loader.
Result<ObjectSet> objects_of_class(const Snapshot& snapshot, ClassId class_id, Arena& arena,
                                   const CancelToken& cancel) noexcept;
// A list of objects; invalid ids are left out.
Result<ObjectSet> set_of_objects(const Snapshot& snapshot, std::span<const ObjectId> objects,
                                 Arena& arena) noexcept;

}  // namespace holdfast::analysis
