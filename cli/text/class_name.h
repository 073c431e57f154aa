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

// A name without what is different in each run of the program: the address (of JDK 8 to 14: hash) of a hidden class, and the running
// number of a lambda's. "shop.Window$$Lambda$14/0x00007f98c4001200" and "shop.Window$$Lambda/0x0000000060040860" (JDK 21 and
// later) become "shop.Window$$Lambda", and so does what heap dumps write, with '+' or without an address; other names stay.
// Source: OpenJDK: InnerClassLambdaMetafactory (the number), ClassFileParser::mangle_hidden_class_name (the address, 15 and later).
std::string_view without_run(std::string_view name);

}  // namespace holdfast::cli
