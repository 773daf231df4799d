// The machine code that the assembler made of a kernel: below the lines of its source, and in all.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "course/kernel_run.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Equal instructions of one line in one loop: the copies that unrolling made are folded.
struct FoldedInstructions {
  std::string text;              // "LDS.128", whatever its predicate
  int loop = -1;                 // the innermost, as in emulator::MachineInstruction
  int copies = 0;                // in the code
  std::uint64_t executions = 0;  // of all copies, by warps
  int with_conflict = 0;         // copies with a bank conflict of registers
};

// By line of the source, each in the order of the code; 0 for what comes from no line.
using MachineLines = std::map<int, std::vector<FoldedInstructions>>;

struct MachineCode {
  MachineLines lines;
  // The loop in which most instructions are executed, without those of loops within it; -1 where
  // there is no loop.
  int hot_loop = -1;
  std::vector<int> loops;  // in the order of the code
};

// Throws Error (unavailable) where the run has no machine code, as with clang as compiler.
MachineCode machine_code(const KernelRun& run);

// Throws Error (usage) for a kernel that is not CUDA C++, which has none to show.
void check_has_machine_code(const Lesson& lesson, const Kernel& kernel);

// The run's excerpt, and the other functions of the file that the hot loop has instructions of.
std::vector<SourceLine> excerpt_with_hot_loop(const KernelRun& run, const MachineCode& code);

enum class MachineDetail { hot_loop, all };

// Below a line of the source: what it became, "LDS.128 ×2  FFMA ×64, 8 with a bank conflict", and
// how often that was executed. Of what is outside of the hot loop the number alone, but with
// MachineDetail::all each loop. Without lines where the line became nothing.
Facts machine_facts(const MachineCode& code, int line, MachineDetail detail);

// The hot loop, what unrolling and joining made of it, spills, and what the mnemonics mean.
Section machine_section(const KernelRun& run, const MachineCode& code, MachineDetail detail);

}  // namespace gemm_tutor
