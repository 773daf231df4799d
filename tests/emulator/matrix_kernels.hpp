// Kernels that execute one product of matrices per warp, for the emulator and for a GPU, with
// operands of many kinds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gemm_tutor::simt {

struct MatrixInstruction {
  std::string opcode;
  std::string element, sum;  // of A and B, and of C and D: "bf16", "f32"
  int a = 0, b = 0, c = 0;   // a lane's registers: of 32 bits, or of 64 for FP64
  int least_capability = 80;

  bool has_doubles() const { return element == "f64"; }
  int words() const { return has_doubles() ? 2 : 1; }  // of a register
  // 32-bit words of a warp: the registers of A, B and C, each with those of all lanes.
  std::size_t words_in() const { return static_cast<std::size_t>(32 * words() * (a + b + c)); }
  std::size_t words_out() const { return static_cast<std::size_t>(32 * words() * c); }
};

const std::vector<MatrixInstruction>& matrix_instructions();

// A module with the entry "multiply" of one warp per block. Its parameters are A, with words_in()
// of each warp; B, which it does not use; C, where it stores words_out(); and three integers.
std::string matrix_module(const MatrixInstruction& instruction, int capability);

// Operands for so many warps: numbers between -1 and 1, any bits, many binades, small ones, and
// infinities, NaN, zeros and the ends of the format. The same in every run.
std::vector<std::uint32_t> matrix_operands(const MatrixInstruction& instruction, int warps);

}  // namespace gemm_tutor::simt
