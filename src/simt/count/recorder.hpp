// Records the memory accesses of a traced block's warps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "simt/emulator.hpp"
#include "simt/exec/program.hpp"

namespace gemm_tutor::simt {

// Returns the program's lines with instructions that a Recorder does not record.
std::multimap<int, std::string> unrecorded(const DecodedProgram& program);

class Recorder {
 public:
  // Records a block of `warps` warps, at most `most` accesses. Every warp may record the same
  // number of accesses per instruction, so that frequent instructions do not displace others. With
  // `only`, it records only that warp.
  Recorder(const DecodedProgram& program, std::uint32_t warps, std::size_t most,
           std::optional<int> only = std::nullopt);

  // Records only requests to global memory, and at most `steps` per warp and instruction. A warp
  // ends before it would make more.
  static Recorder of_first_global_requests(const DecodedProgram& program, std::uint32_t warps,
                                           std::uint64_t steps);

  // Returns a new access of the warp, which the caller fills in. Null if there are enough accesses,
  // or if this one is not recorded. `instruction` is an index into the program's accesses. For an
  // asynchronous copy it makes both halves, the load and the store.
  Access* begin(std::uint32_t warp, std::uint32_t instruction);
  Access* second_half();  // of the access that begin() returned last
  bool has_shared() const { return !ends_warps_; }
  std::uint32_t first_shared() const { return program_.first_shared; }
  bool ends_warps() const { return ends_warps_; }

  // Called when the block starts, and when a finding stops it.
  void start() { started_ = true; }
  void stop() { recording_.stopped = true; }
  bool started() const { return started_; }

  // Returns the recorded accesses.
  Recording take() { return std::move(recording_); }

 private:
  const DecodedProgram& program_;
  std::optional<int> only_;
  std::uint64_t most_steps_;
  std::vector<std::uint64_t> steps_;  // per access and warp
  Recording recording_;
  bool started_ = false;
  bool ends_warps_ = false;
};

}  // namespace gemm_tutor::simt
