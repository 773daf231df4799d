// Finds the instruction of the other access of a race in shared memory. A mark tells the thread and
// the time.
#include <algorithm>

#include "simt/exec/worker.hpp"

namespace gemm_tutor::simt {
namespace {

bool is_of_kind(const CountedAccess& access, AccessKind kind) {
  using Kind = CountedAccess::Kind;
  if (access.space != ptx::Space::shared) return false;
  return kind == AccessKind::store  ? access.kind == Kind::store
         : kind == AccessKind::load ? access.kind == Kind::load
                                    : false;
}

bool is_in(const WindowVariable& variable, std::int32_t offset) {
  return offset >= variable.begin && offset < variable.end;
}

// Returns the lane of `wanted` whose part of the request has the offset, if the pattern is still
// that of the request; otherwise -1.
int lane_at(const SharedTouch& touch, const Pattern<std::uint32_t>& pattern, int bytes,
            std::int32_t offset, std::uint32_t wanted) {
  if (pattern.active != touch.active) return -1;
  for (std::uint32_t rest = touch.active & wanted; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::int32_t begin = touch.first + static_cast<std::int32_t>(pattern.relative[lane]);
    if (offset >= begin && offset < begin + bytes) return lane;
  }
  return -1;
}

struct Candidate {
  std::uint32_t access = 0, warp = 0;
  int lane = -1;        // that is known to have accessed the bytes
  bool is_now = false;  // it was last executed at the mark's clock
};

// Keeps the best candidates: those that match both conditions, or else one.
void keep_best(std::vector<Candidate>& candidates) {
  const auto fits = [](const Candidate& candidate) {
    return 2 * static_cast<int>(candidate.lane >= 0) + static_cast<int>(candidate.is_now);
  };
  int best = 1;
  for (const Candidate& candidate : candidates) best = std::max(best, fits(candidate));
  std::erase_if(candidates, [&](const Candidate& candidate) { return fits(candidate) < best; });
}

}  // namespace

std::optional<BlockMachine::FoundAccess> BlockMachine::find_access(Mark mark, AccessKind kind,
                                                                   std::int32_t offset,
                                                                   std::uint32_t thread) const {
  const DecodedProgram& program = *context_.program;
  const Mark who = mark & SharedShadow::who_mask;
  const std::uint32_t clock = mark >> SharedShadow::mark_bits;
  const auto variable = std::ranges::find_if(
      context_.shared, [&](const WindowVariable& range) { return is_in(range, offset); });
  if (variable == context_.shared.end()) return {};
  const bool is_one = who < SharedShadow::several;
  std::vector<Candidate> candidates;
  for (std::uint32_t a = 0; a < program.accesses.size(); ++a) {
    if (!is_of_kind(program.accesses[a], kind)) continue;
    for (std::uint32_t w = 0; w < warp_count(); ++w) {
      const bool is_own = w == thread / lanes;
      const bool is_warp = is_one                               ? w == who / lanes
                           : who == SharedShadow::several_warps ? !is_own
                                                                : w == who - SharedShadow::several;
      const std::uint32_t wanted = is_one   ? 1u << who % lanes
                                   : is_own ? ~(1u << thread % lanes)
                                            : all_lanes;
      const SharedTouch& touch = touches_[a * warp_count() + w];
      if (!is_warp || touch.clock < clock || !is_in(*variable, touch.first)) continue;
      const int lane =
          lane_at(touch, shared_patterns_[a], program.accesses[a].bytes, offset, wanted);
      candidates.push_back({a, w, lane, touch.clock == clock});
    }
  }
  keep_best(candidates);
  if (candidates.empty()) return {};
  const Candidate& first = candidates.front();
  for (const Candidate& candidate : candidates) {
    if (program.accesses[candidate.access].line != program.accesses[first.access].line) return {};
  }
  if (is_one) return FoundAccess{first.access, who};
  if (first.lane < 0) return FoundAccess{first.access, no_thread};
  return FoundAccess{first.access, first.warp * lanes + static_cast<std::uint32_t>(first.lane)};
}

std::vector<std::uint32_t> BlockMachine::stores_to(std::int32_t offset) const {
  const DecodedProgram& program = *context_.program;
  const auto variable = std::ranges::find_if(
      context_.shared, [&](const WindowVariable& range) { return is_in(range, offset); });
  std::vector<std::uint32_t> result;
  for (std::uint32_t a = 0; a < program.accesses.size() && variable != context_.shared.end(); ++a) {
    if (!is_of_kind(program.accesses[a], AccessKind::store)) continue;
    for (std::uint32_t w = 0; w < warp_count(); ++w) {
      const SharedTouch& touch = touches_[a * warp_count() + w];
      if (touch.clock == 0 || !is_in(*variable, touch.first)) continue;
      result.push_back(program.accesses[a].instruction);
      break;
    }
  }
  return result;
}

}  // namespace gemm_tutor::simt
