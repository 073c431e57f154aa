// Types of fields, elements and constants in a JVMPI dump, and how wide their values are.
// Shape:  the numbers of JVMPI's basic types in one byte; 0: none of them.   Zone: any (constexpr).   Errors: kUnknown.
// Source: JVMPI, dump formats; the class file format for signatures.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::jvmpi {

enum class ValueType : std::uint8_t {
  kUnknown = 0,
  kReference = 2,
  kBoolean = 4,
  kChar = 5,
  kFloat = 6,
  kDouble = 7,
  kByte = 8,
  kShort = 9,
  kInt = 10,
  kLong = 11,
};

constexpr ValueType value_type_of(std::uint8_t number) noexcept {
  const bool known = number == 2 || (number >= 4 && number <= 11);
  return known ? static_cast<ValueType>(number) : ValueType::kUnknown;
}

constexpr bool is_primitive(ValueType type) noexcept { return type > ValueType::kReference; }

// By the first letter of a field's signature in internal form.
constexpr ValueType value_type_of_signature(char letter) noexcept {
  switch (letter) {
    case 'L':
    case '[':
      return ValueType::kReference;
    case 'Z':
      return ValueType::kBoolean;
    case 'C':
      return ValueType::kChar;
    case 'F':
      return ValueType::kFloat;
    case 'D':
      return ValueType::kDouble;
    case 'B':
      return ValueType::kByte;
    case 'S':
      return ValueType::kShort;
    case 'I':
      return ValueType::kInt;
    case 'J':
      return ValueType::kLong;
    default:
      return ValueType::kUnknown;
  }
}

// 0: unknown.
constexpr std::size_t value_bytes(ValueType type, std::size_t id_bytes) noexcept {
  switch (type) {
    case ValueType::kReference:
      return id_bytes;
    case ValueType::kBoolean:
    case ValueType::kByte:
      return 1;
    case ValueType::kChar:
    case ValueType::kShort:
      return 2;
    case ValueType::kFloat:
    case ValueType::kInt:
      return 4;
    case ValueType::kDouble:
    case ValueType::kLong:
      return 8;
    case ValueType::kUnknown:
      break;
  }
  return 0;
}

}  // namespace holdfast::jvmpi
