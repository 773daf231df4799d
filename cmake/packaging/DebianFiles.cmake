# Run by CPack where the files of the package lie, before they are packed: what Debian wants otherwise than
# `cmake --install` has it. https://www.debian.org/doc/debian-policy/ch-docs.html

if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(documents ${share}/doc/gemm-tutor)

# The heading of the newest version: "## 1.0.0 (2026-11-22)". Between releases "## Unreleased" comes before it.
file(STRINGS ${documents}/CHANGELOG.md headings REGEX "^## ")
list(REMOVE_ITEM headings "## Unreleased")
list(GET headings 0 heading)
if(NOT heading MATCHES "^## ([0-9.]+) \\(([0-9-]+)\\)$" OR NOT CMAKE_MATCH_1 STREQUAL CPACK_PACKAGE_VERSION)
  message(FATAL_ERROR "CHANGELOG.md has '${heading}' where '## ${CPACK_PACKAGE_VERSION} (YYYY-MM-DD)' belongs")
endif()
run(date -u -R -d ${CMAKE_MATCH_2})
file(WRITE ${documents}/changelog.Debian
"gemm-tutor (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * What is new is in changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${output}
")

file(RENAME ${documents}/CHANGELOG.md ${documents}/changelog)
file(REMOVE ${documents}/LICENSE)  # it is in the file copyright
file(COPY ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${documents})
file(WRITE ${share}/lintian/overrides/gemm-tutor
"# Not uploaded to Debian, so that no request for a package is closed by it.
gemm-tutor: initial-upload-closes-no-bugs *
")
file(GLOB pages ${share}/man/man1/*.1)
run(gzip -9n ${documents}/changelog ${documents}/changelog.Debian ${pages})
run(chmod -R u=rwX,go=rX ${share})
