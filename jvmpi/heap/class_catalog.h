// The catalog of a dump, from what the book has: rows of classes, of loaders, threads and methods, and their names.
// Why after the reading: nobody knows how many classes there are before all have been met.
// Shape:  one row for each class that was told; one more for an array class that is nowhere told but has instances, and for arrays of
//         primitive types. Names are source-like. interface_field_count is 0: no VM of this interface counts those.
//         36 B a class + 4 B a field + names, in the catalog arena; 12 B a class of scratch.
// Zone:   capture, application running: nothing is asked of the VM any more.
// Errors: the arena's; names that find no room are counted (string_table.h).
#pragma once

#include "common/snapshot/builder.h"
#include "jvmpi/heap/class_book.h"
#include "jvmpi/heap/told_roots.h"

namespace holdfast::jvmpi {

// A class's object's number, by its id; invalid: it was never reached.
using ObjectOf = ObjectId (*)(void* context, VmId id) noexcept;

struct CatalogInput {
  const ClassBook& book;
  std::uint32_t primitive_arrays;  // bit t: arrays of ValueType t were met
  const ToldRoots* roots;          // nullptr: a dump without objects
  ObjectOf object_of;              // nullptr likewise
  void* context;
  ClassId (*class_of)(void* context,
                      VmId id) noexcept;  // of a loader: its number while reading
};

struct BookedCatalog {
  Catalog catalog;
  std::span<ClassId> row_of_number;  // [numbers_used(book)], in the scratch arena
};

// `kept`: for the catalog; `scratch`: for row_of_number, which the caller gives back.
Result<void> make_catalog(const CatalogInput& input, Arena& kept, Arena& scratch,
                          BookedCatalog& out) noexcept;

}  // namespace holdfast::jvmpi
