#include "common/java/class_names.h"

#include "common/snapshot/catalog.h"

namespace holdfast::java {

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

namespace {

std::size_t dimensions_of(std::string_view signature) noexcept {
  const std::size_t element = signature.find_first_not_of('[');
  return element != std::string_view::npos ? element : signature.size();
}

bool is_reference(std::string_view element) noexcept {
  return element.size() >= 2 && element.front() == 'L' && element.back() == ';';
}

std::string_view primitive_of(std::string_view element) noexcept {
  return element.size() == 1 ? primitive_name(element.front()) : std::string_view{};
}

}  // namespace

void name_from_signature(std::string_view signature, ClassName& out) noexcept {
  out.bytes = 0;
  const std::size_t dimensions = dimensions_of(signature);
  const std::string_view element = signature.substr(dimensions);
  if (const std::string_view primitive = primitive_of(element); !primitive.empty()) {
    append(out, primitive);
  } else if (is_reference(element)) {
    append_class(out, element.substr(1, element.size() - 2));
  } else {
    append(out, element);
  }
  for (std::size_t i = 0; i < dimensions; ++i) append(out, "[]");
}

void name_from_class_name(std::string_view name, ClassName& out) noexcept {
  out.bytes = 0;
  const std::string_view element = element_of_class_name(name);
  const bool array = is_array_signature(name);
  const std::string_view primitive = array ? primitive_of(element) : std::string_view{};
  append(out, primitive.empty() ? element : primitive);
  if (!array) return;
  for (std::size_t i = 0; i < dimensions_of(name); ++i) append(out, "[]");
}

std::string_view element_of_class_name(std::string_view name) noexcept {
  if (!is_array_signature(name)) return name;
  const std::string_view element = name.substr(dimensions_of(name));
  return is_reference(element) ? element.substr(1, element.size() - 2) : element;
}

}  // namespace holdfast::java
