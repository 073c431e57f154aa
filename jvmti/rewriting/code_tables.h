// The attributes of a code that name places in it: lines and local variables are moved; what nobody in a VM reads is left out.
// Why some are left out: a type annotation on code nests without end and is told by no interface of a running VM; tables of
//      character ranges and the frames of small devices likewise. Kept, they would point to the wrong instructions.
// Shape:  line: start. variable: start, length, three indices. A stretch that begins at 0 still begins at 0.
// Zone:   event, offline.   Errors: kMalformedCode where a place is no instruction's.
// Source: The Java Virtual Machine Specification, sections 4.7.12 to 4.7.14, 4.7.20.
#pragma once

#include <string_view>

#include "jvmti/rewriting/code_layout.h"

namespace holdfast::jvmti {

enum class CodeTable : std::uint8_t { kNone, kFrames, kLines, kVariables, kLeftOut };
CodeTable code_table(std::string_view attribute_name) noexcept;

// The content of one attribute, moved.
LeftAlone write_lines(Bytes content, const CodeLayout& layout, ByteWriter& writer) noexcept;
LeftAlone write_variables(Bytes content, const CodeLayout& layout, ByteWriter& writer) noexcept;

}  // namespace holdfast::jvmti
