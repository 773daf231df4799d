# src/simt/exec/interpreter/ is compiled for any processor, and on x86-64 also for processors with wider
# vectors. The program chooses at run time.

option(GEMM_TUTOR_WIDE_VECTORS "Compile the interpreter for AVX2 and AVX-512, too, on x86-64" ON)

function(add_interpreters component)
  set(names baseline)
  set(options_baseline "")
  if(GEMM_TUTOR_WIDE_VECTORS AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND names avx2 avx512)
    set(options_avx2 -mavx2 -mfma)
    set(options_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)
    target_compile_definitions(gemm_tutor_${component} PRIVATE SIMT_X86_64)
  endif()
  foreach(name IN LISTS names)
    set(library gemm_tutor_interpreter_${name})
    add_library(${library} OBJECT ${PROJECT_SOURCE_DIR}/src/simt/exec/interpreter/interpreter.cpp)
    target_link_libraries(${library} PRIVATE gemm_tutor_options)
    # Optimised also in a debug build, because emulation would take minutes.
    # Floating-point exception flags are not used, so lanes may be computed together even if one would trap.
    target_compile_options(${library} PRIVATE -O3 -fno-trapping-math -Wno-ignored-attributes ${options_${name}})
    target_compile_definitions(${library} PRIVATE
      SIMT_INSTRUCTION_SET=${name}_instruction_set SIMT_INSTRUCTION_SET_NAME="${name}")
    target_sources(gemm_tutor_${component} PRIVATE $<TARGET_OBJECTS:${library}>)
  endforeach()
endfunction()
