# The folder convention: a file's name says what is built from it, so nobody keeps lists.
#   *_test.cpp   -> <name>_test       doctest, in ctest
#   *_bench.cpp  -> <name>_bench      doctest too, run by `./dev bench`
#   *_fuzz.cpp   -> one fuzzer each   libFuzzer in preset fuzz, else a fixed number of seeded mutations
#   main.cpp     -> the folder's executable, if somebody asks for it
#   other .cpp   -> hf_<name>, a static library
# A room is a subfolder that belongs to the same library but has test executables of its own,
# <name>_<room>_test, so that they run side by side.

set(HF_FUZZ_RUNS 20000 CACHE STRING "Mutations per fuzz file in ctest")
set_property(GLOBAL PROPERTY HF_LIBRARIES)

# hf_add_folder(<name> [PATH p] [ROOMS r...] [PRIVATE_ROOMS r...] [OFFLINE] [RTTI]
#               [LINK t...] [LINK_PRIVATE t...] [LINK_ONLY t...] [TEST_LINK t...] [LABELS l...])
#   PRIVATE_ROOMS  rooms whose headers are not exported
#   OFFLINE        never runs inside a VM: exceptions are allowed
#   RTTI           its libraries want run-time type information (only ever together with OFFLINE)
#   LINK_ONLY      linked into whatever uses this folder, but not visible to its code
function(hf_add_folder name)
  cmake_parse_arguments(arg "OFFLINE;RTTI" "PATH"
    "ROOMS;PRIVATE_ROOMS;LINK;LINK_PRIVATE;LINK_ONLY;TEST_LINK;LABELS" ${ARGN})
  if(NOT arg_PATH)
    set(arg_PATH ${name})
  endif()
  set(source_dir ${CMAKE_SOURCE_DIR}/${arg_PATH})
  _hf_glob(headers h ${source_dir} ${arg_ROOMS})
  _hf_glob(private_headers h ${source_dir} PRIVATE ${arg_PRIVATE_ROOMS})
  _hf_glob(sources cpp ${source_dir} ${arg_ROOMS} ${arg_PRIVATE_ROOMS})
  list(FILTER sources EXCLUDE REGEX "(_test|_bench|_fuzz|/main)\\.cpp$")

  _hf_library(hf_${name} ${sources})
  hf_make_include_root(public_root ${name} ${headers})
  target_include_directories(hf_${name} PUBLIC ${public_root})
  if(private_headers)
    hf_make_include_root(private_root ${name}_private ${private_headers})
    target_include_directories(hf_${name} PRIVATE ${private_root})
  endif()
  _hf_flags(flags "${arg_OFFLINE}" "${arg_RTTI}")
  target_compile_options(hf_${name} PRIVATE ${flags})
  target_link_libraries(hf_${name} PUBLIC ${arg_LINK} PRIVATE hf_flags ${arg_LINK_PRIVATE})
  foreach(target IN LISTS arg_LINK_ONLY)
    target_link_libraries(hf_${name} INTERFACE $<LINK_ONLY:${target}>)
  endforeach()
  set_property(GLOBAL APPEND PROPERTY HF_LIBRARIES hf_${name})
  hf_flatbuffers_in(hf_${name} ${source_dir} ${arg_ROOMS})

  # Tests may throw, and see what the code under test sees, its private headers included.
  _hf_flags(test_flags ON "${arg_RTTI}")
  set(test_options FLAGS ${test_flags} LABELS ${arg_LABELS} INCLUDE ${private_root}
    LINK hf_${name} ${arg_LINK_PRIVATE} ${arg_TEST_LINK})
  foreach(room IN ITEMS "" LISTS arg_ROOMS arg_PRIVATE_ROOMS)
    string(REGEX REPLACE "_$" "" stem "${name}_${room}")
    hf_add_tests(${stem} ${source_dir}/${room} ${test_options})
  endforeach()
endfunction()

# The files with an ending in a folder and its rooms; seen again by itself when one is added.
function(_hf_glob out ending folder)
  cmake_parse_arguments(arg "PRIVATE" "" "" ${ARGN})
  set(patterns)
  if(NOT arg_PRIVATE)
    set(patterns ${folder}/*.${ending})
  endif()
  foreach(room IN LISTS arg_UNPARSED_ARGUMENTS)
    list(APPEND patterns ${folder}/${room}/*.${ending})
  endforeach()
  set(found)
  if(patterns)
    file(GLOB found CONFIGURE_DEPENDS ${patterns})
  endif()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# A folder without sources (headers only, or not written yet) is still a library to link.
function(_hf_library target)
  if(NOT ARGN)
    set(ARGN ${CMAKE_BINARY_DIR}/anchor/${target}.cpp)
    file(CONFIGURE OUTPUT ${ARGN} CONTENT "namespace holdfast {}\n")
  endif()
  add_library(${target} STATIC ${ARGN})
endfunction()

function(_hf_flags out exceptions rtti)
  set(flags)
  if(NOT exceptions)
    list(APPEND flags -fno-exceptions)
  endif()
  if(NOT rtti)
    list(APPEND flags -fno-rtti)
  endif()
  set(${out} ${flags} PARENT_SCOPE)
endfunction()

# hf_add_tests(<stem> <folder> FLAGS f... LINK t... [INCLUDE d...] [LABELS l...])
function(hf_add_tests stem folder)
  cmake_parse_arguments(arg "" "" "FLAGS;LINK;INCLUDE;LABELS" ${ARGN})
  file(GLOB tests CONFIGURE_DEPENDS ${folder}/*_test.cpp)
  if(tests)
    _hf_test_executable(${stem}_test ${tests})
    add_test(NAME ${stem}_test COMMAND ${stem}_test)
    set_tests_properties(${stem}_test PROPERTIES LABELS "unit;${arg_LABELS}")
  endif()
  file(GLOB benches CONFIGURE_DEPENDS ${folder}/*_bench.cpp)
  if(benches)
    _hf_test_executable(${stem}_bench ${benches})
    set_property(GLOBAL APPEND PROPERTY HF_BENCHES ${stem}_bench)
  endif()
  file(GLOB fuzzers CONFIGURE_DEPENDS ${folder}/*_fuzz.cpp)
  foreach(source IN LISTS fuzzers)
    _hf_fuzzer(${source})
  endforeach()
endfunction()

function(_hf_test_executable name)
  add_executable(${name} ${ARGN})
  target_compile_options(${name} PRIVATE ${arg_FLAGS})
  target_include_directories(${name} PRIVATE ${arg_INCLUDE})
  target_link_libraries(${name} PRIVATE hf_flags hf_doctest_main ${arg_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()

# Seeds lie beside the source, in <file>_seeds/.
function(_hf_fuzzer source)
  cmake_path(GET source STEM name)
  cmake_path(REPLACE_EXTENSION source LAST_ONLY "" OUTPUT_VARIABLE seeds)
  add_executable(${name} ${source})
  target_compile_options(${name} PRIVATE ${arg_FLAGS})
  target_include_directories(${name} PRIVATE ${arg_INCLUDE})
  target_link_libraries(${name} PRIVATE hf_flags ${arg_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  if(HF_LIBFUZZER)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests/driver/fuzz_driver.cpp)
  endif()
  set(folder)
  if(EXISTS ${seeds}_seeds)
    set(folder ${seeds}_seeds)
  endif()
  add_test(NAME ${name} COMMAND ${name} -runs=${HF_FUZZ_RUNS} -seed=1 ${folder})
  set_tests_properties(${name} PROPERTIES LABELS fuzz)
endfunction()

# A front: the few headers of a folder that those may see who only link it.
function(hf_add_front target)
  cmake_parse_arguments(arg "" "FOLDER" "HEADERS;LINK" ${ARGN})
  list(TRANSFORM arg_HEADERS PREPEND ${CMAKE_SOURCE_DIR}/${arg_FOLDER}/)
  hf_make_include_root(root ${target} ${arg_HEADERS})
  add_library(${target} INTERFACE)
  target_include_directories(${target} INTERFACE ${root})
  target_link_libraries(${target} INTERFACE ${arg_LINK})
endfunction()
