// What a field's signature says of it, as far as naming the references inside it needs.
// Shape:  pure over the blob. A struct is told by token and simple arguments; anything more involved is kOther.
// Zone:   any.   Errors: none; a blob that is cut or senseless is kOther.
// Source: ECMA-335 II.23.2.4 (FieldSig), II.23.2.12 (Type), II.23.2 (compressed integers, TypeDefOrRef).
#pragma once

#include <cstdint>
#include <span>

#include "clrprofiler/com.h"

namespace holdfast::clr {

// A type that can stand in an argument list: by number of the owner's argument, by token, or by what it is.
struct SimpleType {
  CorElementType kind =
      ELEMENT_TYPE_END;  // VAR: argument; CLASS, VALUETYPE: token; else a primitive, STRING or OBJECT
  std::uint32_t argument = 0;
  mdToken token = 0;
};

struct FieldType {
  static constexpr std::size_t kMaxArguments = 8;
  enum class Kind : std::uint8_t { kOther, kReference, kStruct, kArgument };
  Kind kind = Kind::kOther;
  mdToken token = 0;           // kStruct: typedef or typeref
  std::uint32_t argument = 0;  // kArgument: which of the owner's type arguments
  std::uint32_t argument_count = 0;
  SimpleType arguments[kMaxArguments];  // kStruct, generic
};

FieldType parse_field_type(std::span<const std::uint8_t> signature) noexcept;

}  // namespace holdfast::clr
