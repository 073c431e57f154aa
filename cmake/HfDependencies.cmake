# Third-party names. Only find_package and find_path here, so that `./dev deps`, vcpkg, Conan and a
# system install all work; build/deps is where `./dev deps` puts what a distribution has not in a
# form that can go into a shared object.

set(HF_DEPS ${CMAKE_SOURCE_DIR}/build/deps CACHE PATH "Where ./dev deps installed libuv and mimalloc")
list(PREPEND CMAKE_PREFIX_PATH ${HF_DEPS})

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
# The modules that tests import (jsonschema, markdown-it, rich) belong to the system's Python.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 COMPONENTS Interpreter REQUIRED)

# Takes the first target that exists: packagers name the same library differently.
function(hf_alias name)
  add_library(hf::${name} INTERFACE IMPORTED GLOBAL)
  foreach(candidate IN LISTS ARGN)
    if(TARGET ${candidate})
      target_link_libraries(hf::${name} INTERFACE ${candidate})
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "No static ${name} for a shared object found. Run ./dev deps, "
    "or point CMAKE_PREFIX_PATH at one (looked for targets: ${ARGN}).")
endfunction()

if(HOLDFAST_BUILD_TESTS)
  find_package(doctest REQUIRED)
endif()
if(HOLDFAST_BUILD_AGENT OR HOLDFAST_BUILD_TESTS)
  find_package(libuv CONFIG QUIET)
  hf_alias(uv libuv::uv_a uv_a)
  find_package(mimalloc CONFIG QUIET)
  hf_alias(mimalloc mimalloc-static)
endif()
find_package(zstd CONFIG REQUIRED)
hf_alias(zstd zstd::libzstd_static)
# Headers only. XXH_INLINE_ALL keeps libxxhash out of the link.
find_path(HF_XXHASH_INCLUDE xxhash.h REQUIRED)
add_library(hf::xxhash INTERFACE IMPORTED GLOBAL)
target_include_directories(hf::xxhash SYSTEM INTERFACE ${HF_XXHASH_INCLUDE})
target_compile_definitions(hf::xxhash INTERFACE XXH_INLINE_ALL)

# Headers only as well: generated code, builder and verifier are all inline.
find_path(HF_FLATBUFFERS_INCLUDE flatbuffers/flatbuffers.h REQUIRED)
find_program(HF_FLATC flatc REQUIRED)
add_library(hf::flatbuffers INTERFACE IMPORTED GLOBAL)
target_include_directories(hf::flatbuffers SYSTEM INTERFACE ${HF_FLATBUFFERS_INCLUDE})

# The command's. With 32 bits neither it nor what it imports is built.
if(HOLDFAST_BUILD_CLI AND NOT CMAKE_SIZEOF_VOID_P EQUAL 4)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  set(ZLIB_USE_STATIC_LIBS ON)  # the command is one static file
  find_package(ZLIB REQUIRED)
  hf_alias(zlib ZLIB::ZLIB)

  # Headers only: protobuf messages by field number.
  find_path(HF_PROTOZERO_INCLUDE protozero/pbf_builder.hpp REQUIRED)
  add_library(hf::protozero INTERFACE IMPORTED GLOBAL)
  target_include_directories(hf::protozero SYSTEM INTERFACE ${HF_PROTOZERO_INCLUDE})
endif()

# jni.h and jvmti.h: any JDK will do, the interface only ever grows.
if(HOLDFAST_BUILD_AGENT)
  find_path(HF_JNI_INCLUDE jvmti.h HINTS ENV JAVA_HOME PATH_SUFFIXES include)
  if(NOT HF_JNI_INCLUDE)
    file(GLOB homes /usr/lib/jvm/*/include)
    find_path(HF_JNI_INCLUDE jvmti.h PATHS ${homes} REQUIRED)
  endif()
  string(TOLOWER ${CMAKE_SYSTEM_NAME} _hf_jni_system)
  add_library(hf::jni INTERFACE IMPORTED GLOBAL)
  target_include_directories(hf::jni SYSTEM INTERFACE
    ${HF_JNI_INCLUDE} ${HF_JNI_INCLUDE}/${_hf_jni_system})
endif()
