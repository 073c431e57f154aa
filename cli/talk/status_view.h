// What an agent says about itself, as text and as JSON.
// Shape:  text: who and since when first, then what waits (triggers), what was done (dumps), what it costs; at most `columns` wide
//         but for paths that are longer. JSON: one object, schema_version 1; only ever added to.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstddef>
#include <string>

#include "common/control/messages.h"

namespace holdfast::cli {

std::string status_text(const control::Status& status, std::size_t columns, bool colour);
std::string status_json(const control::Status& status);

}  // namespace holdfast::cli
