// Flags of HotSpot's compilers that exact counting writes: in Agent_OnLoad, before the compilers start and read them.
// Why written: no interface sets them, and an agent's user should not have to know them.
// Shape:  found by name in the tables that vm_flags reads.
// Zone:   load.
// Errors: a flag that is not there, or that somebody has set himself, stays as it is, and the answer says so.
// Source: HotSpot, opto/stringopts.cpp, opto/library_call.cpp, opto/compile.cpp (too_many_recompiles).
#pragma once

#include "jvmti/hotspot/vm_tables.h"

namespace holdfast::jvmti {

// Compiler shortcuts that make objects without running the bytecode that would: `+OptimizeStringConcat` makes strings past every
// constructor, the intrinsic of StringUTF16.toBytes an array of its own. Turned off by writing the flags, which the compilers read when
// they start: so only in Agent_OnLoad. Whoever has named intrinsics himself (-XX:DisableIntrinsic) keeps his list.
struct OffShortcuts {
  bool string_concatenation = false;
  bool string_bytes = false;  // also where the VM has no such intrinsic (before 9)
};
OffShortcuts turn_off_shortcuts(VmSymbol symbol, bool strings_are_bytes) noexcept;

// A method that was compiled anew 200 times gets traps that change nothing any more, however often they are met; and a compiled method counts
// for this what all methods in it were compiled anew. The counting code is in all of them, many times over, and each of the few times that
// it was compiled anew itself would count each time: a search program ran four times slower. So the limit is raised. False: it was not.
bool raise_recompilation_limit(VmSymbol symbol) noexcept;

}  // namespace holdfast::jvmti
