#include "emulator/machine.hpp"

namespace gemm_tutor::emulator {

extern const InstructionSet baseline_instruction_set;
#ifdef GEMM_TUTOR_X86_64
extern const InstructionSet avx2_instruction_set;
extern const InstructionSet avx512_instruction_set;
#endif

const InstructionSet& instruction_set() {
#ifdef GEMM_TUTOR_X86_64
  static const InstructionSet& best = [&]() -> const InstructionSet& {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
      return avx512_instruction_set;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      return avx2_instruction_set;
    return baseline_instruction_set;
  }();
  return best;
#else
  return baseline_instruction_set;
#endif
}

}  // namespace gemm_tutor::emulator
