# Writes OUTPUT: the lessons of the folder LESSONS as a C++ table of their definitions and files, its
# glossary.md, the exercises of the folder EXERCISES, and the texts of the folder RESULTS, as others.
# The folder 03-shared-memory-tile must define gemm_tutor::lesson_03_shared_memory_tile().

file(GLOB folders RELATIVE ${LESSONS} ${LESSONS}/*/lesson.cpp)
list(SORT folders)
set(declarations "")
set(rows "")
foreach(definition IN LISTS folders)
  get_filename_component(folder ${definition} DIRECTORY)
  if(NOT folder MATCHES "^([0-9][0-9])-([a-z0-9-]+)$")
    message(FATAL_ERROR "lessons/${folder}: a lesson's folder is named <NN>-<slug>")
  endif()
  set(number ${CMAKE_MATCH_1})
  set(slug ${CMAKE_MATCH_2})
  string(REGEX REPLACE "^0([0-9])" "\\1" number ${number})
  string(REPLACE "-" "_" function lesson_${folder})

  file(GLOB kernel ${LESSONS}/${folder}/kernel.*)
  list(LENGTH kernel count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "lessons/${folder}: one kernel.cu (or kernel.cpp for the CPU), found ${count}")
  endif()
  get_filename_component(kernel_name ${kernel} NAME)
  file(READ ${kernel} source)
  file(READ ${LESSONS}/${folder}/lesson.md text)

  set(exercise "")
  set(terms "")
  if(EXISTS ${LESSONS}/${folder}/exercise.cu)
    file(READ ${LESSONS}/${folder}/exercise.cu exercise)
    file(READ ${LESSONS}/${folder}/exercise.toml terms)
  endif()

  string(APPEND declarations "Lesson ${function}();\n")
  string(APPEND rows "    {${number}, \"${slug}\", \"lessons/${folder}/${kernel_name}\", "
    "${function},\n     R\"_lesson_(${source})_lesson_\",\n     R\"_lesson_(${text})_lesson_\","
    "\n     R\"_lesson_(${exercise})_lesson_\",\n     R\"_lesson_(${terms})_lesson_\"},\n")
endforeach()

file(GLOB folders RELATIVE ${EXERCISES} ${EXERCISES}/*/exercise.toml)
list(SORT folders)
set(exercise_rows "")
foreach(terms_file IN LISTS folders)
  get_filename_component(folder ${terms_file} DIRECTORY)
  file(READ ${EXERCISES}/${folder}/exercise.cu exercise)
  file(READ ${EXERCISES}/${folder}/solution.cu solution)
  file(READ ${EXERCISES}/${terms_file} terms)
  string(APPEND exercise_rows "    {\"${folder}\", \"exercises/${terms_file}\",\n"
    "     R\"_lesson_(${exercise})_lesson_\",\n     R\"_lesson_(${solution})_lesson_\","
    "\n     R\"_lesson_(${terms})_lesson_\"},\n")
endforeach()

file(READ ${LESSONS}/glossary.md glossary)
string(LENGTH "${glossary}" length)
if(length GREATER 65000)
  message(FATAL_ERROR "lessons/glossary.md: ${length} bytes are too many for one string literal, "
    "of which a compiler must take 65,536")
endif()

file(GLOB results ${RESULTS}/*.json)
list(SORT results)
set(texts "")
foreach(result IN LISTS results)
  file(READ ${result} text)
  string(APPEND texts "    R\"_result_(${text})_result_\",\n")
endforeach()

file(WRITE ${OUTPUT}.new
"// Written by cmake/GenerateLessons.cmake.
#include \"course/embedded_lessons.hpp\"
#include \"course/recorded.hpp\"

namespace gemm_tutor {
${declarations}
const std::vector<EmbeddedLesson>& embedded_lessons() {
  static const std::vector<EmbeddedLesson> all = {
${rows}  };
  return all;
}

const std::vector<EmbeddedExercise>& embedded_exercises() {
  static const std::vector<EmbeddedExercise> all = {
${exercise_rows}  };
  return all;
}

const char* embedded_glossary() { return R\"_glossary_(${glossary})_glossary_\"; }

const std::vector<const char*>& embedded_results() {
  static const std::vector<const char*> all = {
${texts}  };
  return all;
}
}  // namespace gemm_tutor
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
