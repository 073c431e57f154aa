# The version, from project(VERSION), and which build this is: what `git describe` says of the sources, or what HF_BUILD_DESCRIPTION
# says where there is no git (an archive of the sources). Asked at every build, since commits come between configurations; one small
# file is then compiled again, and only what is shipped is linked again.

set(HF_BUILD_DESCRIPTION "" CACHE STRING "Which build this is, for --version; empty: what git describe says")
find_program(HF_GIT git)
mark_as_advanced(HF_GIT)

# The files that know it: in sources of their own, so that no other file is compiled again.
function(hf_version_sources)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/common/version.cpp PROPERTIES
    COMPILE_DEFINITIONS HOLDFAST_VERSION="${PROJECT_VERSION}" SKIP_UNITY_BUILD_INCLUSION ON)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/common/build_description.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(made ${CMAKE_BINARY_DIR}/version/build_description.cpp)
  add_custom_target(hf_build_description_text BYPRODUCTS ${made}
    COMMAND ${CMAKE_COMMAND} -D OUT=${made} -D GIT=${HF_GIT} -D SOURCE=${CMAKE_SOURCE_DIR}
      -D VERSION=${PROJECT_VERSION} "-DGIVEN=${HF_BUILD_DESCRIPTION}" -P ${CMAKE_SOURCE_DIR}/cmake/build_description.cmake
    COMMENT "" VERBATIM)
  add_library(hf_build_description OBJECT ${made})
  add_dependencies(hf_build_description hf_build_description_text)
  target_link_libraries(hf_build_description PRIVATE hf_library_flags hf_common)
endfunction()

# hf_describe_build(<target>): of what is shipped. Its own object goes before the one in the library.
function(hf_describe_build target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:hf_build_description>)
endfunction()
