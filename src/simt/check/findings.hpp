// Collects the findings of all workers. It keeps the first finding of each kind per line, in the
// order of the blocks, so that the report does not depend on the workers' speed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "simt/check/fault.hpp"
#include "simt/exec/program.hpp"

namespace gemm_tutor::simt {

class Findings {
 public:
  // `block` is the block's number in the grid; x varies fastest. `describe` is called only if no
  // earlier block has such a finding.
  void add(Fault fault, int line, std::uint64_t block, const std::function<FoundFault()>& describe);

  // Adds to the count of a kind at a line that has a finding.
  void add_more(FindingKind kind, int line, std::uint64_t count);

  // Asks for what the block does not write of the array, if the finding at the line is this
  // block's.
  void add_gap(int line, std::uint64_t block,
               const std::function<std::optional<Gap>(const Element& array)>& gap);

  // Returns the findings and notes of the blocks up to `last`, sorted by line, then by kind.
  std::vector<Finding> take(std::uint64_t last);

 private:
  struct First {
    std::uint64_t block = 0;
    std::uint64_t count = 0;
    FoundFault finding;
  };
  void settle_reads_of_nothing();

  std::mutex mutex_;
  std::map<std::pair<int, FindingKind>, First> found_;
};

// Returns where a barrier is missing between two instructions of different threads: between them,
// or at the end of the loop that has both. Returns nothing if the control flow does not tell, for
// example if every path between them has a barrier, or if some threads may not reach the place. For
// threads of one warp, __syncwarp() counts as a barrier. `stores` are the instructions that store
// to the array. If some of them come before the loop, it is filled for a later iteration: then the
// fault may as well be an index or a buffer, and nothing is returned.
std::optional<Separation> separation(const DecodedProgram& program, std::uint32_t first,
                                     std::uint32_t second, bool same_warp,
                                     const std::vector<std::uint32_t>& stores = {});

}  // namespace gemm_tutor::simt
