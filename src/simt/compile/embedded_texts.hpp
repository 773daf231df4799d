// The text files of this folder, which the build embeds in the program (cmake/EmbedTexts.cmake).
#pragma once

namespace gemm_tutor::simt {

const char* cuda_for_clang_cuh();
const char* cuda_arithmetic_for_clang_cuh();
const char* cuda_barrier_for_clang_cuh();
const char* cuda_mathematics_for_clang_cuh();
const char* cuda_narrow_float_for_clang_cuh();
const char* cuda_pipeline_for_clang_cuh();

}  // namespace gemm_tutor::simt
