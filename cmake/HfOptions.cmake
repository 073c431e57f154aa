# What is built. Each part may be left out; the rest then asks only for the packages that it needs.
#   without the agent    no JDK headers; without the tests as well: no libuv, no mimalloc
#   without the command  no CLI11, nlohmann-json, protozero, zlib; no analysis/import
#   without the tests    no doctest, no node; no tests/, no analysis/lab, no file for tests of any folder
#   without the web      no esbuild, no d3: the command refuses --html, and --help says so

option(HOLDFAST_BUILD_AGENT "Build libholdfast.so" ON)
option(HOLDFAST_BUILD_CLI "Build the command holdfast" ON)
option(HOLDFAST_BUILD_TESTS "Build the tests" ON)
option(HOLDFAST_BUILD_WEB "Build the web pages of the command" ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
if(NOT HOLDFAST_BUILD_AGENT AND NOT HOLDFAST_BUILD_CLI AND NOT HOLDFAST_BUILD_TESTS)
  message(FATAL_ERROR "Nothing to build: HOLDFAST_BUILD_AGENT, HOLDFAST_BUILD_CLI and HOLDFAST_BUILD_TESTS are all OFF.")
endif()
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND NOT HOLDFAST_BUILD_AGENT)
  message(FATAL_ERROR "With 32 bits only the agent is built; HOLDFAST_BUILD_AGENT is OFF.")
endif()
