# Language, warnings, sanitizers. Two interface targets carry the flags:
#   hf_flags          everything of ours
#   hf_library_flags  what runs inside a VM: no exceptions, no RTTI, hidden symbols

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")

set(HF_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")
option(HF_WERROR "Warnings of the compilers that this is tested with (Debian 12) are errors" OFF)
set(_hf_werror)
if(HF_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13
    OR HF_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
  set(_hf_werror -Werror)  # a newer one knows more warnings
endif()
option(HF_LIBFUZZER "Link the *_fuzz.cpp files with libFuzzer (clang)" OFF)
option(HF_UNITY "Compile the files of a room together: fast from nothing, slow for one changed file" ON)
set(HF_UNITY_FILES 16)  # at most in one compilation

find_program(HF_CCACHE ccache)
mark_as_advanced(HF_CCACHE)
if(HF_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Two clones share what they compile: paths are taken from the source folder on. Precompiled headers need the sloppiness,
  # with which ccache hashes what they were made from.
  set(_hf_launcher env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${HF_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_hf_launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${_hf_launcher})
endif()

# What nearly every file includes. Of our own headers none: a folder would see what it may not include.
set(HF_COMMON_HEADERS <algorithm> <array> <atomic> <cstddef> <cstdint> <cstring> <functional> <map> <memory> <optional>
  <span> <string> <string_view> <type_traits> <utility> <vector> <tl/expected.hpp>)

# hf_precompile(<target> [FROM <target>]): reads these once for all files of a target, or takes them from one with the same flags.
# clang-tidy reads the commands of clang's build and wants none.
function(hf_precompile target)
  cmake_parse_arguments(arg "" "FROM" "" ${ARGN})
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    return()
  endif()
  if(arg_FROM)
    target_precompile_headers(${target} REUSE_FROM ${arg_FROM})
  else()
    target_precompile_headers(${target} PRIVATE ${HF_COMMON_HEADERS} ${arg_UNPARSED_ARGUMENTS})
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache asks for it
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 forgets which of a precompiled header's lines are the system's, and sees bounds broken in std::string.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()

add_library(hf_flags INTERFACE)
target_compile_options(hf_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion ${_hf_werror}
  -ffunction-sections -fdata-sections -fdiagnostics-color=auto
  # What runs for a moment (HF_COLD) compiles in half the time.
  $<$<AND:$<CONFIG:Release>,$<BOOL:$<TARGET_PROPERTY:HF_COLD>>>:-O1>
  # What is shipped names no folder of the machine that built it. __FILE__ stays: tests find their goldens by it, and
  # nothing shipped asks for it (tests/shipped/install_test.py).
  $<$<CONFIG:Release>:-fdebug-prefix-map=${CMAKE_SOURCE_DIR}=.>)

if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees an overlap in std::string's own operator+ when it optimizes (GCC bug 105651).
  target_compile_options(hf_flags INTERFACE -Wno-restrict)
endif()

if(CMAKE_SIZEOF_VOID_P EQUAL 4)
  target_compile_definitions(hf_flags INTERFACE _FILE_OFFSET_BITS=64)  # files of more than 2 GB
endif()

# Places where tests let a system call fail (platforms/fault_points.h). What is shipped has none.
if(HF_SANITIZE)
  target_compile_definitions(hf_flags INTERFACE HF_FAULT_POINTS)
else()
  target_compile_definitions(hf_flags INTERFACE $<$<CONFIG:Debug>:HF_FAULT_POINTS>)
endif()

if(HF_SANITIZE)
  # vptr checks need RTTI, which the library has not.
  # Optimizing a sanitizer's checks takes g++ four times as long, and telling where variables are then half of that: lines are
  # told, and what runs only for a moment (HF_COLD) stays as it is.
  target_compile_options(hf_flags INTERFACE -fsanitize=${HF_SANITIZE} -fno-sanitize=vptr
    -fno-sanitize-recover=all -fno-omit-frame-pointer
    -g1 $<IF:$<BOOL:$<TARGET_PROPERTY:HF_COLD>>,-O0,-O1>)
  target_link_options(hf_flags INTERFACE -fsanitize=${HF_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Sanitizer code sets off g++'s flow warnings in lawful code; the other presets keep them as errors.
    target_compile_options(hf_flags INTERFACE -Wno-error=maybe-uninitialized -Wno-error=stringop-overflow)
  endif()
endif()
if(HF_LIBFUZZER)
  target_compile_options(hf_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

add_library(hf_library_flags INTERFACE)
target_link_libraries(hf_library_flags INTERFACE hf_flags)
target_compile_options(hf_library_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>)
