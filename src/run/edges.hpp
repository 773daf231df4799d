// Finds out whether findings come from an edge that is not guarded: from a size that is not a whole
// number of tiles.
#pragma once

#include <vector>

#include "run/prepared_kernel.hpp"
#include "simt/finding.hpp"

namespace gemm_tutor {

struct RunOptions;

// Sets Finding::edge of accesses out of the matrices, and of races in C, that small problems of
// whole tiles do not have and that one with such an edge has. Emulates a few problems of at most
// two tiles in each direction, if there are accesses out of a matrix.
void find_edges(std::vector<emulator::Finding>& findings, const PreparedKernel& kernel,
                const RunOptions& options);

}  // namespace gemm_tutor
