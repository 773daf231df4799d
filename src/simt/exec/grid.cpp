#include "simt/exec/grid.hpp"

namespace gemm_tutor::simt {

std::vector<Dim3> BlockClass::spread(std::uint64_t wanted) const {
  std::vector<Dim3> result;
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const double middle = (static_cast<double>(i) + 0.5) / static_cast<double>(wanted);
    result.push_back(block(static_cast<std::uint64_t>(middle * static_cast<double>(count()))));
  }
  return result;
}

std::vector<BlockClass> block_classes(const Dim3& grid) {
  std::vector<BlockClass> result;
  for (const bool bottom : {false, true}) {
    for (const bool right : {false, true}) {
      const BlockClass candidate(right ? grid.x - 1 : 0, right ? grid.x : grid.x - 1,
                                 bottom ? grid.y - 1 : 0, bottom ? grid.y : grid.y - 1, grid.z);
      if (candidate.count() > 0) result.push_back(candidate);
    }
  }
  return result;
}

}  // namespace gemm_tutor::simt
