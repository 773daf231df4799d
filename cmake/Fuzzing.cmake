# The fuzzers (docs/fuzzing.md). They need Clang, and everything that they call built with the fuzzer's
# instrumentation.

function(instrument_for_fuzzing)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "GEMM_TUTOR_FUZZ needs Clang (-DCMAKE_CXX_COMPILER=clang++), not ${CMAKE_CXX_COMPILER}")
  endif()
  target_compile_options(gemm_tutor_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(gemm_tutor_options INTERFACE -fsanitize=address,undefined)
endfunction()

# All fuzzers change text in the same ways.
function(add_fuzzer name component)
  add_executable(${name} ${PROJECT_SOURCE_DIR}/fuzz/${name}.cpp ${PROJECT_SOURCE_DIR}/fuzz/text_mutator.cpp)
  target_link_libraries(${name} PRIVATE gemm_tutor_${component})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()
