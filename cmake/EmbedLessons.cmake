# Compiles every lessons/<NN>-<slug>/lesson.cpp into a component and embeds the folder's texts, so that
# adding a lesson is adding a folder.

function(embed_lessons component)
  set(generated ${PROJECT_BINARY_DIR}/generated)
  file(GLOB definitions CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lessons/*/lesson.cpp)
  file(GLOB texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lessons/*/kernel.* ${PROJECT_SOURCE_DIR}/lessons/*/lesson.md)
  add_custom_command(
    OUTPUT ${generated}/lessons.cpp
    COMMAND ${CMAKE_COMMAND} -DLESSONS=${PROJECT_SOURCE_DIR}/lessons -DOUTPUT=${generated}/lessons.cpp
            -P ${PROJECT_SOURCE_DIR}/cmake/GenerateLessons.cmake
    DEPENDS ${definitions} ${texts} ${PROJECT_SOURCE_DIR}/cmake/GenerateLessons.cmake
    COMMENT "Embedding the lessons"
    VERBATIM)
  target_sources(gemm_tutor_${component} PRIVATE ${definitions} ${generated}/lessons.cpp)
endfunction()
