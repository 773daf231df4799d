// Keeps what the warps of a traced block do to memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/program.hpp"

namespace gemm_tutor::emulator {

// What a Recorder does not record of the program's lines.
std::vector<Unrecorded> unrecorded(const DecodedProgram& program);

class Recorder {
 public:
  // Of a block of `warps` warps. Each of them may have as many accesses of each instruction as
  // leave all within `most`, so that none is missing because another runs often. Or of the warp
  // `only` alone, which may have all.
  Recorder(const DecodedProgram& program, std::uint32_t warps, std::size_t most,
           std::optional<int> only = std::nullopt);

  // Of requests to global memory alone, and no more than `steps` of each instruction of a warp: it
  // ends where it would make more.
  static Recorder of_first_global_requests(const DecodedProgram& program, std::uint32_t warps,
                                           std::uint64_t steps);

  // A new access of the warp, which the caller fills in; null where there are enough, or where it
  // is not recorded. `instruction` is of the program's accesses. Both halves of a cp.async are
  // begun at once.
  Access* begin(std::uint32_t warp, std::uint32_t instruction);
  Access* second_half();  // of the access begun last
  bool has_shared() const { return !ends_warps_; }
  bool ends_warps() const { return ends_warps_; }

  // The block starts to run; a finding stops it.
  void start() { started_ = true; }
  void stop() { recording_.stopped = true; }
  bool started() const { return started_; }

  // What there is of accesses.
  Recording take() { return std::move(recording_); }

 private:
  const DecodedProgram& program_;
  std::optional<int> only_;
  std::uint64_t most_steps_;
  std::vector<std::uint64_t> steps_;  // of each access of each warp
  Recording recording_;
  bool started_ = false;
  bool ends_warps_ = false;
};

}  // namespace gemm_tutor::emulator
