# add_golden_tests(PROGRAM) adds a test for each case of tests/golden, which compares what the program prints with what
# the case says, and a test that scripts/golden finds what differs. CONTRIBUTING.md says how a case is written.

function(add_golden_test name)
  add_test(NAME "golden: ${name}" COMMAND ${ARGN})
  set_tests_properties("golden: ${name}" PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: ")
endfunction()

function(add_golden_tests program)
  set(folder ${PROJECT_SOURCE_DIR}/tests/golden)
  add_golden_test("the runner finds what differs" ${folder}/runner_test)
  file(GLOB_RECURSE cases CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.txt)
  foreach(case IN LISTS cases)
    file(STRINGS ${folder}/${case} long REGEX "^tags: long$")
    if(long AND GEMM_TUTOR_SANITIZE)
      continue()
    endif()
    string(REGEX REPLACE "\\.txt$" "" name ${case})
    # The kernels that the C++ tests have compiled are not compiled again.
    add_golden_test(${name} ${PROJECT_SOURCE_DIR}/scripts/golden --program $<TARGET_FILE:${program}>
      --cache ${PROJECT_BINARY_DIR}/test-cache ${name})
  endforeach()
endfunction()
