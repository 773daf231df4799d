# embed_texts(COMPONENT FOLDER FILES…) compiles text files of src/FOLDER into it, as functions that return them:
# house.css is const char* house_css(), declared in embedded_texts.hpp there, in the namespace of that header.

function(embed_texts component place)
  set(folder ${PROJECT_SOURCE_DIR}/src/${place})
  set(output ${PROJECT_BINARY_DIR}/generated/${component}_texts.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/GenerateTexts.cmake)
  list(TRANSFORM ARGN PREPEND ${folder}/ OUTPUT_VARIABLE files)
  string(REPLACE ";" "," names "${ARGN}")
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DNAMES=${names} -DCOMPONENT=${place}
            -DOUTPUT=${output} -P ${script}
    DEPENDS ${files} ${folder}/embedded_texts.hpp ${script}
    COMMENT "Embedding the texts of ${component}"
    VERBATIM)
  add_generated(${component} ${output})
endfunction()
