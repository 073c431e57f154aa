# The service of `holdfast demo`: its classes are compiled here and ship as share/holdfast/demo, so the demo needs nothing but a Java
# runtime. Without javac it is left out, and the command says so.
find_program(HF_JAVAC javac HINTS ENV JAVA_HOME PATH_SUFFIXES bin DOC "Compiles the demo's service; empty: left out")
if(NOT HF_JAVAC)
  file(GLOB _hf_javac_places /usr/lib/jvm/*/bin)
  find_program(HF_JAVAC javac PATHS ${_hf_javac_places})
endif()
set(HF_DEMO_RELEASE 8 CACHE STRING "The oldest Java that the demo's service runs on")

# hf_add_demo(<target> <folder>): the Java files of the folder, and <target> learns that they are there.
function(hf_add_demo target folder)
  if(NOT HF_JAVAC)
    message(STATUS "No javac found: without `holdfast demo`")
    return()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.java)
  set(classes ${CMAKE_BINARY_DIR}/share/holdfast/demo)
  add_custom_command(OUTPUT ${classes}/LeakyService.class
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${classes}
    COMMAND ${HF_JAVAC} --release ${HF_DEMO_RELEASE} -Xlint:-options -g -proc:none -d ${classes} ${sources}
    DEPENDS ${sources}
    COMMENT "javac ${folder}"
    VERBATIM)
  add_custom_target(holdfast_demo ALL DEPENDS ${classes}/LeakyService.class)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/cli/demo/demo_service.cpp PROPERTIES
    COMPILE_DEFINITIONS HF_DEMO_SERVICE SKIP_UNITY_BUILD_INCLUSION ON)
  add_dependencies(${target} holdfast_demo)
  add_dependencies(all_shipped holdfast_demo)
endfunction()
