// Keeps what the warps of a traced block do to memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/program.hpp"
#include "emulator/trace.hpp"

namespace gemm_tutor::emulator {

class Recorder {
 public:
  // Of a block of `warps` warps; each may have an equal part of `most` accesses, so that no warp's
  // are missing because another's were too many. Or of the warp `only` alone, which may have all.
  Recorder(const DecodedProgram& program, std::uint32_t warps, std::size_t most,
           std::optional<int> only = std::nullopt)
      : program_(program),
        only_(only),
        most_of_warp_(only ? most : most / warps),
        recorded_(warps),
        steps_(program.accesses.size() * warps) {}

  // A new access of the warp, which the caller fills in; null where it has had its part, or has
  // none. `instruction` is of the program's accesses. Both halves of a cp.async are begun at once.
  Access* begin(std::uint32_t warp, std::uint32_t instruction);
  Access* second_half();  // of the access begun last

  bool all() const { return all_; }
  std::vector<Access> take() { return std::move(accesses_); }

 private:
  const DecodedProgram& program_;
  std::optional<int> only_;
  std::size_t most_of_warp_;
  std::vector<std::size_t> recorded_;  // of each warp
  std::vector<std::uint64_t> steps_;   // of each access of each warp
  std::vector<Access> accesses_;
  bool all_ = true;
};

}  // namespace gemm_tutor::emulator
