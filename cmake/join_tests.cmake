# cmake -D OUT=… -D TESTS=…;… -P join_tests.cmake: one source of several tests. It includes the headers of all, then each test inside
# a namespace of its own. There the test's own #include lines add nothing, because every header is read once. A test that adds to
# a namespace of ours stays as it is.
cmake_path(GET OUT PARENT_PATH folder)
set(headers)
set(bodies)
foreach(test IN LISTS TESTS)
  file(STRINGS ${test} lines REGEX "^#include ")
  list(APPEND headers ${lines})
  file(STRINGS ${test} added REGEX "^[a-z]+ holdfast(::|[ {])" LIMIT_COUNT 1)
  cmake_path(GET test STEM space)
  cmake_path(RELATIVE_PATH test BASE_DIRECTORY ${folder})  # the same in every clone
  set(body "#include \"${test}\"\n")
  if(NOT added)
    set(body "namespace ${space} {\n${body}}\n")
  endif()
  string(APPEND bodies "${body}")
endforeach()
list(REMOVE_DUPLICATES headers)
list(JOIN headers "\n" headers)
file(WRITE ${OUT} "${headers}\n${bodies}")
