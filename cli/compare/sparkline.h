// A series as one line of blocks: ▁▂▃▅█.
// Shape:  between the least and the largest value, but a range of less than a tenth of the largest is drawn flat rather than as a
//         mountain; more values than columns are averaged. A gap is a space.   Zone: offline.   Errors: none.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace holdfast::cli {

// Without `blocks` in ASCII, for terminals that have none.
std::string sparkline(std::span<const std::optional<std::uint64_t>> values, std::size_t columns,
                      bool blocks);

}  // namespace holdfast::cli
