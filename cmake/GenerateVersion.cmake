# Writes the facts of the build to OUTPUT, if they have changed. SOURCE is the source's folder, GIT the git
# program, if there is one. COMPILER and BUILD_TYPE are shown.

# Returns git's output; nothing without git, without a repository (a tarball), or if git does not trust the
# repository. A tarball inside another repository must not show the other's commit.
function(ask_git result)
  set(${result} "" PARENT_SCOPE)
  if(NOT GIT OR NOT EXISTS ${SOURCE}/.git)
    return()
  endif()
  execute_process(COMMAND ${GIT} -C ${SOURCE} ${ARGN}
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(${result} "${answer}" PARENT_SCOPE)
  endif()
endfunction()

ask_git(commit rev-parse --short=12 HEAD)
set(source "not known (built without its Git repository)")
if(commit)
  set(source "${commit}")
  ask_git(changes status --porcelain --untracked-files=no)
  if(changes)
    string(APPEND source ", modified")
  endif()
endif()

set(text
"// Written by cmake/GenerateVersion.cmake.
#include \"cli/version.hpp\"

namespace gemm_tutor::cli {

BuildFacts build_facts() {
  return {.commit = \"${source}\", .compiler = \"${COMPILER}\", .build_type = \"${BUILD_TYPE}\"};
}

}  // namespace gemm_tutor::cli
")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUTPUT} "${text}")
endif()
