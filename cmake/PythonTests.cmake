# add_python_test(NAME SCRIPT ARGUMENT...) adds a test that is a program in Python. The program prints "SKIPPED: why"
# where it cannot run. Without Python, the test says so. With CONFIGURATIONS NAME in front of the script, only
# `ctest -C NAME` runs it.
#
# write_for_tests(OUTPUT FOR TEST... BY SCRIPT ARGUMENT...) has a program in Python write OUTPUT, a file or a folder that
# is its last argument, before the tests are built. Without Python there is no OUTPUT, and a test that needs it says so.

# The distribution's packages, which scripts/bootstrap installs, are for its own Python.
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 COMPONENTS Interpreter)

function(add_python_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "CONFIGURATIONS" "")
  if(Python3_Interpreter_FOUND)
    add_test(NAME "${name}" CONFIGURATIONS ${ARG_CONFIGURATIONS}
      COMMAND Python3::Interpreter -B ${ARG_UNPARSED_ARGUMENTS})
  else()
    add_test(NAME "${name}" CONFIGURATIONS ${ARG_CONFIGURATIONS}
      COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: Python 3 is missing")
  endif()
  set_tests_properties("${name}" PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: ")
endfunction()

function(write_for_tests output)
  cmake_parse_arguments(ARG "" "" "FOR;BY" ${ARGN})
  if(NOT BUILD_TESTING OR NOT Python3_Interpreter_FOUND)
    return()
  endif()
  add_custom_command(
    OUTPUT ${output}.written
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${output}
    COMMAND Python3::Interpreter -B ${ARG_BY} ${output}
    COMMAND ${CMAKE_COMMAND} -E touch ${output}.written
    DEPENDS ${ARG_BY}
    VERBATIM)
  get_filename_component(name ${output} NAME_WE)
  add_custom_target(write_${name} ALL DEPENDS ${output}.written)
  foreach(test IN LISTS ARG_FOR)
    if(TARGET test_${test})
      add_dependencies(test_${test} write_${name})
    endif()
  endforeach()
endfunction()
