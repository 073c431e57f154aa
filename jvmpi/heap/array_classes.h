// The class of an array, by the VM's name for it: of the book's classes, where the VM told it.
// Why by name: an array of references was told with its elements' class on some VMs and with its own on others: where one of them all is
//      no array class, it is the elements'.
// Shape:  a view of a book and an index of its names; names are the VM's, "[I" and "[Lshop/Order;" or with dots, as its classes have them.
// Zone:   capture, application running.   Errors: none; nullptr: the VM told it nowhere.
#pragma once

#include <algorithm>
#include <string_view>

#include "common/java/class_names.h"
#include "jvmpi/heap/class_book.h"
#include "jvmpi/heap/name_index.h"

namespace holdfast::jvmpi {

class ArrayClasses {
 public:
  ArrayClasses(const ClassBook& book, const NameIndex& names) noexcept
      : names_(names), told_with_elements_(are_told_with_elements(book)) {}

  // Of the arrays that were told with this class.
  const BookedClass* of_told(const BookedClass& told_with) const noexcept {
    if (!told_with_elements_) return &told_with;
    java::ClassName name;
    name_of(told_with.name, name);
    const BookedClass* const found = names_.find(name.view(), told_with.loader);
    // Of another loader, if the VM tells loaders of array classes at all.
    const bool others = found != nullptr && found->loader != 0 && found->loader != told_with.loader;
    return others ? nullptr : found;
  }
  const BookedClass* of_primitives(ValueType element) const noexcept {
    java::ClassName name;
    name_of(element, name);
    return names_.find(name.view(), 0);
  }

  static void name_of(std::string_view element, java::ClassName& out) noexcept {
    const bool array = java::is_array_signature(element);
    out.bytes = 0;
    append(array ? "[" : "[L", out);
    append(element, out);
    if (!array) append(";", out);
  }
  static void name_of(ValueType element, java::ClassName& out) noexcept {
    const char name[] = {'[', letter_of(element)};
    out.bytes = 0;
    append({name, sizeof name}, out);
  }

 private:
  static bool are_told_with_elements(const ClassBook& book) noexcept {
    for (const BookedClass* const of : book.classes())
      if (of->holds_arrays && of->loaded == Told::kTold && !of->is_array()) return true;
    return false;
  }
  static void append(std::string_view text, java::ClassName& out) noexcept {
    const std::size_t bytes = std::min(text.size(), java::ClassName::kMaxNameBytes - out.bytes);
    std::copy_n(text.data(), bytes, out.text + out.bytes);
    out.bytes += bytes;
  }
  static char letter_of(ValueType type) noexcept {
    switch (type) {
      case ValueType::kBoolean:
        return 'Z';
      case ValueType::kChar:
        return 'C';
      case ValueType::kFloat:
        return 'F';
      case ValueType::kDouble:
        return 'D';
      case ValueType::kByte:
        return 'B';
      case ValueType::kShort:
        return 'S';
      case ValueType::kInt:
        return 'I';
      default:
        return 'J';
    }
  }

  const NameIndex& names_;
  bool told_with_elements_;
};

}  // namespace holdfast::jvmpi
