// References to recorded numbers in the lessons' texts, so that text and data cannot differ.
#pragma once

#include <string>
#include <string_view>

namespace gemm_tutor {

// Replaces references in `text` by numbers recorded on the NVIDIA H200, or on the NVIDIA H100 if
// SIZE is followed by "h100":
//   {percent KERNEL SIZE}  percentage of cuBLAS's speed at SIZE, "4096" or "2048x2048x2047": "98 %"
//   {peak KERNEL SIZE}     percentage of the GPU's FP32 peak: "74 %"; KERNEL may be cublas
//   {room KERNEL SIZE}     how many times as fast the peak is: "1.31"; KERNEL may be cublas
//   {ms KERNEL SIZE}       "2.75 ms"; KERNEL may be cublas
//   {tflops KERNEL SIZE}   "50.0 TFLOP/s"; KERNEL may be cublas
//   {gain KERNEL OTHER SIZE}  points of cuBLAS's speed that KERNEL gains: "0.9 ± 0.2 points"
//   {ncu KERNEL FORMULA}   a formula over the profiler's metrics (metrics.csv): "0.37"
// Other braces stay. Throws Error (usage) with `path` if a number was not recorded.
std::string with_recorded_numbers(std::string_view text, std::string_view path);

}  // namespace gemm_tutor
