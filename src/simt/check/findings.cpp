#include "simt/check/findings.hpp"

namespace gemm_tutor::simt {

void Findings::add(Fault fault, int line, std::uint64_t block,
                   const std::function<FoundFault()>& describe) {
  const std::lock_guard lock(mutex_);
  First& first = found_[{line, kind_of(fault)}];
  if (first.count++ == 0 || block < first.block) {
    first.block = block;
    first.finding = describe();
  }
}

void Findings::add_more(FindingKind kind, int line, std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  found_[{line, kind}].count += count;
}

void Findings::add_gap(int line, std::uint64_t block,
                       const std::function<std::optional<Gap>(const Element& array)>& gap) {
  const std::lock_guard lock(mutex_);
  First& first = found_[{line, FindingKind::uninitialised}];
  if (first.block == block) first.finding.gap = gap(first.finding.access.element);
}

// If a thread reads global memory that other blocks write later, this is only a race and not also
// an uninitialised read, because the blocks may run in any order.
void Findings::settle_reads_of_nothing() {
  for (auto place = found_.begin(); place != found_.end();) {
    const auto race = found_.find({place->first.first, FindingKind::race});
    const bool is_read = place->first.second == FindingKind::uninitialised && race != found_.end();
    const Element& element = place->second.finding.access.element;
    if (is_read && element.space == MemorySpace::global &&
        race->second.finding.access.element.array == element.array) {
      race->second.count += place->second.count;
      place = found_.erase(place);
    } else {
      ++place;
    }
  }
}

std::vector<Finding> Findings::take(std::uint64_t last) {
  const std::lock_guard lock(mutex_);
  settle_reads_of_nothing();
  std::vector<Finding> result;
  for (auto& [place, first] : found_) {
    if (first.block > last) continue;
    first.finding.count = first.count;
    result.push_back(finding_of(std::move(first.finding)));
  }
  found_.clear();
  return result;
}

}  // namespace gemm_tutor::simt
