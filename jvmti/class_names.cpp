#include "jvmti/class_names.h"

#include "common/snapshot/catalog.h"

namespace holdfast::jvmti {

namespace {

void append(ClassName& out, char c) noexcept {
  if (out.bytes < ClassName::kMaxNameBytes) out.text[out.bytes++] = c;
}

void append(ClassName& out, std::string_view text) noexcept {
  for (const char c : text) append(out, c);
}

// Inside "L…;" a '/' parts packages, and a '.' the class from the address of a hidden one.
void append_class(ClassName& out, std::string_view internal) noexcept {
  for (const char c : internal) append(out, c == '/' ? '.' : c == '.' ? '/' : c);
}

}  // namespace

bool is_array_signature(std::string_view signature) noexcept {
  return !signature.empty() && signature.front() == '[';
}

void name_from_signature(std::string_view signature, ClassName& out) noexcept {
  out.bytes = 0;
  std::size_t dimensions = 0;
  while (dimensions < signature.size() && signature[dimensions] == '[') ++dimensions;
  const std::string_view element = signature.substr(dimensions);
  const std::string_view primitive =
      element.size() == 1 ? primitive_name(element.front()) : std::string_view{};
  if (!primitive.empty()) {
    append(out, primitive);
  } else if (element.size() >= 2 && element.front() == 'L' && element.back() == ';') {
    append_class(out, element.substr(1, element.size() - 2));
  } else {
    append(out, element);
  }
  for (std::size_t i = 0; i < dimensions; ++i) append(out, "[]");
}

}  // namespace holdfast::jvmti
