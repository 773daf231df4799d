// What the rest of simt asks of a program beside its run.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "simt/emulator.hpp"
#include "simt/exec/program.hpp"

namespace gemm_tutor::simt {

struct Program::Impl {
  DecodedProgram program;
};

// Runs each of the blocks until its warps have made `steps` requests to global memory with one
// instruction, and passes the requests to `take`, from several threads at a time. The blocks'
// stores change the buffers. There are no checks.
using TakeRequests = std::function<void(std::size_t block, std::vector<Access> requests)>;
void observe(const DecodedProgram& program, const Launch& launch,
             const std::vector<Buffer>& buffers, const std::vector<Argument>& arguments,
             const std::vector<Dim3>& blocks, std::uint64_t steps, const TakeRequests& take);

}  // namespace gemm_tutor::simt
