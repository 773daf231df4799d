// The instructions of a whole warp that multiply matrices on tensor cores, and those that bring
// matrices from shared memory to registers and back. Sources: "PTX ISA 9.0", "Warp-level matrix
// instructions"; how the products are added: MMA-Sim (arXiv 2511.10909), and measured on an
// NVIDIA H200 (docs/emulator.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gemm_tutor::simt {

// What a matrix has in its registers. A TF32 is an FP32 whose last 13 bits are ignored.
enum class MatrixElement { f16, bf16, tf32, e4m3, e5m2, s8, u8, s4, u4, f64, f32, s32 };

// Static, as all that interpreter.cpp calls.
static constexpr int bits_of(MatrixElement element) {
  constexpr int bits[] = {16, 16, 32, 8, 8, 8, 8, 4, 4, 64, 32, 32};
  return bits[static_cast<int>(element)];
}

// D = A·B + C by the 32 lanes of a warp. A has rows × depth elements, B depth × columns. wmma
// multiplies two parts of that shape, below or beside each other.
struct MatrixProduct {
  std::int32_t rows = 16, columns = 8, depth = 16;
  std::int32_t parts_down = 1, parts_across = 1;
  MatrixElement a = MatrixElement::f16, b = MatrixElement::f16;
  MatrixElement sum = MatrixElement::f32, addend = MatrixElement::f32;  // of D, of C
  bool saturates = false;                                               // integer sums
  // Of floating-point products: how many are added at once, with how many bits behind the binary
  // point of the largest. What is smaller is cut off.
  std::int32_t at_once = 16, fraction_bits = 25;
  // C is not among those, but added to their sum, rounded to the nearest.
  bool adds_c_last = false;

  bool is_transposed = false;  // the rows are B's columns
  // A lane's registers of a part: 32-bit ones, or 64-bit ones of FP64.
  std::int32_t registers_of_a = 0, registers_of_b = 0, registers_of_c = 0, registers_of_d = 0;
};

// Of the whole warp.
constexpr std::int32_t multiply_adds(const MatrixProduct& product) {
  return product.rows * product.columns * product.depth * product.parts_down * product.parts_across;
}

// Returns what `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32` or
// `wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32` does on a GPU of the compute capability (90 for
// 9.0); nothing for a shape, a type or a form that the emulator does not know.
std::optional<MatrixProduct> matrix_product(std::string_view opcode, int architecture);

// ldmatrix, stmatrix and movmatrix: `count` matrices of 8 × 8 elements of 16 bits.
struct MatrixMove {
  enum class Kind { load, store, transpose } kind = Kind::load;
  int count = 1;
  bool transposed = false;
};

// Returns what `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16` does, with its words in any order.
std::optional<MatrixMove> matrix_move(std::string_view opcode);

// wmma.load and wmma.store: a matrix whose rows or columns, the lines, are in memory one after the
// other.
struct MatrixAccess {
  bool is_store = false;
  MatrixElement element = MatrixElement::f16;
  // A place in registers: 8 lines, of which lane l has the one of number l / 4, and of this
  // `elements` from l % 4 times that on.
  struct Tile {
    int line = 0, along = 0;  // of the first element
    int reg = 0;              // the first register
  };
  std::vector<Tile> tiles;
  int elements = 2, registers = 1;  // of a tile in a lane
  int all_registers = 4;            // of the opcode's list: the first ones may be there twice
  bool along_memory = true;         // a line's elements are adjacent
  int stride = 16;                  // in elements, if the instruction gives none
};

// Returns what `wmma.load.a.sync.aligned.row.m16n16k16.shared.f16` does.
std::optional<MatrixAccess> matrix_access(std::string_view opcode);

}  // namespace gemm_tutor::simt
