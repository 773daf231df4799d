# A component is a folder of src/, built as a static library, and the folder of the same name in tests/, built as one
# test program. add_component(NAME ...) has these arguments:
#   FOLDERS    its folders of src/, if these are not NAME
#   TEXT       the component mainly reads or writes text
#   LINK       components and libraries
#   TEST_LINK  libraries that only the tests need; without one of them there are no tests
#   COST       tests of components with a higher cost start earlier

# Not with ccache, which would compile all files of a batch again if one changes.
set(together ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(together OFF)
endif()
option(GEMM_TUTOR_TOGETHER "Compile the files of components together" ${together})

add_library(gemm_tutor_options INTERFACE)
target_include_directories(gemm_tutor_options INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/simt/include)
target_compile_options(gemm_tutor_options INTERFACE
  -Wall -Wextra -Wnon-virtual-dtor -Wconversion -Wno-sign-conversion
  # Clang warns about an alias, too, that two files have which are compiled together.
  $<$<CXX_COMPILER_ID:GNU>:-Wshadow>
  # GCC 12 warns about overlaps in std::string that do not exist (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # It has more such warnings, in std::string::insert and vectors of strings, where files are compiled together.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${GEMM_TUTOR_TOGETHER}>>:-Wno-array-bounds
    -Wno-stringop-overflow -Wno-stringop-overread>
  # The interpreter has a pragma that only GCC knows and needs: lanes do not overlap.
  $<$<NOT:$<CXX_COMPILER_ID:GNU>>:-Wno-unknown-pragmas>
  # Do not fuse a product and a sum unless the source says fma: the emulator's results must be the same
  # bits as the hardware's.
  -ffp-contract=off)
if(GEMM_TUTOR_WERROR)
  target_compile_options(gemm_tutor_options INTERFACE -Werror)
endif()
# Functions that only tests call are left out of the program.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT APPLE)
  target_compile_options(gemm_tutor_options INTERFACE -ffunction-sections -fdata-sections)
  target_link_options(gemm_tutor_options INTERFACE LINKER:--gc-sections)
endif()
if(GEMM_TUTOR_SANITIZE)
  set(sanitizers ${GEMM_TUTOR_SANITIZE})
  if(sanitizers STREQUAL "address")
    set(sanitizers address,undefined)
  endif()
  set(watched ${sanitizers})
  if(GEMM_TUTOR_FUZZ)
    string(APPEND watched ,fuzzer-no-link)
    # To report each comparison took two thirds of the time of a run, and our mutations of text know the words to try.
    set(untraced -fno-sanitize-coverage=trace-cmp)
  endif()
  # Only the code under test has sanitizers. The tests are half of all code, and would compile more slowly.
  target_compile_options(gemm_tutor_options INTERFACE
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:GEMM_TUTOR_IS_TEST>>>:-fsanitize=${watched};-fno-sanitize-recover=all;${untraced}>
    -fno-omit-frame-pointer)
  target_link_options(gemm_tutor_options INTERFACE -fsanitize=${sanitizers})
endif()

# test_with_clang_too(NAME): runs the component's tests tagged [clang] a second time with clang as the compiler of kernels,
# if there is a choice. .ci/nightly does so with those tagged [clang-nightly]. Not with sanitizers, because they would
# check the same code again.
function(test_with_clang_too name)
  find_program(GEMM_TUTOR_CLANG_FOR_TESTS
    NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
  if(TARGET test_${name} AND CUDAToolkit_FOUND AND GEMM_TUTOR_CLANG_FOR_TESTS AND NOT GEMM_TUTOR_SANITIZE)
    # These arguments only make a different name: Catch2 2.13 names a list of tests by its arguments.
    catch_discover_tests(test_${name} TEST_PREFIX "clang: ${name}: " EXTRA_ARGS --order decl
      TEST_SPEC "[clang]~[nightly]"
      PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: "
      FAIL_REGULAR_EXPRESSION "No test cases matched" COST 2
      ENVIRONMENT GEMM_TUTOR_COMPILER=clang ENVIRONMENT_MODIFICATION GEMM_TUTOR_CORES=set:1)
  endif()
endfunction()

# Lets a test compare what is here with the toolkit's headers, where there are some.
function(use_cuda_headers target)
  target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
endfunction()

# Tests and components of text are not optimised. Tests are compiled more often than they run, and the code that they
# test is optimised. Components of text are fast enough.
set(optimisation_of_tests $<$<NOT:$<CONFIG:Debug>>:-O0>)
set(optimisation_of_text $<IF:$<CONFIG:Release>,-Os,-O0>)

# Compiles several files of TARGET at a time. They have the same includes, and no two define the same name.
function(compile_together target)
  if(NOT GEMM_TUTOR_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  # GCC warns about anonymous namespaces in included files.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# Adds a file that the build writes. It is a library of its own, because a component that uses one with such a file would
# be compiled after it, and not at the same time.
set(CMAKE_OPTIMIZE_DEPENDENCIES ON)
function(add_generated component file)
  add_library(gemm_tutor_${component}_generated OBJECT ${file})
  target_link_libraries(gemm_tutor_${component}_generated PRIVATE gemm_tutor_options fmt::fmt)
  target_sources(gemm_tutor_${component} PRIVATE $<TARGET_OBJECTS:gemm_tutor_${component}_generated>)
endfunction()

# The linker takes an inline function from the first file that has it. Where that is the test's, the component would run
# with functions that are not optimised, which took up to half of a test's time.
function(prefer_functions_of test component)
  if(APPLE)
    return()
  endif()
  get_target_property(components gemm_tutor_${component} GEMM_TUTOR_COMPONENTS)
  list(TRANSFORM components REPLACE "(.+)" "$<TARGET_FILE:gemm_tutor_\\1>")
  list(JOIN components "," archives)
  target_link_options(${test} PRIVATE "LINKER:--whole-archive,${archives},--no-whole-archive")
endfunction()

function(add_component name)
  cmake_parse_arguments(ARG "TEXT" "COST" "FOLDERS;LINK;TEST_LINK" ${ARGN})
  if(NOT ARG_FOLDERS)
    set(ARG_FOLDERS ${name})
  endif()
  list(TRANSFORM ARG_FOLDERS PREPEND ${PROJECT_SOURCE_DIR}/src/)
  list(TRANSFORM ARG_FOLDERS APPEND /*.cpp)
  file(GLOB sources CONFIGURE_DEPENDS ${ARG_FOLDERS})
  add_library(gemm_tutor_${name} STATIC ${sources})
  target_link_libraries(gemm_tutor_${name} PUBLIC gemm_tutor_options)
  set(components ${name}) # with those that it uses
  foreach(library IN LISTS ARG_LINK)
    if(TARGET gemm_tutor_${library})
      set(library gemm_tutor_${library})
      get_target_property(used ${library} GEMM_TUTOR_COMPONENTS)
      list(APPEND components ${used})
    endif()
    target_link_libraries(gemm_tutor_${name} PUBLIC ${library})
  endforeach()
  list(REMOVE_DUPLICATES components)
  set_target_properties(gemm_tutor_${name} PROPERTIES GEMM_TUTOR_COMPONENTS "${components}")
  if(ARG_TEXT)
    target_compile_options(gemm_tutor_${name} PRIVATE ${optimisation_of_text})
  endif()
  compile_together(gemm_tutor_${name})

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
    target_compile_options(test_${name} PRIVATE ${optimisation_of_tests})
    set_target_properties(test_${name} PROPERTIES GEMM_TUTOR_IS_TEST ON)
    prefer_functions_of(test_${name} ${name})
    compile_together(test_${name})
    target_compile_definitions(test_${name} PRIVATE
      PROJECT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PROJECT_BINARY_DIR="${PROJECT_BINARY_DIR}")
    # Tests tagged [nightly] take many seconds each, and only .ci/nightly runs them. Tests tagged [long] go through all
    # lessons, all settings or all widths of a terminal, compile many kernels, or wait for endless ones. With sanitizers
    # they would take longer than all others together, which test the same code.
    set(tests_to_run "~[nightly]")
    if(GEMM_TUTOR_SANITIZE)
      string(APPEND tests_to_run "~[long]")
    endif()
    # Each test uses one core, so that the number of emulated blocks does not depend on the number of cores, and none
    # fills the user's cache. No property may be a list here: there are two for the environment.
    # Catch2 2.13 cannot skip a test: one that cannot run here prints "SKIPPED: why".
    catch_discover_tests(test_${name} TEST_PREFIX "${name}: " TEST_SPEC ${tests_to_run}
      PROPERTIES ENVIRONMENT GEMM_TUTOR_CORES=1
      ENVIRONMENT_MODIFICATION XDG_CACHE_HOME=set:${PROJECT_BINARY_DIR}/test-cache COST "${ARG_COST}" SKIP_REGULAR_EXPRESSION "SKIPPED: "
      FAIL_REGULAR_EXPRESSION "No test cases matched")
  endif()
endfunction()
