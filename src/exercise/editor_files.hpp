// What an editor with clangd needs to read a learner's .cu file where there is no CUDA Toolkit.
#pragma once

#include <filesystem>
#include <string>

namespace gemm_tutor {

// Writes .clangd and compile_flags.txt to the learner's folder, and the headers that they name to
// the program's data directory. A file of the learner's own is left as it is. Returns what the
// learner should know of that; empty for nothing.
std::string write_editor_files(const std::filesystem::path& folder);

}  // namespace gemm_tutor
