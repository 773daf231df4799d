// The kernels of kernels.cu, and what the loop that is timed has for each iteration.
#pragma once

namespace gemm_tutor::calibration {

struct TimedLoop {
  const char* kernel;
  const char* instruction;  // as machine::text_of() writes it
  int count;                // of them in an iteration
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
    {"barriers", "BAR", 16},
    {"full_load", "FFMA", 64},
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

inline constexpr int queue_repeats = 8;  // of the kernel queue

}  // namespace gemm_tutor::calibration
