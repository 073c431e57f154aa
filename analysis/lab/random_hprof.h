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

// Like a real heap, of any number of objects: rising addresses with a few strays, 4-byte references, classes here and there,
// about 2.5 references an object, threads with locals, some identifiers repeated.
std::vector<std::byte> large_hprof(std::uint32_t objects, std::uint64_t seed);

}  // namespace holdfast::analysis::lab
