# cmake -DFOLDER=... -DSHARED=... -DNAME=... -DDATA=... -DOUTPUT=... -P JoinPage.cmake: joins FOLDER's page.html with the files
# that it names as {{style.css}}, {{scale.js}}, ..., from FOLDER or from SHARED, and writes a C++ file that defines the text
# NAME. {{policy}} and {{data}}, which are there if and only if DATA is true, stay: the program fills them.
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
if(page MATCHES "{{[a-z_]+\\.(css|js)}}")
  message(FATAL_ERROR "${FOLDER}/page.html names a file that is not there: ${CMAKE_MATCH_0}")
endif()
foreach(filled IN ITEMS policy data)
  string(FIND "${page}" "{{${filled}}}" place)
  if((DATA AND place EQUAL -1) OR (NOT DATA AND NOT place EQUAL -1))
    message(FATAL_ERROR "${FOLDER}/page.html must name {{${filled}}} if the program fills it, and only then")
  endif()
endforeach()
file(WRITE ${OUTPUT} "// Made by cmake/JoinPage.cmake from ${NAME}'s folder; edit the files there.
#include <string_view>
namespace tinylm {
extern const std::string_view ${NAME};
const std::string_view ${NAME} = R\"~page~(${page})~page~\";
}  // namespace tinylm
")
