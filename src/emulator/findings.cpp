#include "emulator/findings.hpp"

namespace gemm_tutor::emulator {

void Findings::add(Fault fault, int line, std::uint64_t block,
                   const std::function<Finding()>& describe) {
  const std::lock_guard lock(mutex_);
  First& first = found_[{line, kind_of(fault)}];
  if (first.count++ == 0 || block < first.block) {
    first.block = block;
    first.finding = describe();
  }
}

std::vector<Finding> Findings::take(std::uint64_t last) {
  const std::lock_guard lock(mutex_);
  std::vector<Finding> result;
  for (auto& [place, first] : found_) {
    if (first.block > last) continue;
    first.finding.count = first.count;
    result.push_back(std::move(first.finding));
  }
  found_.clear();
  return result;
}

}  // namespace gemm_tutor::emulator
