# hf_add_web_pages(<target> <folder> <Name>...): each page <folder>/<name>_page.js with its style, bundled and minified by
# esbuild, as the constant k<Name>Page of cli/html/html_page.h. esbuild and what the page imports are Debian's packages (esbuild,
# node-d3-*); HF_NODE_MODULES names other places, such as a node_modules folder. Nothing is fetched here, and node itself is
# only asked for by the page's tests. Without the web (HOLDFAST_BUILD_WEB) the constants are empty.

if(HOLDFAST_BUILD_CLI AND HOLDFAST_BUILD_WEB AND NOT CMAKE_SIZEOF_VOID_P EQUAL 4)
  set(HF_NODE_MODULES /usr/share/nodejs CACHE STRING "Folders with the packages that the web page imports")
  find_program(HF_ESBUILD esbuild HINTS ${HF_NODE_MODULES}/.bin
    DOC "The bundler of the web page; ./dev deps installs it")
  if(NOT HF_ESBUILD)
    message(FATAL_ERROR "No esbuild found, which the web page is made with. Run ./dev deps, "
      "or configure with -DHOLDFAST_BUILD_WEB=OFF: then the command makes no pages.")
  endif()
  string(REPLACE ";" ":" _hf_node_path "${HF_NODE_MODULES}")
  set(HF_BUNDLE ${CMAKE_COMMAND} -E env NODE_PATH=${_hf_node_path} ${HF_ESBUILD} --bundle --log-level=warning)
endif()

function(hf_add_web_pages target folder)
  if(HOLDFAST_BUILD_WEB)
    foreach(name IN LISTS ARGN)
      _hf_add_web_page(${target} ${name} ${folder})
    endforeach()
    return()
  endif()
  set(text "#include \"cli/html/html_page.h\"\n\nnamespace holdfast::cli {\n")
  foreach(name IN LISTS ARGN)
    string(APPEND text "const PageAssets k${name}Page{};\n")
  endforeach()
  set(made ${CMAKE_BINARY_DIR}/web/no_pages.cpp)
  file(CONFIGURE OUTPUT ${made} CONTENT "${text}}  // namespace holdfast::cli\n" @ONLY)
  target_sources(${target} PRIVATE ${made})
endfunction()

function(_hf_add_web_page target name folder)
  string(TOLOWER ${name} page)
  set(source_dir ${CMAKE_SOURCE_DIR}/${folder})
  set(made ${CMAKE_BINARY_DIR}/web/${page})
  set(embed ${CMAKE_SOURCE_DIR}/cmake/embed_page.py)
  file(GLOB parts CONFIGURE_DEPENDS ${source_dir}/*.js ${source_dir}/*.css)
  add_custom_command(OUTPUT ${made}.cpp
    COMMAND ${HF_BUNDLE} --minify --target=es2020 --format=iife --charset=ascii
      --metafile=${made}.json --outfile=${made}.js ${source_dir}/${page}_page.js
    COMMAND ${HF_BUNDLE} --minify --target=chrome100,firefox115,safari16 --outfile=${made}.css ${source_dir}/${page}_page.css
    COMMAND ${Python3_EXECUTABLE} ${embed} k${name}Page ${made}.js ${made}.css ${made}.json
      ${made}.cpp
    DEPENDS ${parts} ${embed}
    COMMENT "esbuild ${folder}/${page}_page"
    VERBATIM)
  target_sources(${target} PRIVATE ${made}.cpp)
endfunction()

# hf_add_web_tests(<name> <folder>): its *_test.js, in node's own test runner.
function(hf_add_web_tests name folder)
  find_program(HF_NODE_PROGRAM node DOC "Runs the page's tests; ./dev deps test installs it")
  if(NOT HF_NODE_PROGRAM)
    message(STATUS "No node found: ${name} is left out (./dev deps test installs node)")
    return()
  endif()
  file(GLOB parts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.js)
  set(tests ${parts})
  list(FILTER tests INCLUDE REGEX "_test\\.js$")
  set(made ${CMAKE_BINARY_DIR}/web/tests)
  add_custom_command(OUTPUT ${made}/stamp
    COMMAND ${HF_BUNDLE} --platform=node --format=esm --out-extension:.js=.mjs --outdir=${made} ${tests}
    COMMAND ${CMAKE_COMMAND} -E touch ${made}/stamp
    DEPENDS ${parts}
    COMMENT "esbuild ${folder}/*_test.js"
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${made}/stamp)
  set(bundled)
  foreach(test IN LISTS tests)
    cmake_path(GET test STEM stem)
    list(APPEND bundled ${made}/${stem}.mjs)
  endforeach()
  _hf_register_test(${name} unit COMMAND ${HF_NODE_PROGRAM} --test ${bundled})
endfunction()
