# The target `uninstall`: removes the files of the last installation (all components), and the folders that it made, where they
# are empty now. Files of others stay.   BUILD: the build tree.

file(GLOB manifests "${BUILD}/install_manifest*.txt")
if(NOT manifests)
  message(FATAL_ERROR "Nothing was installed from ${BUILD} (there is no install_manifest.txt)")
endif()
set(folders "${BUILD}/install_folders.txt")

foreach(manifest IN LISTS manifests)
  file(STRINGS "${manifest}" files)
  foreach(file IN LISTS files)
    set(place "$ENV{DESTDIR}${file}")
    if(EXISTS "${place}" OR IS_SYMLINK "${place}")
      file(REMOVE "${place}")
      message(STATUS "Removed ${place}")
    endif()
  endforeach()
endforeach()

# The deepest first.
set(made)
if(EXISTS "${folders}")
  file(STRINGS "${folders}" made)
endif()
list(SORT made ORDER DESCENDING)
foreach(folder IN LISTS made)
  set(place "$ENV{DESTDIR}${folder}")
  file(GLOB left LIST_DIRECTORIES true "${place}/*" "${place}/.*")
  if(IS_DIRECTORY "${place}" AND NOT left)
    file(REMOVE_RECURSE "${place}")
  endif()
endforeach()
file(REMOVE ${manifests} "${folders}")
