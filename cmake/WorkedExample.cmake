# Tests of the lesson that CONTRIBUTING.md adds as an example: add_worked_example(NN-slug). Its folder is
# written from the page. The program and the tests of all lessons must accept it, and the build must embed
# it if it is in lessons/.

function(add_worked_example lesson)
  set(document ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md)
  set(tree ${PROJECT_BINARY_DIR}/worked-example)
  set(write ${PROJECT_SOURCE_DIR}/cmake/WriteDocumentFiles.cmake)

  file(REMOVE_RECURSE ${tree})
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DDOCUMENT=${document} -DFOLDER=${tree} -P ${write}
    COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${document} ${write})

  add_test(NAME "contributing: its pieces of source are in the files that it names"
    COMMAND ${CMAKE_COMMAND} -DDOCUMENT=${document} -DSOURCE=${PROJECT_SOURCE_DIR}
            -P ${PROJECT_SOURCE_DIR}/cmake/CheckDocumentExcerpts.cmake)
  add_test(NAME "contributing: the example's lesson runs, and its solution solves its exercise"
    COMMAND ${PROJECT_SOURCE_DIR}/tests/course/worked_example_test
            $<TARGET_FILE:gemm-tutor> ${tree}/lessons/${lesson})
  add_test(NAME "contributing: the build embeds the example"
    COMMAND ${CMAKE_COMMAND} -DTREE=${tree} -DLESSON=${lesson} -DSOURCE=${PROJECT_SOURCE_DIR}
            -P ${PROJECT_SOURCE_DIR}/tests/course/embedded_example_test.cmake)
  # The tests that go through all lessons, by `ctest -C nightly` alone: they take as long as those lessons. (Others need a
  # lesson's files in the repository.)
  add_test(NAME "contributing: the example passes the tests of lessons" CONFIGURATIONS nightly
    COMMAND test_course "every lesson is whole,\
every kernel of every lesson is right at every size,counts equal the formula*,\
a formula that says it is exact*,whole tiles of C count*,a question's*,\
each wrong answer that is foreseen*,each reply to a number*,\
what is right is the same choice*,a note is at*,what a lesson asks of memory*,\
every word that a lesson introduces*,each numbered lesson says near*")
  add_test(NAME "contributing: the example passes the tests of exercises" CONFIGURATIONS nightly
    COMMAND test_exercise "there is an exercise for each*,every exercise as handed out*,\
every solution*,every exercise is whole*,the tile sizes of an exercise*")
  set_tests_properties(
    "contributing: the example passes the tests of lessons"
    "contributing: the example passes the tests of exercises"
    PROPERTIES ENVIRONMENT "GEMM_TUTOR_COURSE=${tree}/lessons;GEMM_TUTOR_TEST_ALL=1"
    FAIL_REGULAR_EXPRESSION "No test cases matched")
endfunction()
