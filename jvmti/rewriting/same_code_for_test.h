// Whether a rewritten class still does what it did: the oracle of tests and fuzzing.
// How: what was inserted is known by whom it calls and is skipped; what is left must be the old instructions in their order, and
//      every branch, table and exception entry must lead to the instruction that it led to before.
// Zone:   offline.   Errors: a text that says what differs; empty when nothing does.
#pragma once

#include <string>

#include "jvmti/rewriting/big_endian.h"

namespace holdfast::jvmti {

std::string difference(Bytes before, Bytes after);

}  // namespace holdfast::jvmti
