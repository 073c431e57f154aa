// A sentence about what an import lost, made as printf makes it.
// Zone:   offline.   Errors: none; longer ones than a note of the report are cut.
#pragma once

#include <string>

namespace holdfast::analysis {

__attribute__((format(printf, 1, 2))) std::string loss_sentence(const char* format, ...);

}  // namespace holdfast::analysis
