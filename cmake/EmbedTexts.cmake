# embed_texts(COMPONENT FILES…) compiles text files of src/COMPONENT into it, as functions that return
# them: house.css is const char* house_css() of namespace gemm_tutor, declared in embedded_texts.hpp there.

function(embed_texts component)
  set(folder ${PROJECT_SOURCE_DIR}/src/${component})
  set(output ${PROJECT_BINARY_DIR}/generated/${component}_texts.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/GenerateTexts.cmake)
  list(TRANSFORM ARGN PREPEND ${folder}/ OUTPUT_VARIABLE files)
  string(REPLACE ";" "," names "${ARGN}")
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DNAMES=${names} -DCOMPONENT=${component}
            -DOUTPUT=${output} -P ${script}
    DEPENDS ${files} ${script}
    COMMENT "Embedding the texts of ${component}"
    VERBATIM)
  target_sources(gemm_tutor_${component} PRIVATE ${output})
endfunction()
