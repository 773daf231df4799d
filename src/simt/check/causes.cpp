#include <algorithm>
#include <optional>

#include "simt/check/fault.hpp"

namespace gemm_tutor::simt {
namespace {

// Where one barrier orders both pairs of accesses; nothing if there is no such place.
std::optional<Separation> common(const Separation& a, const Separation& b) {
  const bool is_alike = a.between == b.between && a.around == b.around;
  const auto is_forward = [](const Separation& s) { return s.first_line < s.second_line; };
  if (!is_alike || !is_forward(a) || !is_forward(b)) return {};
  Separation both = a;
  both.first_line = std::max(a.first_line, b.first_line);
  both.second_line =
      a.between ? std::min(a.second_line, b.second_line) : std::max(a.second_line, b.second_line);
  if (!is_forward(both)) return {};
  return both;
}

bool is_same_array(const Finding& a, const Finding& b) {
  return a.space == b.space && a.array == b.array && !a.array.empty();
}

bool join_races(Finding& first, const Finding& more) {
  // Without places, which may have been removed, races have one cause as other faults do.
  const auto place_of = [](const Finding& finding) {
    return finding.barriers_after.empty() ? std::nullopt : finding.fault->separation;
  };
  const std::optional<Separation> own = place_of(first), other = place_of(more);
  std::optional<Separation> both = own ? own : other;
  if (own && other) {
    both = common(*own, *other);
    if (!both) return false;
  } else if (first.fault->fault != more.fault->fault || !is_same_array(first, more)) {
    return false;
  }
  if (!both) return true;
  FoundFault joined = *first.fault;
  joined.separation = both;
  if (own && other) joined.other.same_warp = joined.other.same_warp && more.fault->other.same_warp;
  Finding made = finding_of(std::move(joined));
  first.fault = std::move(made.fault);
  first.barriers_after = std::move(made.barriers_after);
  return true;
}

// True if `more` has the cause of `first`. Then `first` has the place for a barrier of both.
bool join(Finding& first, const Finding& more) {
  if (!first.edge.empty() || !more.edge.empty()) return first.edge == more.edge;
  if (first.kind() != more.kind()) return false;
  switch (first.kind()) {
    case FindingKind::race:
      return join_races(first, more);
    case FindingKind::bounds:
    case FindingKind::alignment:
    case FindingKind::uninitialised:
      return first.fault->fault == more.fault->fault && is_same_array(first, more);
    case FindingKind::barrier:
      return first.fault->fault == more.fault->fault;
    default:
      return false;
  }
}

void add_lines(std::vector<int>& lines, const Finding& finding) {
  if (finding.line > 0) lines.push_back(finding.line);
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
}

}  // namespace

std::vector<Finding> one_per_cause(const std::vector<Finding>& findings) {
  std::vector<Finding> result;
  for (const Finding& finding : findings) {
    const auto first =
        std::ranges::find_if(result, [&](Finding& each) { return join(each, finding); });
    if (first == result.end()) {
      result.push_back(finding);
      add_lines(result.back().lines, finding);
      continue;
    }
    std::vector<int> lines = std::move(first->lines);
    add_lines(lines, finding);
    const std::uint64_t count = first->count + finding.count;
    // An access out of bounds says most about an edge.
    const bool is_clearer =
        finding.kind() == FindingKind::bounds && first->kind() != FindingKind::bounds;
    if (is_clearer) *first = finding;
    first->lines = std::move(lines);
    first->count = count;
  }
  return result;
}

}  // namespace gemm_tutor::simt
