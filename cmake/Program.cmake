# The program, and the files it finds relative to itself: <prefix>/bin/tinylm with <prefix>/share/tinylm when installed,
# build/tinylm with build/share/tinylm here (links, so that an edited preset counts at once).
add_executable(tinylm ${PROJECT_SOURCE_DIR}/cli/main.cpp)
target_link_libraries(tinylm PRIVATE tinylm_cli)
tinylm_onednn_first(tinylm)
add_dependencies(tinylm tinylm_sentencepiece)

file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/tinylm)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/configs ${CMAKE_BINARY_DIR}/share/tinylm/configs SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/data/corpus ${CMAKE_BINARY_DIR}/share/tinylm/corpus SYMBOLIC)

install(TARGETS tinylm RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tinylm/configs)
install(DIRECTORY data/corpus/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tinylm/corpus)
