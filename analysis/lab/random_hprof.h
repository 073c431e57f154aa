// HPROF files full of what real ones seldom have: both identifier sizes, narrow and wide references, odd alignments, missing
// and cyclic superclasses, missing classes and loaders, repeated and zero identifiers, all kinds of root, tiny segments.
// Shape:  seeded, the same on every machine; well-formed, so that the oracle can read them. 2 to about 150 objects.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace holdfast::analysis::lab {

std::vector<std::byte> random_hprof(std::uint64_t seed);

}  // namespace holdfast::analysis::lab
