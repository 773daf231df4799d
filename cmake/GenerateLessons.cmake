# Writes OUTPUT: the files of each lesson's folder in LESSONS, its glossary.md and its folders machine and profiler, the
# exercises of the folder EXERCISES, and the texts of the folder RESULTS, as C++. A folder 14-beyond-cublas with a
# lesson.cpp must define gemm_tutor::complete_lesson_14_beyond_cublas(Lesson&) in it.

# Sets `result` to a file's text as a C++ literal; empty if there is no such file.
function(literal_of file result)
  set(text "")
  if(EXISTS ${file})
    file(READ ${file} text)
  endif()
  set(${result} "R\"_lesson_(${text})_lesson_\"" PARENT_SCOPE)
endfunction()

file(GLOB lesson_files RELATIVE ${LESSONS} ${LESSONS}/*/lesson.toml)
list(SORT lesson_files)  # the chapters, which have no number, are last
set(declarations "")
set(rows "")
foreach(lesson_file IN LISTS lesson_files)
  get_filename_component(folder ${lesson_file} DIRECTORY)
  set(kernel_name kernel.cu)
  if(EXISTS ${LESSONS}/${folder}/kernel.cpp)
    set(kernel_name kernel.cpp)
  endif()
  set(files "")
  foreach(name IN ITEMS ${kernel_name} lesson.md lesson.toml exercise.cu exercise.toml solution.cu)
    literal_of(${LESSONS}/${folder}/${name} literal)
    string(APPEND files ",\n      ${literal}")
  endforeach()
  set(complete nullptr)
  if(EXISTS ${LESSONS}/${folder}/lesson.cpp)
    string(REPLACE "-" "_" complete complete_lesson_${folder})
    string(APPEND declarations "void ${complete}(Lesson&);\n")
  endif()
  string(APPEND rows "    {{\"lessons/${folder}\", \"${kernel_name}\"${files}, true},\n     ${complete}},\n")
endforeach()

file(GLOB folders RELATIVE ${EXERCISES} ${EXERCISES}/*/exercise.toml)
list(SORT folders)
set(exercise_rows "")
foreach(terms_file IN LISTS folders)
  get_filename_component(folder ${terms_file} DIRECTORY)
  set(files "")
  foreach(name IN ITEMS exercise.cu solution.cu exercise.toml)
    literal_of(${EXERCISES}/${folder}/${name} literal)
    string(APPEND files ",\n     ${literal}")
  endforeach()
  string(APPEND exercise_rows "    {\"${folder}\", \"exercises/${terms_file}\"${files}},\n")
endforeach()

literal_of(${LESSONS}/glossary.md glossary)
string(LENGTH "${glossary}" length)
if(length GREATER 65000)
  message(FATAL_ERROR "lessons/glossary.md: ${length} bytes are too many for one string literal, "
    "of which a compiler must take 65,536")
endif()

literal_of(${LESSONS}/machine/machine.md machine_text)
literal_of(${LESSONS}/machine/multiply.cu machine_program)
literal_of(${LESSONS}/profiler/profiler.md profiler_text)
literal_of(${LESSONS}/profiler/metrics.csv profiler_metrics)
literal_of(${RESULTS}/profile/nvidia-h200.json profile)

file(GLOB results ${RESULTS}/*.json)
list(SORT results)
set(texts "")
foreach(result IN LISTS results)
  literal_of(${result} literal)
  string(APPEND texts "    ${literal},\n")
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

const char* embedded_glossary() { return ${glossary}; }

const char* embedded_machine_text() { return ${machine_text}; }

const char* embedded_machine_program() { return ${machine_program}; }

const char* embedded_profiler_text() { return ${profiler_text}; }

const char* embedded_profiler_metrics() { return ${profiler_metrics}; }

const char* embedded_profile() { return ${profile}; }

const std::vector<const char*>& embedded_results() {
  static const std::vector<const char*> all = {
${texts}  };
  return all;
}
}  // namespace gemm_tutor
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
