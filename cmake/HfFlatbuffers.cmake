# hf_flatbuffers(<target> PUBLIC|PRIVATE file.fbs...): C++ readers and writers from schemas, seen by the target and,
# if public, its users as "analysis/report/report_generated.h". Generated code is third-party to our warnings.

# What reads the sources without a build (clang-tidy) needs these alone.
add_custom_target(generated_headers)

function(hf_flatbuffers target visibility)
  set(root ${CMAKE_BINARY_DIR}/include/${target}_generated)
  set(made)
  foreach(schema IN LISTS ARGN)
    cmake_path(RELATIVE_PATH schema BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE relative)
    cmake_path(GET relative PARENT_PATH folder)
    cmake_path(GET relative STEM stem)
    set(header ${root}/${folder}/${stem}_generated.h)
    add_custom_command(
      OUTPUT ${header} ${root}/${folder}/${stem}.bfbs
      COMMAND ${HF_FLATC} --cpp --cpp-std c++17 --scoped-enums -o ${root}/${folder} ${schema}
      COMMAND ${HF_FLATC} --binary --schema -o ${root}/${folder} ${schema}
      DEPENDS ${schema}
      COMMENT "flatc ${relative}"
      VERBATIM)
    target_sources(${target} PRIVATE ${header})
    list(APPEND made ${header})
  endforeach()
  if(ARGN)
    add_custom_target(${target}_headers DEPENDS ${made})
    add_dependencies(generated_headers ${target}_headers)
    file(MAKE_DIRECTORY ${root})
    target_include_directories(${target} SYSTEM ${visibility} ${root})
  endif()
endfunction()

# Every schema that lies in a folder or its rooms.
function(hf_flatbuffers_in target visibility folder)
  _hf_glob(schemas fbs ${folder} ${ARGN})
  hf_flatbuffers(${target} ${visibility} ${schemas})
endfunction()
