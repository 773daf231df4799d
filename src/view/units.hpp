// Texts of quantities with unbreakable spaces before their units.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gemm_tutor {

std::string duration_text(double milliseconds);       // "1.84 ms", "2.31 s", "740 ns"
std::string flop_rate_text(double flops_per_second);  // "9.3 TFLOP/s"
std::string bandwidth_text(double bytes_per_second);  // "4.8 TB/s"
std::string percent_text(double percent);             // "18 %", "0.4 %", "< 0.1 %"
std::string short_count(double count);                // "537 M", "1.2 k"
std::string factor_text(double factor);               // "32.0×"
std::string intensity_text(double flops_a_byte);      // "8.0 FLOP per byte", "0.25 FLOP per byte"

// "4 rows × 2 columns", "one element": the size of a cell of a map.
std::string cell_text(int rows, int columns);

}  // namespace gemm_tutor
