// A JSON document as text, for programs, and harmless where somebody lets a terminal show it.
// Why not as the library writes it: it escapes what JSON demands, control characters below U+0020, and no others. U+009B is
//      an order to some terminals as much as an escape is, and U+202E turns writing around. Escaped they are the same text to
//      every program.
// Shape:  O(length). `indent` below 0: one line.   Zone: offline.   Errors: none; invalid UTF-8 becomes U+FFFD.
// Source: RFC 8259, section 7: any character may be escaped, those beyond U+FFFF as a surrogate pair.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace holdfast::cli {

std::string json_text(const nlohmann::ordered_json& document, int indent = 1);

}  // namespace holdfast::cli
