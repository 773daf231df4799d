// What is asked of an exercise, as [exercise] declares it.
#pragma once

#include "course/exercise_terms.hpp"
#include "course/lesson.hpp"
#include "support/toml_table.hpp"

namespace gemm_tutor {

// M, N and K, each 1 at least. Throws Error (usage) for another text.
Problem size_of(const std::string& text, const FilePlace& place);

// Of an exercise on `kernel`. Throws Error (usage), with the file and line, for each thing wrong.
ExerciseTerms read_exercise(TomlTable table, Kernel kernel);

}  // namespace gemm_tutor
