# A component is a folder of src/ built as a static library, and the folder of the same name under
# tests/ built as one test program: add_component(NAME LINK components and libraries, INCLUDE directories,
# TEST_LINK libraries of the tests alone, which are left out where one is missing).

add_library(gemm_tutor_options INTERFACE)
target_include_directories(gemm_tutor_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(gemm_tutor_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wconversion -Wno-sign-conversion
  # GCC 12 sees overlaps inside std::string that are not there (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # A product and a sum are fused only where the source says fma: the emulator's results must be the
  # hardware's bit for bit.
  -ffp-contract=off)
if(GEMM_TUTOR_WERROR)
  target_compile_options(gemm_tutor_options INTERFACE -Werror)
endif()
if(GEMM_TUTOR_SANITIZE)
  target_compile_options(gemm_tutor_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
    # With sanitizers GCC 12 takes parts of std::regex for uninitialised (GCC bug 105562).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(gemm_tutor_options INTERFACE -fsanitize=address,undefined)
endif()

function(add_component name)
  cmake_parse_arguments(ARG "" "" "LINK;INCLUDE;TEST_LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  add_library(gemm_tutor_${name} STATIC ${sources})
  target_link_libraries(gemm_tutor_${name} PUBLIC gemm_tutor_options)
  foreach(library IN LISTS ARG_LINK)
    if(TARGET gemm_tutor_${library})
      set(library gemm_tutor_${library})
    endif()
    target_link_libraries(gemm_tutor_${name} PUBLIC ${library})
  endforeach()
  target_include_directories(gemm_tutor_${name} SYSTEM PRIVATE ${ARG_INCLUDE})

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
    # Compiled more often than run: what is fast is what they test.
    target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    target_compile_definitions(test_${name} PRIVATE
      PROJECT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PROJECT_BINARY_DIR="${PROJECT_BINARY_DIR}")
    # Catch2 2.13 has no way to skip a test: one that cannot run here prints "SKIPPED: why".
    catch_discover_tests(test_${name} TEST_PREFIX "${name}: "
      PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: "
      FAIL_REGULAR_EXPRESSION "No test cases matched")
  endif()
endfunction()
