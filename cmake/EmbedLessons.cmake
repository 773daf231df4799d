# Compiles every lessons/<NN>-<slug>/lesson.cpp into a component and embeds the folder's texts, so that
# adding a lesson is adding a folder, as is adding an exercise, exercises/<slug>/; and embeds
# lessons/glossary.md and the recorded results, docs/results/*.json.

function(embed_lessons component)
  set(generated ${PROJECT_BINARY_DIR}/generated)
  set(lessons ${PROJECT_SOURCE_DIR}/lessons)
  set(exercises ${PROJECT_SOURCE_DIR}/exercises)
  set(results ${PROJECT_SOURCE_DIR}/docs/results)
  set(script ${PROJECT_SOURCE_DIR}/cmake/GenerateLessons.cmake)
  file(GLOB definitions CONFIGURE_DEPENDS ${lessons}/*/lesson.cpp)
  file(GLOB texts CONFIGURE_DEPENDS
    ${lessons}/*/kernel.* ${lessons}/*/exercise.* ${lessons}/*/lesson.md ${lessons}/glossary.md
    ${exercises}/*/*.cu ${exercises}/*/exercise.toml ${results}/*.json)
  add_custom_command(
    OUTPUT ${generated}/lessons.cpp
    COMMAND ${CMAKE_COMMAND} -DLESSONS=${lessons} -DEXERCISES=${exercises} -DRESULTS=${results}
            -DOUTPUT=${generated}/lessons.cpp -P ${script}
    DEPENDS ${definitions} ${texts} ${script}
    COMMENT "Embedding the lessons"
    VERBATIM)
  target_sources(gemm_tutor_${component} PRIVATE ${definitions} ${generated}/lessons.cpp)
endfunction()
