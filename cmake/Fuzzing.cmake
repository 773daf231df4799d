# The fuzzers (docs/fuzzing.md). They need Clang, and all code that they call must be built with sanitizers and the
# fuzzer's instrumentation (Components.cmake).

if(GEMM_TUTOR_FUZZ AND NOT (CMAKE_CXX_COMPILER_ID MATCHES Clang AND GEMM_TUTOR_SANITIZE STREQUAL "address"))
  message(FATAL_ERROR "GEMM_TUTOR_FUZZ needs Clang and GEMM_TUTOR_SANITIZE=address, as the preset fuzz has them")
endif()

# All fuzzers have the same mutations of text.
function(add_fuzzer name component)
  add_executable(${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/${name}.cpp ${PROJECT_SOURCE_DIR}/tests/fuzz/text_mutator.cpp)
  target_link_libraries(${name} PRIVATE gemm_tutor_${component})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()
