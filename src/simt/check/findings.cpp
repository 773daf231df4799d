#include "simt/check/findings.hpp"

#include <algorithm>
#include <optional>

#include "simt/check/fault.hpp"
#include "simt/exec/places.hpp"
#include "simt/exec/worker.hpp"

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

// Reports faults: the thread and the facts.
namespace {

std::vector<Dim3> threads_of(const Warp& warp, std::uint32_t mask) {
  std::vector<Dim3> threads;
  for (int lane = 0; lane < lanes; ++lane) {
    if (mask >> lane & 1) threads.push_back(thread_of(warp, lane));
  }
  return threads;
}

AccessKind kind_of(const CountedAccess& access, ptx::Space space) {
  switch (access.kind) {
    case CountedAccess::Kind::store:
      return AccessKind::store;
    case CountedAccess::Kind::atomic:
      return AccessKind::atomic;
    case CountedAccess::Kind::copy:
      return space == ptx::Space::shared ? AccessKind::copy_to : AccessKind::copy_from;
    default:
      return AccessKind::load;
  }
}

}  // namespace

void report_fault(Warp& warp, const Instruction& instruction, Fault fault, int lane,
                  std::uint64_t address, int bytes, ptx::Space space, std::uint64_t times) {
  const RunContext& context = warp.worker->machine->context();
  const auto describe = [&](FoundFault& finding) {
    finding.thread = thread_of(warp, lane);
    switch (fault) {
      case Fault::divergent_barrier:
        finding.threads = threads_of(warp, warp.live & ~warp.active);
        return;
      case Fault::endless:
        finding.instructions = context.max_instructions;
        return;
      case Fault::deep_calls:
        finding.instructions = most_calls;
        return;
      case Fault::end_of_body:
      case Fault::no_function:
      case Fault::trap:
        return;
      case Fault::not_in_mask:
        finding.mask = static_cast<std::uint32_t>(address);
        return;
      case Fault::missing_lane:
      case Fault::part_of_a_warp:
        finding.threads = threads_of(warp, static_cast<std::uint32_t>(address));
        return;
      case Fault::unset_fragment:
        finding.matrix = static_cast<char>(address);
        return;
      case Fault::returned_lane:
        finding.other.thread = thread_of(warp, static_cast<int>(address));
        return;
      default:
        finding.access = {.kind = kind_of(context.program->accesses[instruction.index], space),
                          .element = element_at(context, address, space),
                          .bytes = bytes};
        // A wide access may begin within the array: then the first element after it is outside.
        if (Element& element = finding.access.element; fault == Fault::outside) {
          const bool begins_within = element.index >= 0 && element.index < element.elements;
          if (begins_within) element.index = element.elements;
        }
    }
  };
  warp.worker->machine->add_finding(fault, instruction, describe, times);
}

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
