# cmake -D OUT= -D GIT= -D SOURCE= -D VERSION= -D GIVEN= -P: writes the source file, unless it says the same already.
set(text "${GIVEN}")
if(NOT text AND GIT)  # of this tree, not of one around it
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel
    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(top)
    file(REAL_PATH "${top}" top)
  endif()
  file(REAL_PATH "${SOURCE}" source)
endif()
if(GIT AND NOT text AND top STREQUAL source)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 --match "v[0-9]*"
    OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT text MATCHES "^[0-9A-Za-z._+~:-]*$")
  message(FATAL_ERROR "HF_BUILD_DESCRIPTION=${text}: letters, digits and . _ + ~ : - are allowed")
endif()
set(words "${VERSION}")
if(text)
  string(APPEND words " ${text}")
endif()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT "// Made by cmake/build_description.cmake.
#include \"common/version.h\"

namespace holdfast {
namespace {

// One text for both, which what(1) and `holdfast doctor` find in the file.
constexpr std::string_view kText = \"@(#)holdfast ${words}\";
constexpr std::size_t kDescription = kVersionMark.size() + sizeof \"${VERSION}\";

}  // namespace

std::string_view build_description() noexcept {
  return kText.substr(kDescription < kText.size() ? kDescription : kText.size());
}

}  // namespace holdfast
")
