#include "common/version.h"

#ifndef HOLDFAST_VERSION
#error "cmake/HfVersion.cmake says the version"
#endif

namespace holdfast {

constinit const std::string_view kVersion = HOLDFAST_VERSION;

}  // namespace holdfast
