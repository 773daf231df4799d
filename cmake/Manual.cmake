# The manual page, which the program writes itself, below build/*/share: add_manual(PROGRAM)

function(add_manual program)
  set(page ${PROJECT_BINARY_DIR}/share/man/man1/${program}.1)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/man/man1)
  # Without a teacher's course: only the program's lessons.
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E env --unset=GEMM_TUTOR_COURSE $<TARGET_FILE:${program}> manual > ${page}
    DEPENDS ${program} VERBATIM)
  add_custom_target(manual ALL DEPENDS ${page})
endfunction()
