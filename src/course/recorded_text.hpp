// Recorded numbers in the texts of lessons, by reference, so that text and data cannot differ.
#pragma once

#include <string>
#include <string_view>

namespace gemm_tutor {

// `text` with references replaced by what was recorded on the NVIDIA H200:
//   {percent KERNEL SIZE}  of cuBLAS's speed at M = N = K = SIZE: "98 %"
//   {ms KERNEL SIZE}       "2.75 ms"; KERNEL may be cublas
//   {tflops KERNEL SIZE}   "50.0 TFLOP/s"; KERNEL may be cublas
//   {ncu KERNEL FORMULA}   of the profiler's metrics, by their names in metrics.csv: "0.37"
// Other braces stay as they are.
// Throws Error (usage) that names `path` where a number was not recorded.
std::string with_recorded_numbers(std::string_view text, std::string_view path);

}  // namespace gemm_tutor
