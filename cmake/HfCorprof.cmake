# hf::corprof, the header "clrprofiler/abi/corprof.h": the CLR's profiling interfaces, generated from their table.

function(_hf_corprof)
  set(root ${CMAKE_BINARY_DIR}/include/corprof_generated)
  set(header ${root}/clrprofiler/abi/corprof.h)
  set(abi ${CMAKE_SOURCE_DIR}/clrprofiler/abi)
  file(MAKE_DIRECTORY ${root}/clrprofiler/abi)
  add_custom_command(OUTPUT ${header}
    COMMAND ${Python3_EXECUTABLE} ${abi}/make_header.py ${abi}/corprof.tsv ${header}
    DEPENDS ${abi}/make_header.py ${abi}/corprof.tsv
    COMMENT "corprof.h"
    VERBATIM)
  add_custom_target(hf_corprof_header DEPENDS ${header})
  add_dependencies(generated_headers hf_corprof_header)
  add_library(hf_corprof INTERFACE)
  add_dependencies(hf_corprof hf_corprof_header)
  target_include_directories(hf_corprof INTERFACE ${root})
  add_library(hf::corprof ALIAS hf_corprof)
endfunction()
if(HOLDFAST_BUILD_AGENT)
  _hf_corprof()
endif()
