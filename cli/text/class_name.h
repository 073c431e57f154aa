// Class names made shorter for a column: the middle goes, the telling end stays.
// Why: "com.acme.shop.internal.pool.Session" says most in its last part and something in its first.
// Shape:  shorten_name("com.acme.shop.internal.pool.Session", 24) == "com.acme…pool.Session". Parts are split at '.' outside
//         of <>, [] and (). A last part that does not fit alone loses its own middle. O(length).
// Zone:   offline.   Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::cli {

// `name` in at most `columns` columns (at least 1).
std::string shorten_name(std::string_view name, std::size_t columns);
// Any text: its middle replaced by an ellipsis.
std::string shorten_middle(std::string_view text, std::size_t columns);

}  // namespace holdfast::cli
