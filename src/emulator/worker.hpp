// One CPU thread's machine: memory for the warps of one block at a time, and its counters.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/findings.hpp"
#include "emulator/machine.hpp"
#include "emulator/program.hpp"

namespace gemm_tutor::emulator {

// What all workers of a run share; nothing of it changes while they run.
struct RunContext {
  const DecodedProgram* program = nullptr;
  Launch launch;
  const std::vector<Buffer>* buffers = nullptr;
  std::vector<GlobalBuffer> global;
  std::vector<WindowVariable> shared, local;
  std::uint32_t shared_bytes = 0;
  std::vector<std::uint32_t> constants;
  Findings* findings = nullptr;
};

// How often each block of the program was run and what each counted access met.
struct Tally {
  std::vector<BlockCounter> blocks;
  std::vector<AccessCounter> accesses;

  explicit Tally(const DecodedProgram& program)
      : blocks(program.blocks.size()), accesses(program.accesses.size()) {}
  Tally& operator+=(const Tally& other);
};

class BlockMachine {
 public:
  explicit BlockMachine(const RunContext& context);

  // Runs one block of the grid to its end.
  void run(const Dim3& block);

  const Tally& tally() const { return tally_; }

  // For report_fault, which is told where it stands.
  const RunContext& context() const { return context_; }
  const Dim3& block() const { return block_; }

 private:
  struct FreeAligned {
    void operator()(std::uint32_t* memory) const;
  };

  void start_warps();
  void fill_special_registers(std::uint32_t* registers, std::uint32_t warp) const;
  bool run_to_barrier();

  const RunContext& context_;
  Dim3 block_;
  std::uint32_t threads_ = 0;
  std::unique_ptr<std::uint32_t[], FreeAligned> registers_;
  std::vector<std::byte> shared_, local_;
  std::vector<Pattern<std::uint64_t>> global_patterns_;
  std::vector<Pattern<std::uint32_t>> shared_patterns_;
  std::vector<Warp> warps_;
  Worker worker_;
  Tally tally_;
};

}  // namespace gemm_tutor::emulator
