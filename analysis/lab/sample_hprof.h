// The smallest HPROF file that has one of everything: for cutting and forging byte by byte, and as the fuzzer's seed.
// Shape:  about 2 KB, 17 objects; every kind of record, root and sub-record, Android's included; nothing is damaged.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstddef>
#include <vector>

namespace holdfast::analysis::lab {

std::vector<std::byte> sample_hprof(unsigned id_bytes, bool segments);

}  // namespace holdfast::analysis::lab
