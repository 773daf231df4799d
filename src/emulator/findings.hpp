// What the emulator found wrong, gathered from all workers: the first of each kind at each line, in
// the order of the blocks, so that a report does not depend on which worker was faster.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "emulator/finding.hpp"

namespace gemm_tutor::emulator {

class Findings {
 public:
  // `block` is the block's place in the grid, counted along x first. `describe` is called only
  // when this is the first block that this is found in.
  void add(Fault fault, int line, std::uint64_t block, const std::function<Finding()>& describe);

  // That many more of a kind at a line where there is a finding already.
  void add_more(FindingKind kind, int line, std::uint64_t count);

  // Those of blocks up to `last`, by line, then kind; notes among them.
  std::vector<Finding> take(std::uint64_t last);

 private:
  struct First {
    std::uint64_t block = 0;
    std::uint64_t count = 0;
    Finding finding;
  };
  void settle_reads_of_nothing();

  std::mutex mutex_;
  std::map<std::pair<int, FindingKind>, First> found_;
};

}  // namespace gemm_tutor::emulator
