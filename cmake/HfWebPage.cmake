# hf_add_web_page(<target> <Name> <folder>): the page <folder>/<name>_page.js with its style, bundled and minified by esbuild,
# as the constant k<Name>Page of cli/html/html_page.h. What it imports from npm, ./dev setup has put into build/node; nothing is
# fetched here.

set(HF_NODE ${CMAKE_SOURCE_DIR}/build/node CACHE PATH "Where ./dev setup installed what cli/html/package.json names")
find_program(HF_ESBUILD esbuild HINTS ${HF_NODE}/node_modules/.bin REQUIRED
  DOC "The bundler of the web page; ./dev setup installs it")
find_program(HF_NODE_PROGRAM node REQUIRED)
# Modules find their packages through this, wherever they lie themselves.
set(HF_BUNDLE ${CMAKE_COMMAND} -E env NODE_PATH=${HF_NODE}/node_modules ${HF_ESBUILD} --bundle --log-level=warning)

function(hf_add_web_page target name folder)
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
    DEPENDS ${parts} ${embed} ${CMAKE_SOURCE_DIR}/cli/html/package-lock.json
    COMMENT "esbuild ${folder}/${page}_page"
    VERBATIM)
  target_sources(${target} PRIVATE ${made}.cpp)
endfunction()

# hf_add_web_tests(<name> <folder>): its *_test.js, in node's own test runner.
function(hf_add_web_tests name folder)
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
