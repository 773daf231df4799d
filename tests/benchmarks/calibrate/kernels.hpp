// The kernels of kernels.cu, and what the loop that is timed has for each iteration.
#pragma once

namespace gemm_tutor::calibration {

struct TimedLoop {
  const char* kernel;
  const char* instruction;  // as machine::text_of() writes it
  int count;                // of them in an iteration
  int capability = 75;      // from which on it has them
  bool is_fp8 = false;      // which only some multiply without a conversion

  bool is_for(int of_gpu) const {
    return of_gpu >= capability && (!is_fp8 || of_gpu == 89 || of_gpu >= 120);
  }
};

inline constexpr TimedLoop timed_loops[] = {
    {"chase_shared", "LDS", 16},
    {"chase_l1", "LDG.64", 16},
    {"chase_l2", "LDG.64", 16},
    {"shared_loads_32", "LDS", 16},
    {"shared_loads_64", "LDS.64", 16},
    {"shared_loads_128", "LDS.128", 16},
    {"l1_loads_32", "LDG", 8},
    {"l1_loads_64", "LDG.64", 8},
    {"l1_loads_128", "LDG.128", 8},
    {"read_l2", "LDG.128", 8},
    {"ffma_4x4", "FFMA", 64},
    {"ffma_2x8", "FFMA", 64},
    {"ffma_1x16", "FFMA", 64},
    {"ffma_4x8", "FFMA", 64},
    {"ffma_8x8", "FFMA", 64},
    {"ffma_separate", "FFMA", 64},
    {"int32", "LOP3", 32},
    {"int32_and_ffma", "LOP3", 32},
    {"int32_and_ffma", "FFMA", 32},
    {"special", "MUFU", 32},
    {"mma_fp16", "HMMA", 16},
    {"mma_fp16_fp32", "HMMA", 16},
    {"shallow_mma", "HMMA", 16},
    {"chained_mma", "HMMA", 16},
    {"mma_tf32", "HMMA", 16, 80},
    {"mma_int8", "IMMA", 16},
    {"mma_fp8", "QMMA", 16, 89, true},
    {"mma_fp8_fp32", "QMMA", 16, 89, true},
    {"mma_fp64", "DMMA", 16, 80},
    {"barriers", "BAR", 16},
    {"full_load", "FFMA", 64},
    {"tensor_load", "HMMA", 16},
    {"code_16", "FFMA", 1024},
    {"code_32", "FFMA", 2048},
    {"code_40", "FFMA", 2560},
    {"code_48", "FFMA", 3072},
    {"code_64", "FFMA", 4096},
    {"code_96", "FFMA", 6144},
    {"code_128", "FFMA", 8192},
};

// KiB of machine code of the loops in code_16 and so on.
inline constexpr int code_lengths[] = {16, 32, 40, 48, 64, 96, 128};

inline constexpr int bulk_copies_of_a_round = 16;  // of the kernel bulk_copies

// Loops of FFMAs alone, which differ in how often two operands are in one register bank.
inline constexpr const char* ffma_kernels[] = {"ffma_1x16", "ffma_2x8", "ffma_4x4",
                                               "ffma_4x8",  "ffma_8x8", "ffma_separate"};

// Loops of independent products of matrices: the key of their rate, and the FMAs of each. Turing
// has other shapes.
struct ProductLoop {
  const char *kernel, *key;
  int fmas, turing_fmas = 0;
};

inline constexpr ProductLoop product_loops[] = {
    {"mma_fp16", "tensor_fp16_fmas", 16 * 8 * 16, 16 * 8 * 8},
    {"mma_fp16_fp32", "tensor_fp16_fp32_fmas", 16 * 8 * 16, 16 * 8 * 8},
    {"mma_tf32", "tensor_tf32_fmas", 16 * 8 * 8},
    {"mma_int8", "tensor_int8_fmas", 16 * 8 * 32, 8 * 8 * 16},
    {"mma_fp8", "tensor_fp8_fmas", 16 * 8 * 32},
    {"mma_fp8_fp32", "tensor_fp8_fp32_fmas", 16 * 8 * 32},
    {"mma_fp64", "tensor_fp64_fmas", 8 * 8 * 4},
};
inline constexpr ProductLoop shallow_product_loop = {"shallow_mma", "shallow_mma_share", 16 * 8 * 8,
                                                     16 * 8 * 8};

inline constexpr int queue_repeats = 8;  // of the kernel queue

}  // namespace gemm_tutor::calibration
