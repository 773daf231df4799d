# add_python_test(NAME SCRIPT ARGUMENT...) adds a test that is a program in Python. The program prints "SKIPPED: why"
# where it cannot run. Without Python, the test says so. With CONFIGURATIONS NAME in front of the script, only
# `ctest -C NAME` runs it.

find_package(Python3 COMPONENTS Interpreter)

function(add_python_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "CONFIGURATIONS" "")
  if(Python3_Interpreter_FOUND)
    add_test(NAME "${name}" CONFIGURATIONS ${ARG_CONFIGURATIONS}
      COMMAND Python3::Interpreter -B ${ARG_UNPARSED_ARGUMENTS})
  else()
    add_test(NAME "${name}" CONFIGURATIONS ${ARG_CONFIGURATIONS} COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: Python 3 is missing")
  endif()
  set_tests_properties("${name}" PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: ")
endfunction()
