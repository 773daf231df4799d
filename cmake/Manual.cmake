# The manual page, which help2man makes of the program's helps, below build/*/share: add_manual(PROGRAM)
# Without help2man there is none.

function(add_manual program)
  find_program(HELP2MAN help2man)
  if(NOT HELP2MAN)
    message(STATUS "There will be no manual page: help2man is not installed")
    return()
  endif()
  set(page ${PROJECT_BINARY_DIR}/share/man/man1/${program}.1)
  set(script ${PROJECT_SOURCE_DIR}/cmake/write-manual)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/man/man1)
  add_custom_command(OUTPUT ${page}
    COMMAND sh ${script} ${HELP2MAN} $<TARGET_FILE:${program}> ${PROJECT_VERSION} > ${page}
    DEPENDS ${program} ${script} ${PROJECT_SOURCE_DIR}/cmake/manual.h2m
    COMMENT "Writing the manual page" VERBATIM)
  add_custom_target(manual ALL DEPENDS ${page})
endfunction()
