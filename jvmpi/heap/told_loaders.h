// The class loaders of the book's classes, each once, and which of them a class has.
// Shape:  ids in ascending order, so the boot loader's 0 is the first, and the unknown one of classes that the VM shows nothing of but
//         their name the last. 4 or 8 B a class of scratch while they are found. An array class belongs to the loader of its elements' class,
//         whatever the VM tells of it.
// Zone:   capture, application running.   Errors: make(): the arena's.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "common/arena.h"
#include "common/java/class_names.h"
#include "common/snapshot/catalog.h"
#include "jvmpi/heap/class_book.h"
#include "jvmpi/heap/name_index.h"

namespace holdfast::jvmpi {

class ToldLoaders {
 public:
  static Result<ToldLoaders> make(const ClassBook& book, const NameIndex& names,
                                  Arena& scratch) noexcept {
    HF_TRY(ids, scratch.make<VmId>(book.size() + 1));
    std::size_t used = 0;
    ids[used++] = 0;
    for (const BookedClass* const of : book.classes())
      if (const VmId loader = id_of(*of, names); loader != 0) ids[used++] = loader;
    const auto all = ids.first(used);
    std::sort(all.begin(), all.end());
    const auto end = std::unique(all.begin(), all.end());
    ToldLoaders loaders;
    loaders.names_ = &names;
    loaders.ids_ = all.first(static_cast<std::size_t>(end - all.begin()));
    return loaders;
  }
  std::span<const VmId> ids() const noexcept { return ids_; }
  LoaderId of(const BookedClass& booked) const noexcept {
    const auto at = std::lower_bound(ids_.begin(), ids_.end(), id_of(booked, *names_));
    return LoaderId{static_cast<std::uint32_t>(at - ids_.begin())};
  }

 private:
  static constexpr VmId kUnknownLoader = ~VmId{0};
  static VmId id_of(const BookedClass& of, const NameIndex& names) noexcept {
    if (!of.is_array()) return of.recorded == Told::kTold ? of.loader : kUnknownLoader;
    if (of.loader != 0) return of.loader;
    const std::string_view element = java::element_of_class_name(of.name);
    const BookedClass* const elements = names.find(element, 0);
    if (elements == nullptr || element.size() <= 1) return 0;
    return elements->recorded == Told::kTold ? elements->loader : kUnknownLoader;
  }

  const NameIndex* names_ = nullptr;
  std::span<const VmId> ids_;
};

}  // namespace holdfast::jvmpi
