// Names of classes as people write them: "Lshop/Session;" -> "shop.Session", "[[I" and "[[Lshop.Session;" -> "int[][]", "shop.Session[][]".
// Why: reports are read by people and compared with `jcmd GC.class_histogram`; a hidden class keeps the form that jcmd prints
//      ("shop.App$$Lambda/0x00007f8cfc003978": JVMTI writes the '/' as '.').
// Shape:  pure; O(length).   Zone: any.   Errors: none; what is no signature is answered as it is, and cut to kMaxNameBytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast::java {

struct ClassName {
  static constexpr std::size_t kMaxNameBytes = 8192;  // longer than any name a string table keeps
  char text[kMaxNameBytes];
  std::size_t bytes = 0;
  std::string_view view() const noexcept { return {text, bytes}; }
};

void name_from_signature(std::string_view signature, ClassName& out) noexcept;
// As Class.getName() has it: dotted, and only arrays with letters.
void name_from_class_name(std::string_view name, ClassName& out) noexcept;
// The class of an array's innermost elements, in the same form; a primitive type's letter where it is one.
std::string_view element_of_class_name(std::string_view name) noexcept;
bool is_array_signature(std::string_view signature) noexcept;

}  // namespace holdfast::java
