// The shells' completion scripts, which the build embeds (cmake/EmbedTexts.cmake).
#pragma once

namespace gemm_tutor {

const char* completion_bash();
const char* completion_fish();
const char* completion_zsh();

}  // namespace gemm_tutor
