// The scripts by which shells complete a command line, which the build compiles into the program
// (cmake/EmbedTexts.cmake).
#pragma once

namespace gemm_tutor {

const char* completion_bash();
const char* completion_fish();
const char* completion_zsh();

}  // namespace gemm_tutor
