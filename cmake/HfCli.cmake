# What ships beside the command: manual pages and completions, made by a program of ours from the texts of --help and from the tables of
# options. All of it goes to share/ in the build tree, as it is laid out when installed.

# hf_add_pages(<folder>): the program from the folder's main.cpp, and its pages.
function(hf_add_pages folder)
  add_executable(holdfast_pages ${CMAKE_SOURCE_DIR}/${folder}/main.cpp)
  target_link_libraries(holdfast_pages PRIVATE hf_flags hf_cli)
  # Files are compiled several at once, and some need what a build without the agent leaves out.
  target_link_options(holdfast_pages PRIVATE -Wl,--gc-sections)
  set_target_properties(holdfast_pages PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin HF_COLD ON)
  if(CMAKE_CROSSCOMPILING OR HF_SANITIZE)
    return()
  endif()
  set(share ${CMAKE_BINARY_DIR}/share)
  add_custom_command(OUTPUT ${share}/man/man1/holdfast.1
    COMMAND holdfast_pages ${share}
    DEPENDS holdfast_pages
    COMMENT "manual pages and completions"
    VERBATIM)
  add_custom_target(holdfast_manual ALL DEPENDS ${share}/man/man1/holdfast.1)
  add_dependencies(all_shipped holdfast_manual)
endfunction()
