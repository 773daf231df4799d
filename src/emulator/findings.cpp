#include "emulator/findings.hpp"

namespace gemm_tutor::emulator {

void Findings::add(const std::string& kind, int line, const std::vector<int>& calls,
                   std::uint64_t block, const std::function<std::string()>& message) {
  const std::lock_guard lock(mutex_);
  First& first = found_[{line, kind}];
  if (first.count++ == 0 || block < first.block) {
    first.block = block;
    first.calls = calls;
    first.message = message();
  }
}

std::vector<Finding> Findings::take(std::uint64_t last) {
  const std::lock_guard lock(mutex_);
  std::vector<Finding> result;
  for (auto& [place, first] : found_) {
    if (first.block > last) continue;
    result.push_back(
        {place.second, place.first, std::move(first.message), first.count, std::move(first.calls)});
  }
  found_.clear();
  return result;
}

}  // namespace gemm_tutor::emulator
