// Recorded times in the texts of lessons, by reference, so that text and data cannot differ.
#pragma once

#include <string>
#include <string_view>

namespace gemm_tutor {

// `text` with each {percent KERNEL SIZE}, {ms KERNEL SIZE} and {tflops KERNEL SIZE} replaced by
// what was recorded on the NVIDIA H200 at M = N = K = SIZE, as in "98 %" of cuBLAS, "2.75 ms" and
// "50.0 TFLOP/s". KERNEL may be cublas, but for the percentage. Other braces stay as they are.
// Throws Error (usage) that names `path` where a number was not recorded.
std::string with_recorded_numbers(std::string_view text, std::string_view path);

}  // namespace gemm_tutor
