// What the machine code of the kernels says.
#pragma once

#include "simt/machine/code.hpp"

namespace gemm_tutor::calibration {

// Cycles that conflicts of register banks add to an FFMA of a kernel's loops, on average.
inline double conflicts_per_ffma(const simt::machine::Code& code) {
  const std::vector<simt::machine::BankReads> reads = simt::machine::bank_reads(code);
  double conflicts = 0, ffmas = 0;
  for (const simt::machine::Block& block : code.blocks) {
    if (block.loop < 0) continue;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      if (code.instructions[i].kind != simt::machine::Kind::ffma) continue;
      conflicts += reads[i].conflicts();
      ++ffmas;
    }
  }
  return conflicts / ffmas;
}

}  // namespace gemm_tutor::calibration
