# sentencepiece lives in a library of its own that the program opens with dlopen: linked together with a libtorch that
# uses the system's protobuf, the two crash before main(). Only bytes and ids cross its C interface.
pkg_check_modules(sentencepiece REQUIRED IMPORTED_TARGET sentencepiece>=0.1.97)
add_library(tinylm_sentencepiece MODULE ${PROJECT_SOURCE_DIR}/tokenizer/sentencepiece_plugin.cpp)
set_target_properties(tinylm_sentencepiece PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_link_libraries(tinylm_sentencepiece PRIVATE tinylm_base PkgConfig::sentencepiece)
install(TARGETS tinylm_sentencepiece LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tinylm)
