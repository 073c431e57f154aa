// A JSON document packed for a page: every text once, gzip, base64.
// Why texts once: a report names the same classes thousands of times, in 512 bytes each; written out, 2 MB of report become 100 MB of JSON.
// Why base64: nothing in it can end a script element or a line, so no name of any program can leave its place.
// Shape:  {"texts": [...], "document": ...}, where each text value of the document is the number of its text in base 36 (a text
//         too, so that numbers stay numbers); keys stay as they are. Unpacked by page/unpack.js. O(document).
// Zone:   offline.   Errors: std::runtime_error from zlib; invalid UTF-8 becomes U+FFFD.
#pragma once

#include <string>

#include "cli/report/json_value.h"

namespace holdfast::cli {

Json with_texts_once(const Json& document);
std::string packed_document(const Json& document);

}  // namespace holdfast::cli
