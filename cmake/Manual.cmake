# What the program writes of itself: its manual page and the scripts by which shells complete its
# commands, in the folders below share/ where an installed program has them.
#   add_manual(PROGRAM)

function(add_manual program)
  set(share ${PROJECT_BINARY_DIR}/share)
  set(written "")
  foreach(output IN ITEMS
      "man/man1/${program}.1;manual"
      "bash-completion/completions/${program};completion;bash"
      "zsh/site-functions/_${program};completion;zsh"
      "fish/vendor_completions.d/${program}.fish;completion;fish")
    list(POP_FRONT output path)
    get_filename_component(directory ${share}/${path} DIRECTORY)
    file(MAKE_DIRECTORY ${directory})
    # Of its own lessons alone, whatever course someone who builds it has at hand.
    add_custom_command(OUTPUT ${share}/${path}
      COMMAND ${CMAKE_COMMAND} -E env --unset=GEMM_TUTOR_COURSE $<TARGET_FILE:${program}> ${output} > ${share}/${path}
      DEPENDS ${program} VERBATIM)
    list(APPEND written ${share}/${path})
  endforeach()
  add_custom_target(manual ALL DEPENDS ${written})
endfunction()
