# add_python_test(NAME SCRIPT ARGUMENT...) adds a test that is a program in Python. The program prints "SKIPPED: why"
# where it cannot run. Without Python, the test says so.

find_package(Python3 COMPONENTS Interpreter)

function(add_python_test name)
  if(Python3_Interpreter_FOUND)
    add_test(NAME "${name}" COMMAND Python3::Interpreter -B ${ARGN})
  else()
    add_test(NAME "${name}" COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: Python 3 is missing")
  endif()
  set_tests_properties("${name}" PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: ")
endfunction()
