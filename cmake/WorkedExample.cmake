# The lesson that CONTRIBUTING.md adds as an example, built and tested as the page prints it:
# add_worked_example(NN-slug). Its files are written to a folder of the build, links to the lessons that
# there are beside them, and that folder's table of lessons is linked in place of the course's, into the
# program and into the tests of lessons and exercises.

function(add_worked_example lesson)
  set(document ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md)
  set(tree ${PROJECT_BINARY_DIR}/worked-example)
  set(table ${PROJECT_BINARY_DIR}/generated/worked_example.cpp)
  set(write ${PROJECT_SOURCE_DIR}/cmake/WriteDocumentFiles.cmake)
  set(generate ${PROJECT_SOURCE_DIR}/cmake/GenerateLessons.cmake)

  execute_process(
    COMMAND ${CMAKE_COMMAND} -DDOCUMENT=${document} -DFOLDER=${tree} -P ${write}
    COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${document} ${write})
  file(GLOB others RELATIVE ${PROJECT_SOURCE_DIR}/lessons CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/lessons/*)
  foreach(other IN LISTS others)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/lessons/${other} ${tree}/lessons/${other} SYMBOLIC)
  endforeach()

  file(GLOB texts CONFIGURE_DEPENDS ${tree}/lessons/*/* ${tree}/lessons/glossary.md)
  add_custom_command(
    OUTPUT ${table}
    COMMAND ${CMAKE_COMMAND} -DLESSONS=${tree}/lessons -DEXERCISES=${PROJECT_SOURCE_DIR}/exercises
            -DRESULTS=${PROJECT_SOURCE_DIR}/docs/results -DOUTPUT=${table} -P ${generate}
    DEPENDS ${texts} ${generate}
    COMMENT "Embedding the lessons and the example of CONTRIBUTING.md"
    VERBATIM)
  add_library(gemm_tutor_worked_example OBJECT ${tree}/lessons/${lesson}/lesson.cpp ${table})
  target_link_libraries(gemm_tutor_worked_example PRIVATE gemm_tutor_course)
  set(objects $<TARGET_OBJECTS:gemm_tutor_worked_example>)

  # Before the libraries, in which another table stands, which is then not looked for.
  add_executable(worked_example src/main.cpp ${objects})
  target_link_libraries(worked_example PRIVATE gemm_tutor_cli)
  add_executable(test_worked_example_course $<TARGET_OBJECTS:test_course> ${objects})
  target_link_libraries(test_worked_example_course PRIVATE gemm_tutor_course Catch2::Catch2WithMain)
  add_executable(test_worked_example_exercise $<TARGET_OBJECTS:test_exercise> ${objects})
  target_link_libraries(test_worked_example_exercise
    PRIVATE gemm_tutor_report gemm_tutor_exercise Catch2::Catch2WithMain)

  add_test(NAME "contributing: its pieces of source are in the files that it names"
    COMMAND ${CMAKE_COMMAND} -DDOCUMENT=${document} -DSOURCE=${PROJECT_SOURCE_DIR}
            -P ${PROJECT_SOURCE_DIR}/cmake/CheckDocumentExcerpts.cmake)
  add_test(NAME "contributing: the example's lesson runs, and its solution solves its exercise"
    COMMAND ${PROJECT_SOURCE_DIR}/tests/course/worked_example_test
            $<TARGET_FILE:worked_example> ${tree}/lessons/${lesson})
  # Those that go through all lessons. (Others look for a lesson's files in the repository.)
  add_test(NAME "contributing: the example passes the tests of lessons"
    COMMAND test_worked_example_course "every lesson is whole,\
every kernel of every lesson is right at every size,counts equal the formula*,\
a formula that says it is exact*,whole tiles of C count*,a question's*,exactly one choice*,\
what is right is the same choice*,a note stands*,what a lesson asks of memory*,\
every word that a lesson introduces*")
  add_test(NAME "contributing: the example passes the tests of exercises"
    COMMAND test_worked_example_exercise
            "every exercise as handed out*,every solution*,every exercise is whole*")
endfunction()
