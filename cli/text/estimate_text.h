// Estimates as people read them: "1.2 GB ±3 %", no more digits than the error leaves.
// Why: "58.3 MB ±20 %" claims a digit that nobody knows.
// Shape:  an error of 5 % and more leaves two digits, of 50 % and more one. ± is one standard error; none stands beside what was counted.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <string>

namespace holdfast::cli {

std::string estimated_bytes(std::uint64_t bytes, std::uint64_t standard_error);
std::string estimated_count(std::uint64_t count, std::uint64_t standard_error);

}  // namespace holdfast::cli
