# Tests of the notebook: the magics in an IPython shell, and docs/notebook.ipynb, executed.

function(add_notebook_tests program)
  foreach(name IN ITEMS magics notebook)
    set(arguments $<TARGET_FILE:${program}> ${PROJECT_SOURCE_DIR}/share/python)
    if(name STREQUAL notebook)
      list(APPEND arguments ${PROJECT_SOURCE_DIR}/docs/notebook.ipynb)
    endif()
    add_python_test("notebook: ${name}" ${PROJECT_SOURCE_DIR}/tests/notebook/${name}_test.py ${arguments})
  endforeach()
endfunction()
