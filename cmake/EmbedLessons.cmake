# Embeds the files of every folder lessons/<NN>-<slug>/ or lessons/<slug>/ and exercises/<slug>/ in a component, so that a new lesson or
# exercise needs only a new folder. Also embeds lessons/glossary.md, lessons/machine, lessons/profiler and the recorded
# results, docs/results/*.json and docs/results/profile/*.json. If a lesson has a lesson.cpp, it is compiled.

function(embed_lessons component)
  set(generated ${PROJECT_BINARY_DIR}/generated)
  set(lessons ${PROJECT_SOURCE_DIR}/lessons)
  set(exercises ${PROJECT_SOURCE_DIR}/exercises)
  set(results ${PROJECT_SOURCE_DIR}/docs/results)
  set(script ${PROJECT_SOURCE_DIR}/cmake/GenerateLessons.cmake)
  file(GLOB definitions CONFIGURE_DEPENDS ${lessons}/*/lesson.cpp)
  file(GLOB texts CONFIGURE_DEPENDS
    ${lessons}/*/kernel.* ${lessons}/*/exercise.* ${lessons}/*/solution.cu ${lessons}/*/lesson.md ${lessons}/*/lesson.toml
    ${lessons}/glossary.md ${lessons}/machine/* ${lessons}/profiler/*
    ${exercises}/*/*.cu ${exercises}/*/exercise.toml ${results}/*.json ${results}/profile/*.json)
  add_custom_command(
    OUTPUT ${generated}/lessons.cpp
    COMMAND ${CMAKE_COMMAND} -DLESSONS=${lessons} -DEXERCISES=${exercises} -DRESULTS=${results}
            -DOUTPUT=${generated}/lessons.cpp -P ${script}
    DEPENDS ${definitions} ${texts} ${script}
    COMMENT "Embedding the lessons"
    VERBATIM)
  target_sources(gemm_tutor_${component} PRIVATE ${definitions})
  add_generated(${component} ${generated}/lessons.cpp)
endfunction()
