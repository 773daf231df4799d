# The facts of the build that `gemm-tutor --version` prints, in one small source file of a component:
# write_version(COMPONENT). Every build checks it, and writes it only if it has changed. So a commit needs
# only one file to be compiled and the program to be linked.

function(write_version component)
  set(output ${PROJECT_BINARY_DIR}/generated/version.cpp)
  find_program(GIT_EXECUTABLE git)
  mark_as_advanced(GIT_EXECUTABLE)
  add_custom_target(gemm_tutor_version
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DGIT=${GIT_EXECUTABLE}
            -DCOMPILER=${CMAKE_CXX_COMPILER_ID}\ ${CMAKE_CXX_COMPILER_VERSION}
            -DBUILD_TYPE=${CMAKE_BUILD_TYPE} -DOUTPUT=${output}
            -P ${PROJECT_SOURCE_DIR}/cmake/GenerateVersion.cmake
    BYPRODUCTS ${output}
    COMMENT "Looking for the version's facts"
    VERBATIM)
  target_sources(gemm_tutor_${component} PRIVATE ${output})
  add_dependencies(gemm_tutor_${component} gemm_tutor_version)
endfunction()
