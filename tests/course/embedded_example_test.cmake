# What the build's generator makes of a folder lessons/LESSON and nothing else: TREE is the folder that
# lessons/ is in, SOURCE the repository.

set(table ${TREE}/lessons.cpp)
execute_process(
  COMMAND ${CMAKE_COMMAND} -DLESSONS=${TREE}/lessons -DEXERCISES=${SOURCE}/exercises
          -DRESULTS=${SOURCE}/docs/results -DOUTPUT=${table} -P ${SOURCE}/cmake/GenerateLessons.cmake
  COMMAND_ERROR_IS_FATAL ANY)
file(READ ${table} generated)
file(GLOB files ${TREE}/lessons/${LESSON}/*)
list(LENGTH files count)
if(count LESS 5)
  message(FATAL_ERROR "${LESSON} has ${count} files, and should have 5")
endif()
list(APPEND files "lessons/${LESSON}\", \"kernel.cu")
foreach(file IN LISTS files)
  set(text "${file}")
  if(EXISTS ${file})
    file(READ ${file} text)
  endif()
  string(FIND "${generated}" "${text}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "the table of lessons lacks ${file}")
  endif()
endforeach()
