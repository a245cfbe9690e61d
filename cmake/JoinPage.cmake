# cmake -DFOLDER=... -DSHARED=... -DNAME=... -DOUTPUT=... -P JoinPage.cmake: joins FOLDER's page.html with the files that it
# names as {{style.css}}, {{scale.js}}, ..., from FOLDER or from SHARED, and writes a C++ file that defines the text NAME.
# {{data}} stays: the program fills it.
file(READ ${FOLDER}/page.html page)
foreach(folder IN ITEMS ${FOLDER} ${SHARED})
  file(GLOB parts RELATIVE ${folder} ${folder}/*.css ${folder}/*.js)
  foreach(part IN LISTS parts)
    file(READ ${folder}/${part} content)
    string(FIND "${page}" "{{${part}}}" place)
    if(place EQUAL -1 AND folder STREQUAL FOLDER)
      message(FATAL_ERROR "${FOLDER}/page.html does not name {{${part}}}")
    endif()
    string(REPLACE "{{${part}}}" "${content}" page "${page}")
  endforeach()
endforeach()
if(NOT page MATCHES "{{data}}" OR page MATCHES "{{[a-z_]+\\.(css|js)}}")
  message(FATAL_ERROR "${FOLDER}/page.html must name {{data}}, and no file that is not there: ${CMAKE_MATCH_0}")
endif()
file(WRITE ${OUTPUT} "// Made by cmake/JoinPage.cmake from ${NAME}'s folder; edit the files there.
#include <string_view>
namespace tinylm {
extern const std::string_view ${NAME};
const std::string_view ${NAME} = R\"~page~(${page})~page~\";
}  // namespace tinylm
")
