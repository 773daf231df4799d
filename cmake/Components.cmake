# A component is a folder of src/ built as a static library, and the folder of the same name under tests/ built as one
# test program: add_component(NAME TEXT where what it does is read or write what people read, LINK components and
# libraries, TEST_LINK libraries of the tests alone, which are left out where one is missing, CUDA source files that
# need the CUDA Toolkit's headers, in whose place those of the folder's without_cuda/ are built where there are none,
# TOGETHER where its files are compiled several at a time, as they include the same and no two define the same name,
# COST to have its tests begin before those of less).

add_library(gemm_tutor_options INTERFACE)
target_include_directories(gemm_tutor_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(gemm_tutor_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wconversion -Wno-sign-conversion
  # GCC 12 sees overlaps inside std::string that are not there (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # With precompiled headers it sees more of that kind, in std::string::insert and vectors of strings.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${GEMM_TUTOR_PRECOMPILE}>>:-Wno-array-bounds
    -Wno-stringop-overflow -Wno-stringop-overread>
  # The interpreter has a pragma that GCC alone knows, and needs: lanes do not overlap.
  $<$<NOT:$<CXX_COMPILER_ID:GNU>>:-Wno-unknown-pragmas>
  # A product and a sum are fused only where the source says fma: the emulator's results must be the
  # hardware's bit for bit.
  -ffp-contract=off)
if(GEMM_TUTOR_WERROR)
  target_compile_options(gemm_tutor_options INTERFACE -Werror)
endif()
if(GEMM_TUTOR_SANITIZE)
  set(sanitizers ${GEMM_TUTOR_SANITIZE})
  if(sanitizers STREQUAL "address")
    set(sanitizers address,undefined)
  endif()
  set(watched ${sanitizers})
  if(GEMM_TUTOR_FUZZ)
    string(APPEND watched ,fuzzer-no-link)
  endif()
  # What the tests call is watched, not the tests themselves, which are half of all code and take longer to compile so.
  target_compile_options(gemm_tutor_options INTERFACE
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:GEMM_TUTOR_IS_TEST>>>:-fsanitize=${watched};-fno-sanitize-recover=all>
    -fno-omit-frame-pointer)
  target_link_options(gemm_tutor_options INTERFACE -fsanitize=${sanitizers})
endif()

# test_with_clang_too(NAME TESTS): the component's tests that are named by TESTS, a second time, with clang as the compiler
# of kernels, where there is a choice. Not with sanitizers: the same code would be looked at again.
function(test_with_clang_too name tests)
  find_program(GEMM_TUTOR_CLANG_FOR_TESTS
    NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
  if(TARGET test_${name} AND GEMM_TUTOR_CUDA AND GEMM_TUTOR_CLANG_FOR_TESTS AND NOT GEMM_TUTOR_SANITIZE)
    # The arguments change nothing: Catch2 2.13 names a list of tests by its arguments.
    catch_discover_tests(test_${name} TEST_PREFIX "clang: ${name}: " EXTRA_ARGS --order decl
      TEST_SPEC ${tests}
      PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: "
      FAIL_REGULAR_EXPRESSION "No test cases matched" COST 2 PROCESSOR_AFFINITY ON
      ENVIRONMENT GEMM_TUTOR_COMPILER=clang)
  endif()
endfunction()

# Its headers, and where its libraries are looked for when the program runs.
function(use_cuda_headers target)
  list(GET CUDAToolkit_INCLUDE_DIRS 0 toolkit_headers)
  target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE
    CUDA_LIBRARY_DIRECTORY="${CUDAToolkit_LIBRARY_DIR}" CUDA_INCLUDE_DIRECTORY="${toolkit_headers}")
endfunction()

# Tests are compiled more often than run, and what is fast is what they test. Components of text are done before
# anyone has read it: optimising them takes longer than it would save.
set(optimisation_of_tests $<$<NOT:$<CONFIG:Debug>>:-O0>)
set(optimisation_of_text $<IF:$<CONFIG:Release>,-O1,-O0>)

# The files of TARGET are compiled several at a time.
function(compile_together target)
  if(NOT GEMM_TUTOR_PRECOMPILE)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 5)
  # GCC takes what an included file has in a namespace without a name for a mistake.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

function(add_component name)
  cmake_parse_arguments(ARG "TEXT;TOGETHER" "COST" "LINK;TEST_LINK;CUDA" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  if(ARG_CUDA AND NOT GEMM_TUTOR_CUDA)
    list(TRANSFORM ARG_CUDA PREPEND ${PROJECT_SOURCE_DIR}/src/${name}/)
    list(REMOVE_ITEM sources ${ARG_CUDA})
    file(GLOB instead CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/without_cuda/*.cpp)
    list(APPEND sources ${instead})
  endif()
  add_library(gemm_tutor_${name} STATIC ${sources})
  if(ARG_CUDA AND GEMM_TUTOR_CUDA)
    use_cuda_headers(gemm_tutor_${name})
  endif()
  target_link_libraries(gemm_tutor_${name} PUBLIC gemm_tutor_options)
  foreach(library IN LISTS ARG_LINK)
    if(TARGET gemm_tutor_${library})
      set(library gemm_tutor_${library})
    endif()
    target_link_libraries(gemm_tutor_${name} PUBLIC ${library})
  endforeach()
  set(kind source)
  if(ARG_TEXT)
    set(kind text)
    target_compile_options(gemm_tutor_${name} PRIVATE ${optimisation_of_text})
  endif()
  precompile_headers(gemm_tutor_${name} ${kind})
  if(ARG_TOGETHER)
    compile_together(gemm_tutor_${name})
  endif()

  if(NOT ARG_COST)
    set(ARG_COST 1)
  endif()
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*.cpp)
  foreach(library IN LISTS ARG_TEST_LINK)
    if(BUILD_TESTING AND NOT TARGET ${library})
      message(STATUS "Left out, as ${library} is missing: the tests of ${name}")
      set(tests "")
    endif()
  endforeach()
  if(BUILD_TESTING AND tests)
    add_executable(test_${name} ${tests})
    target_link_libraries(test_${name} PRIVATE gemm_tutor_${name} ${ARG_TEST_LINK} Catch2::Catch2WithMain)
    target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    precompile_headers(test_${name} tests)
    target_compile_options(test_${name} PRIVATE ${optimisation_of_tests})
    set_target_properties(test_${name} PROPERTIES GEMM_TUTOR_IS_TEST ON)
    compile_together(test_${name})
    target_compile_definitions(test_${name} PRIVATE
      PROJECT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PROJECT_BINARY_DIR="${PROJECT_BINARY_DIR}")
    # Tests tagged [nightly] take many seconds each: .ci/nightly runs them. Tests tagged [long] go through all lessons,
    # what can be set of one, or all widths of a terminal, or wait for what has no end. With sanitizers they take longer
    # than all others together, which run the same code.
    set(tests_to_run "~[nightly]")
    if(GEMM_TUTOR_SANITIZE)
      string(APPEND tests_to_run "~[long]")
    endif()
    # Each has a core of its own: what is emulated is then as much as one core can do in the time that a command takes.
    # Catch2 2.13 has no way to skip a test: one that cannot run here prints "SKIPPED: why".
    catch_discover_tests(test_${name} TEST_PREFIX "${name}: " TEST_SPEC ${tests_to_run}
      PROPERTIES COST "${ARG_COST}" PROCESSOR_AFFINITY ON SKIP_REGULAR_EXPRESSION "SKIPPED: "
      FAIL_REGULAR_EXPRESSION "No test cases matched")
  endif()
endfunction()
