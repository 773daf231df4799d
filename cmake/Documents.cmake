# add_document_tests(PROGRAM) adds
# - one test per Markdown document of the repository, which runs its commands: README and the self-study guide always,
#   the others by `ctest -C nightly` alone,
# - a test that these tests find errors (tests/docs),
# - a test of the pictures of what the program shows, by `ctest -C nightly` alone,
# - a test for the words that docs/style.md refuses,
# - a test that no two types have one name, and one of the border of src/simt,
# - tests of the tables of compute-sanitizer's findings and, by `ctest -C nightly` alone, of the estimates' accuracy.

function(add_document_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "CONFIGURATIONS" "")
  add_python_test("docs: ${name}" CONFIGURATIONS "${ARG_CONFIGURATIONS}" ${ARG_UNPARSED_ARGUMENTS})
  # They start early, because the longest of them take longer than any other test.
  set_tests_properties("docs: ${name}" PROPERTIES TIMEOUT 900 COST 10)
endfunction()

function(add_document_tests program)
  add_document_test("a document that lies is found out" ${PROJECT_SOURCE_DIR}/tests/docs/documents_test.py)
  add_document_test("the style of the texts" ${PROJECT_SOURCE_DIR}/scripts/check-style)
  add_document_test("no two types have one name" ${PROJECT_SOURCE_DIR}/tests/docs/one_definition_test.py
    ${PROJECT_SOURCE_DIR})
  add_document_test("only public headers of simt are included" ${PROJECT_SOURCE_DIR}/tests/docs/simt_border_test.py
    ${PROJECT_SOURCE_DIR})
  add_document_test("the table of compute-sanitizer" ${PROJECT_SOURCE_DIR}/scripts/compare-with-compute-sanitizer
    --check ${PROJECT_SOURCE_DIR}/tests/findings/h200.csv)
  # With sanitizers the commands take several times as long, and other tests run the same code.
  if(GEMM_TUTOR_SANITIZE)
    return()
  endif()
  add_document_test("pictures in docs/images" CONFIGURATIONS nightly ${PROJECT_SOURCE_DIR}/scripts/draw-pictures
    --check --program $<TARGET_FILE:${program}>)
  add_document_test("estimates in docs/measuring.md" CONFIGURATIONS nightly ${PROJECT_SOURCE_DIR}/scripts/draw-estimates
    --check --program $<TARGET_FILE:${program}>)
  file(GLOB_RECURSE documents CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/docs/*.md)
  file(GLOB front CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/*.md)
  foreach(document IN LISTS front documents)
    set(when nightly)
    if(document MATCHES "^(README|docs/self-study).md$")
      set(when "")
    endif()
    add_document_test(${document} CONFIGURATIONS "${when}" ${PROJECT_SOURCE_DIR}/tests/docs/run_document.py
      --program $<TARGET_FILE:${program}> --root ${PROJECT_SOURCE_DIR} ${document})
  endforeach()
endfunction()
