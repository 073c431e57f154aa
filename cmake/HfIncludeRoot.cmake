# The layer rule, made of file names. Every folder exports one include root in the build tree that
# holds links to its own headers and to nothing else:
#   build/dev/include/common/common/result.h -> <source>/common/result.h
# so `#include "jvmti/events.h"` in common/ does not compile, and neither does a relative path.

function(hf_make_include_root out name)
  set(root ${CMAKE_BINARY_DIR}/include/${name})
  set(wanted)
  foreach(header IN LISTS ARGN)
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE relative)
    list(APPEND wanted ${root}/${relative})
    _hf_link(${header} ${root}/${relative})
  endforeach()
  _hf_remove_stale_links(${root} ${wanted})
  file(MAKE_DIRECTORY ${root})
  set(${out} ${root} PARENT_SCOPE)
endfunction()

# An existing right link is left alone: a new time stamp would rebuild the world.
function(_hf_link target link)
  if(IS_SYMLINK ${link})
    file(READ_SYMLINK ${link} now)
    if(now STREQUAL target)
      return()
    endif()
  endif()
  cmake_path(GET link PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${target} ${link} SYMBOLIC)
endfunction()

function(_hf_remove_stale_links root)
  file(GLOB_RECURSE links LIST_DIRECTORIES false ${root}/*)
  foreach(link IN LISTS links)
    if(NOT link IN_LIST ARGN)
      file(REMOVE ${link})
    endif()
  endforeach()
endfunction()
