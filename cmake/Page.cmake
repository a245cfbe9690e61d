# tinylm_page(TARGET NAME FOLDER [DATA]): joins the parts of a page, which stand as HTML, CSS and JavaScript in FOLDER and in
# inspect/page/, into one text of the program: std::string_view tinylm::NAME. An edited part is joined anew by the next build.
# DATA: the page has places {{policy}} and {{data}} that the program fills (inspect/page_data.h).
function(tinylm_page target name folder)
  cmake_parse_arguments(PAGE "DATA" "" "" ${ARGN})
  set(output ${CMAKE_BINARY_DIR}/pages/${name}.cpp)
  set(shared ${PROJECT_SOURCE_DIR}/inspect/page)
  file(GLOB parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.html ${PROJECT_SOURCE_DIR}/${folder}/*.css
    ${PROJECT_SOURCE_DIR}/${folder}/*.js ${shared}/*.css ${shared}/*.js)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/${folder} -DSHARED=${shared} -DNAME=${name}
      -DDATA=${PAGE_DATA} -DOUTPUT=${output}
      -P ${PROJECT_SOURCE_DIR}/cmake/JoinPage.cmake
    DEPENDS ${parts} ${PROJECT_SOURCE_DIR}/cmake/JoinPage.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
