// Writes a method's code as the layout says, and its exception table.
// Why its own check: every instruction must come to lie where the layout put it; if not, nothing is written at all.
// Shape:  O(code), O(exception table + stretches).
// Zone:   event, offline.   Errors: kMalformedCode when layout and writing disagree (never seen), kCodeTooLong.
// Source: The Java Virtual Machine Specification, sections 4.7.3 and 6.5.
#pragma once

#include "jvmti/rewriting/code_layout.h"

namespace holdfast::jvmti {

LeftAlone write_code(const CodeLayout& layout, ByteWriter& writer) noexcept;
// The table as it was, then our own entries: last, so that the method's own handlers come first.
LeftAlone write_exception_table(const CodeLayout& layout, ByteWriter& writer) noexcept;

}  // namespace holdfast::jvmti
