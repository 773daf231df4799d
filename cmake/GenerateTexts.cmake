# Writes OUTPUT: a C++ function for each of NAMES (with commas between), which are files of FOLDER.

string(REPLACE "," ";" NAMES "${NAMES}")
set(functions "")
foreach(name IN LISTS NAMES)
  file(READ ${FOLDER}/${name} text)
  string(LENGTH "${text}" length)
  if(length GREATER 65000)
    message(FATAL_ERROR "${name}: ${length} bytes are too many for one string literal, of which a "
      "compiler must take 65,536")
  endif()
  string(MAKE_C_IDENTIFIER ${name} function)
  string(APPEND functions "\nconst char* ${function}() { return R\"_text_(${text})_text_\"; }\n")
endforeach()

file(READ ${FOLDER}/embedded_texts.hpp header)
string(REGEX MATCH "namespace ([a-z_:]+)" in_namespace "${header}")
file(WRITE ${OUTPUT}.new
"// Written by cmake/GenerateTexts.cmake.
#include \"${COMPONENT}/embedded_texts.hpp\"

${in_namespace} {
${functions}
}  // ${in_namespace}
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
