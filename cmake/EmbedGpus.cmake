# Embeds the files gpus/*.toml in a component, so that a new GPU needs only a new file.

function(embed_gpus component)
  set(generated ${PROJECT_BINARY_DIR}/generated)
  set(gpus ${PROJECT_SOURCE_DIR}/gpus)
  set(script ${PROJECT_SOURCE_DIR}/cmake/GenerateGpus.cmake)
  file(GLOB files CONFIGURE_DEPENDS ${gpus}/*.toml)
  add_custom_command(
    OUTPUT ${generated}/gpus.cpp
    COMMAND ${CMAKE_COMMAND} -DGPUS=${gpus} -DOUTPUT=${generated}/gpus.cpp -P ${script}
    DEPENDS ${files} ${script}
    COMMENT "Embedding the GPUs"
    VERBATIM)
  add_generated(${component} ${generated}/gpus.cpp)
endfunction()
