# The two things that are shipped: libholdfast.so and the command.
# Both carry the C++ runtime inside and keep their debug information beside them.

set(HF_SHIPPED_LINK_OPTIONS -Wl,--gc-sections -Wl,-z,now -Wl,-z,relro)

# With -m32 the compiler of amd64 names no folder of libraries. The newest system of 32 bits that servers had much of is CentOS 6.
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND NOT CMAKE_CXX_LIBRARY_ARCHITECTURE MATCHES "musl")
  set(_hf_floor 2.12)
elseif(CMAKE_CXX_LIBRARY_ARCHITECTURE MATCHES "linux-gnu")
  set(_hf_floor 2.17)
endif()
if(DEFINED _hf_floor)
  set(HF_GLIBC_FLOOR ${_hf_floor} CACHE STRING "Oldest glibc the agent must load on; empty: whatever this machine has")
endif()

# hf_add_agent(<adapter>...): every adapter whose folder has sources, in one library.
# A sanitizer's runtime cannot live in somebody else's VM; there the adapters run against fake VMs.
function(hf_add_agent)
  _hf_with_sources(adapters ${ARGN})
  if(HF_SANITIZE OR NOT adapters)
    return()
  endif()
  set(exports ${CMAKE_BINARY_DIR}/exports.map)
  add_library(holdfast_agent SHARED)
  _hf_write_exports(${exports} ${adapters})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/anchor/agent.cpp CONTENT "namespace holdfast {}\n")
  target_sources(holdfast_agent PRIVATE ${CMAKE_BINARY_DIR}/anchor/agent.cpp)
  target_link_libraries(holdfast_agent PRIVATE hf_flags ${adapters})
  hf_describe_build(holdfast_agent)
  # nodelete: a CLR that has let go of the agent unloads its library 0.3 s later, threads of ours or not. It then stays in memory.
  target_link_options(holdfast_agent PRIVATE ${HF_SHIPPED_LINK_OPTIONS} -Wl,-z,nodelete
    -static-libstdc++ -static-libgcc -Wl,--no-undefined -Wl,--version-script,${exports})
  set_target_properties(holdfast_agent PROPERTIES
    OUTPUT_NAME holdfast LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} LINK_DEPENDS ${exports})
  hf_link_old_glibc(holdfast_agent)
  hf_split_debug(holdfast_agent)
endfunction()

# Links against stand-ins for libc that know no symbol above the floor: platforms/linux/glibc_floor.
function(hf_link_old_glibc target)
  if(NOT HF_GLIBC_FLOOR)
    return()
  endif()
  set(source ${CMAKE_SOURCE_DIR}/platforms/linux/glibc_floor)
  set(stubs ${CMAKE_BINARY_DIR}/glibc_floor)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS}")  # -m32 says whose libc
  add_custom_command(OUTPUT ${stubs}/libc.so
    COMMAND ${Python3_EXECUTABLE} ${source}/make_stubs.py ${HF_GLIBC_FLOOR} ${stubs} ${CMAKE_C_COMPILER} ${flags}
    DEPENDS ${source}/make_stubs.py
    COMMENT "glibc ${HF_GLIBC_FLOOR} to link against"
    VERBATIM)
  target_sources(${target} PRIVATE ${source}/newer_symbols.cpp ${stubs}/libc.so)
  target_link_directories(${target} BEFORE PRIVATE ${stubs})
  set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON)  # the stubs are for the linker only
endfunction()

# hf_add_command(<name> <folder>): the executable from the folder's main.cpp and its library.
function(hf_add_command name folder)
  file(GLOB main CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/main.cpp)
  if(NOT main)
    return()
  endif()
  add_executable(${name} ${main})
  target_link_libraries(${name} PRIVATE hf_flags hf_${folder})
  hf_describe_build(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  if(NOT HF_SANITIZE)
    # Static: the command is copied to servers and into containers whose libc nobody chose.
    target_link_options(${name} PRIVATE ${HF_SHIPPED_LINK_OPTIONS} -static-pie)
    hf_split_debug(${name})
  endif()
endfunction()

function(_hf_with_sources out)
  set(found)
  foreach(target IN LISTS ARGN)
    get_target_property(sources ${target} SOURCES)
    if(NOT sources MATCHES "/anchor/")
      list(APPEND found ${target})
    endif()
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Each adapter folder lists its entry points, one per line, in exports.txt. They are given to the
# linker twice: as undefined (nothing else in the library refers to them) and as the only exports.
function(_hf_write_exports file)
  set(symbols)
  foreach(target IN LISTS ARGN)
    string(REGEX REPLACE "^hf_" "" folder ${target})
    set(list ${CMAKE_SOURCE_DIR}/${folder}/exports.txt)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(STRINGS ${list} entries REGEX "^[A-Za-z_]")
    list(APPEND symbols ${entries})
    foreach(entry IN LISTS entries)
      target_link_options(holdfast_agent PRIVATE -Wl,-u,${entry})
    endforeach()
  endforeach()
  list(JOIN symbols "; " symbols)
  file(CONFIGURE OUTPUT ${file} CONTENT "{ global: ${symbols}; local: *; };\n")
endfunction()

function(hf_split_debug target)
  if(NOT CMAKE_BUILD_TYPE STREQUAL Release)
    return()
  endif()
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_OBJCOPY} --only-keep-debug $<TARGET_FILE:${target}> $<TARGET_FILE:${target}>.debug
    COMMAND ${CMAKE_STRIP} --strip-all $<TARGET_FILE:${target}>
    COMMAND ${CMAKE_OBJCOPY} --add-gnu-debuglink=$<TARGET_FILE:${target}>.debug $<TARGET_FILE:${target}>
    VERBATIM)
endfunction()
