# The files that `cmake --install` installs. The program contains its lessons and exercises, and needs no
# other file. share/ has the shells' completions; the build makes the manual page.

include(GNUInstallDirs)

install(TARGETS gemm-tutor RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(FILES ${PROJECT_BINARY_DIR}/share/man/man1/gemm-tutor.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(DIRECTORY share/ DESTINATION ${CMAKE_INSTALL_DATADIR} PATTERN python EXCLUDE)

install(FILES README.md CONTRIBUTING.md CHANGELOG.md LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN site EXCLUDE)

# Builds with sanitizers have the path of the source in their debug information.
if(BUILD_TESTING AND CMAKE_BUILD_TYPE STREQUAL "Release")
  add_test(NAME "install: it works without its source"
    COMMAND bash ${PROJECT_SOURCE_DIR}/tests/install/install_test.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
endif()
