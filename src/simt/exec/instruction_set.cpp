#include <atomic>

#include "simt/exec/machine.hpp"

namespace gemm_tutor::simt {

extern const InstructionSet baseline_instruction_set;
#ifdef SIMT_X86_64
extern const InstructionSet avx2_instruction_set;
extern const InstructionSet avx512_instruction_set;
#endif

namespace {

std::atomic<const InstructionSet*>& chosen() {
  static std::atomic<const InstructionSet*> set = instruction_sets().back();
  return set;
}

}  // namespace

std::vector<const InstructionSet*> instruction_sets() {
  std::vector<const InstructionSet*> sets = {&baseline_instruction_set};
#ifdef SIMT_X86_64
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    sets.push_back(&avx2_instruction_set);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    sets.push_back(&avx512_instruction_set);
#endif
  return sets;
}

const InstructionSet& instruction_set() { return *chosen().load(std::memory_order_relaxed); }

void choose_instruction_set(const InstructionSet& set) { chosen() = &set; }

}  // namespace gemm_tutor::simt
