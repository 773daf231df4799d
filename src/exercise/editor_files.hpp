// The files that an editor with clangd needs for a learner's .cu file without a CUDA Toolkit.
#pragma once

#include <filesystem>
#include <string>

namespace gemm_tutor {

// Writes .clangd and compile_flags.txt to the learner's folder, and the headers to the program's
// data directory. Does not change files of the learner. Returns a message for the learner; may be
// empty.
std::string write_editor_files(const std::filesystem::path& folder);

}  // namespace gemm_tutor
