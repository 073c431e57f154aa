# hf_add_schemas(): <build>/share/holdfast/schemas, which is installed: the JSON Schema of every JSON output (from
# cli/schemas/outputs.txt), and of a report file (report.fbs, and as flatc writes it as JSON).

function(hf_add_schemas)
  set(source ${CMAKE_SOURCE_DIR}/cli/schemas)
  set(report ${CMAKE_SOURCE_DIR}/analysis/report/report.fbs)
  set(made ${CMAKE_BINARY_DIR}/share/holdfast/schemas)
  set(work ${CMAKE_BINARY_DIR}/schemas)
  file(MAKE_DIRECTORY ${work})
  add_custom_command(OUTPUT ${work}/stamp
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${made}
    COMMAND ${HF_FLATC} --jsonschema -o ${work} ${report}
    COMMAND ${Python3_EXECUTABLE} ${source}/make_schemas.py ${source}/outputs.txt ${made} ${work}/report.schema.json
    COMMAND ${CMAKE_COMMAND} -E copy ${report} ${made}/report.fbs
    COMMAND ${CMAKE_COMMAND} -E touch ${work}/stamp
    DEPENDS ${source}/make_schemas.py ${source}/outputs.txt ${report}
    COMMENT "JSON Schemas"
    VERBATIM)
  add_custom_target(hf_schemas ALL DEPENDS ${work}/stamp)
  add_dependencies(all_shipped hf_schemas)
endfunction()
