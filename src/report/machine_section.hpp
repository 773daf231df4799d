// Shows a kernel's machine code, below the source lines and as a summary.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "course/lesson_run.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Equal instructions of one line in one loop, for example the copies made by unrolling.
struct FoldedInstructions {
  std::string text;              // "LDS.128", without the predicate
  std::string_view meaning;      // of its name, in words; may be empty
  int loop = -1;                 // the innermost loop: simt::MachineInstruction::loop
  int copies = 0;                // number in the code
  std::uint64_t executions = 0;  // by warps, sum of all copies
  int with_conflict = 0;         // copies with a register bank conflict
};

// By source line, in the order of the code; line 0 for instructions without a line.
using MachineLines = std::map<int, std::vector<FoldedInstructions>>;

struct MachineCode {
  MachineLines lines;
  // The loop with the most executed instructions, without those of inner loops; -1 if there is
  // none.
  int hot_loop = -1;
  std::vector<int> loops;  // in the order of the code
};

// Throws Error (unavailable) if the run has no machine code, for example with clang.
MachineCode machine_code(const KernelRun& run);

// Throws Error (usage) for a kernel that is not CUDA C++, because it has no machine code.
void check_has_machine_code(const Lesson& lesson, const Kernel& kernel);

// Returns the run's excerpt, and other functions of the file with instructions in the hot loop.
std::vector<SourceLine> excerpt_with_hot_loop(const AnyRun auto& run, const MachineCode& code);

enum class MachineDetail { hot_loop, all };

// Returns the instructions of a source line, "LDS.128 ×2  FFMA ×64, 8 with a bank conflict", with
// executions. Instructions outside of the hot loop are only counted; with MachineDetail::all, all
// loops are shown. Empty if the line has no instructions.
Facts machine_facts(const MachineCode& code, int line, MachineDetail detail);

// The hot loop, the effects of unrolling and joining, spills, and the meaning of mnemonics.
Section machine_section(const AnyRun auto& run, const MachineCode& code, MachineDetail detail);

}  // namespace gemm_tutor
