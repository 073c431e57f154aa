# Run by the installation before anything else: notes the folders that it is going to make, so that the target `uninstall`
# removes them again, and none that was there before.
#   HF_FOLDERS     the file with the notes; those of an earlier installation stay
#   HF_INTO        the folders that are installed into, below the prefix
#   HF_SHARE_FROM  whose folders are copied below HF_SHARE_TO

file(GLOB_RECURSE entries LIST_DIRECTORIES true RELATIVE "${HF_SHARE_FROM}" "${HF_SHARE_FROM}/*")
foreach(entry IN LISTS entries)
  if(IS_DIRECTORY "${HF_SHARE_FROM}/${entry}")
    list(APPEND HF_INTO ${HF_SHARE_TO}/${entry})
  endif()
endforeach()

set(noted)
if(EXISTS "${HF_FOLDERS}")
  file(STRINGS "${HF_FOLDERS}" noted)
endif()
# `cmake --install --prefix out` passes a relative prefix on as it is; it is below the working directory.
get_filename_component(CMAKE_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}" ABSOLUTE)
foreach(folder IN LISTS HF_INTO)
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
  while(NOT EXISTS "$ENV{DESTDIR}${folder}" AND NOT folder STREQUAL "/" AND folder)
    list(APPEND noted "${folder}")
    cmake_path(GET folder PARENT_PATH folder)
  endwhile()
endforeach()
list(REMOVE_DUPLICATES noted)
list(JOIN noted "\n" text)
file(WRITE "${HF_FOLDERS}" "${text}\n")
