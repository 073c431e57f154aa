# What `cmake --install` lays out, and what a client of it finds. Everything that is written here is relative: the tree may
# be moved. Beside the files named here: all of <build>/share (schemas, manuals, completions, the demo), as it is when it is
# installed.
#   component "debug" (not installed unless it is named): lib/.debug, bin/.debug, where gdb looks

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(HF_DATA ${CMAKE_INSTALL_DATADIR}/holdfast)
set(HF_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/holdfast)

# What is installed; whatever else makes something for <build>/share is added to it as a dependency.
add_custom_target(all_shipped)

# hf_install(): after all targets.
function(hf_install)
  # First: before a folder is made.
  install(CODE "set(HF_FOLDERS \"${CMAKE_BINARY_DIR}/install_folders.txt\")
set(HF_SHARE_FROM \"${CMAKE_BINARY_DIR}/share\")
set(HF_SHARE_TO \"${CMAKE_INSTALL_DATADIR}\")
set(HF_INTO \"${CMAKE_INSTALL_BINDIR}/.debug;${CMAKE_INSTALL_LIBDIR}/.debug;${CMAKE_INSTALL_LIBDIR}/pkgconfig;${HF_CMAKE_DIR}\"
  ${HF_DATA}/api/java/holdfast ${HF_DATA}/api/dotnet ${HF_DATA}/schemas ${CMAKE_INSTALL_DOCDIR}/licences)
include(\"${CMAKE_SOURCE_DIR}/cmake/record_folders.cmake\")" ALL_COMPONENTS)
  if(TARGET holdfast_agent)
    _hf_install_binary(holdfast_agent ${CMAKE_INSTALL_LIBDIR})
    _hf_install_apis()
  endif()
  if(TARGET holdfast)
    _hf_install_binary(holdfast ${CMAKE_INSTALL_BINDIR})
  else()
    install(FILES ${CMAKE_SOURCE_DIR}/analysis/report/report.fbs DESTINATION ${HF_DATA}/schemas)
  endif()
  install(DIRECTORY ${CMAKE_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR} OPTIONAL)
  _hf_install_documents()
  _hf_install_package_files()
  add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake
    COMMENT "Removing what was installed"
    VERBATIM)
endfunction()

function(_hf_install_binary target folder)
  add_dependencies(all_shipped ${target})
  install(TARGETS ${target} RUNTIME DESTINATION ${folder} LIBRARY DESTINATION ${folder})
  install(FILES $<TARGET_FILE:${target}>.debug DESTINATION ${folder}/.debug COMPONENT debug EXCLUDE_FROM_ALL OPTIONAL)
endfunction()

# The annotation APIs: sources, and for Java a jar where there is a compiler. A class file of 2014 (Java 8) runs on all since.
function(_hf_install_apis)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/jvmti/api/ DESTINATION ${HF_DATA}/api/java FILES_MATCHING PATTERN *.java)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/clrprofiler/api/ DESTINATION ${HF_DATA}/api/dotnet
    FILES_MATCHING PATTERN *.cs PATTERN *.csproj PATTERN bin EXCLUDE PATTERN obj EXCLUDE)
  find_program(HF_JAR jar DOC "Packs the annotation API for Java")
  if(NOT HF_JAVAC OR NOT HF_JAR OR CMAKE_SIZEOF_VOID_P EQUAL 4)
    return()
  endif()
  set(source ${CMAKE_SOURCE_DIR}/jvmti/api/holdfast/Annotations.java)
  set(made ${CMAKE_BINARY_DIR}/api)
  set(jar ${made}/holdfast-annotations.jar)
  add_custom_command(OUTPUT ${jar}
    COMMAND ${HF_JAVAC} --release 8 -Xlint:-options -d ${made}/classes ${source}
    COMMAND ${HF_JAR} cf ${jar} -C ${made}/classes holdfast
    DEPENDS ${source}
    COMMENT "holdfast-annotations.jar"
    VERBATIM)
  add_custom_target(hf_annotations_jar ALL DEPENDS ${jar})
  add_dependencies(all_shipped hf_annotations_jar)
  install(FILES ${jar} DESTINATION ${HF_DATA}/api/java OPTIONAL)
endfunction()

function(_hf_install_documents)
  install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
  set(linked flatbuffers zstd xxhash tl-expected)
  if(TARGET holdfast_agent)
    list(APPEND linked libuv mimalloc)
  endif()
  if(TARGET holdfast)
    list(APPEND linked zlib protozero CLI11 nlohmann-json glibc)
    if(HOLDFAST_BUILD_WEB)
      file(GLOB parts RELATIVE /usr/share/doc /usr/share/doc/node-d3-*)  # the page names those that are in it
      list(APPEND linked ${parts})
    endif()
  endif()
  list(APPEND linked libstdc++)
  foreach(name IN LISTS linked)
    _hf_install_licence(${name})
  endforeach()
endfunction()

# Whose licence stands where, the first that is there: Debian's copyright files, or what was built beside this.
set(HF_LICENCE_libuv ${HF_DEPS}/share/doc/libuv/copyright ${HF_DEPS}/share/doc/libuv/LICENSE
  /usr/share/doc/libuv1-dev/copyright /usr/share/doc/libuv1/copyright)
set(HF_LICENCE_mimalloc ${HF_DEPS}/share/doc/mimalloc/copyright /usr/share/doc/libmimalloc-dev/copyright)
set(HF_LICENCE_flatbuffers /usr/share/doc/libflatbuffers-dev/copyright)
set(HF_LICENCE_zstd /usr/share/doc/libzstd-dev/copyright)
set(HF_LICENCE_zlib /usr/share/doc/zlib1g-dev/copyright)
set(HF_LICENCE_xxhash /usr/share/doc/libxxhash-dev/copyright)
set(HF_LICENCE_protozero /usr/share/doc/libprotozero-dev/copyright)
set(HF_LICENCE_CLI11 /usr/share/doc/libcli11-dev/copyright)
set(HF_LICENCE_nlohmann-json /usr/share/doc/nlohmann-json3-dev/copyright)
set(HF_LICENCE_tl-expected /usr/share/doc/libexpected-dev/copyright)
set(HF_LICENCE_glibc /usr/share/doc/libc6-dev/copyright /usr/share/doc/libc6/copyright)

function(_hf_install_licence name)
  set(places ${HF_LICENCE_${name}})
  if(name MATCHES "^node-")
    set(places /usr/share/doc/${name}/copyright)
    string(REPLACE "node-" "" name ${name})
  endif()
  if(name STREQUAL libstdc++)
    string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
    set(places /usr/share/doc/gcc-${major}-base/copyright /usr/share/doc/libstdc++6/copyright)
  endif()
  foreach(place IN LISTS places)
    if(EXISTS ${place})
      file(REAL_PATH ${place} place)
      install(FILES ${place} DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences RENAME ${name})
      return()
    endif()
  endforeach()
  message(WARNING "The licence of ${name} was not found (${places}); it will not be installed")
endfunction()

# find_package(holdfast) and pkg-config.
function(_hf_install_package_files)
  set(templates ${CMAKE_SOURCE_DIR}/cmake/package)
  set(made ${CMAKE_BINARY_DIR}/package)
  set(HF_LIBDIR ${CMAKE_INSTALL_LIBDIR})
  set(HF_BINDIR ${CMAKE_INSTALL_BINDIR})
  configure_package_config_file(${templates}/holdfastConfig.cmake.in ${made}/holdfastConfig.cmake
    INSTALL_DESTINATION ${HF_CMAKE_DIR} PATH_VARS HF_LIBDIR HF_BINDIR HF_DATA NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file(${made}/holdfastConfigVersion.cmake COMPATIBILITY SameMajorVersion)
  install(FILES ${made}/holdfastConfig.cmake ${made}/holdfastConfigVersion.cmake DESTINATION ${HF_CMAKE_DIR})
  if(TARGET holdfast_agent)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE HF_UP)
    configure_file(${templates}/holdfast.pc.in ${made}/holdfast.pc @ONLY)
    install(FILES ${made}/holdfast.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endif()
endfunction()
