// Reads the table [exercise].
#pragma once

#include "course/exercise_terms.hpp"
#include "course/lesson.hpp"
#include "support/toml_table.hpp"

namespace gemm_tutor {

// Parses M, N and K, each at least 1. Throws Error (usage) for other texts.
Problem size_of(const std::string& text, const FilePlace& place);

// Reads an exercise on `kernel`. Throws Error (usage) with the file and line for a mistake.
ExerciseTerms read_exercise(TomlTable table, Kernel kernel);

}  // namespace gemm_tutor
