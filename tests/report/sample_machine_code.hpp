// The machine code of a run that is filled in by hand: lesson 3's, of 2×2 elements per thread.
#pragma once

#include "report/lesson_document.hpp"
#include "sample_run.hpp"
#include "simt/count/counting.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor {

inline constexpr int outer_loop = 1, inner_loop = 0, no_loop = -1;
inline constexpr int copies_line = 6, sum_line = 11, no_line = 0, hidden_line = 2;

struct CodeSample {
  Sample sample = emulated_sample();

  CodeSample() { sample.run.emulation->machine.clear(); }

  CodeSample& add(int copies, const char* name, simt::InstructionKind kind, int line, int loop,
                  std::uint64_t executions, int bits = 0) {
    for (int i = 0; i < copies; ++i) {
      simt::machine::Instruction instruction{.name = name, .kind = kind, .bits = bits};
      instruction.predicate = i % 8;  // which tells no two apart
      auto& made = sample.run.emulation->machine.emplace_back(simt::described(instruction));
      made.line = line, made.loop = loop, made.executions = executions;
    }
    return *this;
  }

  LessonRun& run() { return sample.run; }

  std::string report(MachineDetail detail = MachineDetail::hot_loop, int width = 160) const {
    const LessonReport report{.run = sample.run, .machine = detail};
    return terminal_text(lesson_document(report), {false, true, width});
  }
};

// An inner loop of 8 steps along K for each of 4 elements, and what surrounds it.
inline CodeSample tile_code() {
  CodeSample code;
  code.add(2, "S2R", simt::InstructionKind::move, hidden_line, no_loop, 10)
      .add(1, "LDG", simt::InstructionKind::global_load, copies_line, outer_loop, 100)
      .add(2, "STS", simt::InstructionKind::shared_store, copies_line, outer_loop, 100)
      .add(1, "LDS", simt::InstructionKind::shared_load, sum_line, inner_loop, 1000, 128)
      .add(16, "FFMA", simt::InstructionKind::ffma, sum_line, inner_loop, 1000)
      .add(1, "LDS", simt::InstructionKind::shared_load, sum_line, inner_loop, 1000, 128)
      .add(4, "LDS", simt::InstructionKind::shared_load, sum_line, inner_loop, 1000, 32)
      .add(16, "FFMA", simt::InstructionKind::ffma, sum_line, inner_loop, 1000)
      .add(3, "IMAD", simt::InstructionKind::integer, sum_line, outer_loop, 100)
      .add(1, "BRA", simt::InstructionKind::control, no_line, outer_loop, 100);
  LaunchShape& shape = code.run().source.shape;
  shape.block = {32, 32, 1};
  shape.tile_rows = shape.tile_columns = 64;
  return code;
}

}  // namespace gemm_tutor
