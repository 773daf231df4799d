#include <algorithm>
#include <set>
#include <vector>

#include "simt/check/findings.hpp"
#include "simt/exec/worker.hpp"
#include "support/dominators.hpp"

namespace gemm_tutor::simt {
namespace {

using Graph = std::vector<std::vector<int>>;

// A function's blocks with the barriers in them.
class Flow {
 public:
  Flow(const DecodedProgram& program, const DecodedFunction& function, std::uint32_t end,
       bool same_warp)
      : program_(program),
        function_(function),
        end_(end),
        barriers_(program.barriers.begin(), program.barriers.end()) {
    if (same_warp) barriers_.insert(program.warp_barriers.begin(), program.warp_barriers.end());
    for (std::size_t b = 0; b < function.blocks.size(); ++b) {
      next_.push_back(exits_at_once(b) ? std::vector<int>{} : function.blocks[b].next);
    }
  }

  int blocks() const { return static_cast<int>(next_.size()); }
  const Graph& next() const { return next_; }

  int block_of(std::uint32_t instruction) const {
    int block = 0;
    for (std::size_t b = 0; b < function_.blocks.size(); ++b) {
      if (function_.blocks[b].begin <= instruction) block = static_cast<int>(b);
    }
    return block;
  }

  bool has_barrier(std::uint32_t from, std::uint32_t to) const {
    const auto barrier = barriers_.lower_bound(from);
    return barrier != barriers_.end() && *barrier < to;
  }
  std::uint32_t begin(int block) const {
    return function_.blocks[static_cast<std::size_t>(block)].begin;
  }
  std::uint32_t end(int block) const { return block + 1 < blocks() ? begin(block + 1) : end_; }

  // A block in which lanes leave the kernel. This is not a path between accesses.
  bool exits_at_once(std::size_t block) const {
    return program_.instructions[function_.blocks[block].begin].target != 0;
  }

 private:
  const DecodedProgram& program_;
  const DecodedFunction& function_;
  std::uint32_t end_;
  std::set<std::uint32_t> barriers_;
  Graph next_;
};

// The blocks of the smallest loop that has both, and where it begins; without a loop all blocks.
struct Region {
  int head = 0;
  bool is_loop = false;
  std::vector<bool> has;
};

std::vector<bool> loop_body(const Graph& before, int head, int tail) {
  std::vector<bool> body(before.size());
  body[static_cast<std::size_t>(head)] = true;
  std::vector<int> todo = {tail};
  while (!todo.empty()) {
    const auto block = static_cast<std::size_t>(todo.back());
    todo.pop_back();
    if (body[block]) continue;
    body[block] = true;
    todo.insert(todo.end(), before[block].begin(), before[block].end());
  }
  return body;
}

Region region_of(const Flow& flow, int first, int second) {
  const auto count = static_cast<std::size_t>(flow.blocks());
  Region region{0, false, std::vector<bool>(count, true)};
  const Dominators dominators(flow.next(), 0);
  const Graph before = reversed(flow.next());
  for (int tail = 0; tail < flow.blocks(); ++tail) {
    for (const int head : flow.next()[static_cast<std::size_t>(tail)]) {
      if (!dominators.dominates(head, tail)) continue;
      std::vector<bool> body = loop_body(before, head, tail);
      for (int other = 0; other < flow.blocks(); ++other) {  // other jumps back to it
        const std::vector<int>& next = flow.next()[static_cast<std::size_t>(other)];
        if (!std::ranges::count(next, head) || !dominators.dominates(head, other)) continue;
        const std::vector<bool> more = loop_body(before, head, other);
        for (std::size_t b = 0; b < count; ++b) body[b] = body[b] || more[b];
      }
      const bool has_both =
          body[static_cast<std::size_t>(first)] && body[static_cast<std::size_t>(second)];
      if (!has_both) continue;
      if (!region.is_loop || std::ranges::count(body, true) < std::ranges::count(region.has, true))
        region = {head, true, std::move(body)};
    }
  }
  return region;
}

// True if there is a path in the region from after one instruction to the other, without passing
// the region's start or, with `around`, passing it once. Optionally without barriers on it.
bool has_way(const Flow& flow, const Region& region, std::uint32_t from, std::uint32_t to,
             bool around, bool may_wait) {
  const int first = flow.block_of(from), last = flow.block_of(to);
  const auto blocked = [&](std::uint32_t begin, std::uint32_t end) {
    return !may_wait && flow.has_barrier(begin, end);
  };
  if (first == last && from < to && !around) return !blocked(from, to);
  if (blocked(from, flow.end(first))) return false;
  std::set<std::pair<int, bool>> seen;
  std::vector<std::pair<int, bool>> todo = {{first, false}};
  while (!todo.empty()) {
    const auto [block, is_around] = todo.back();
    todo.pop_back();
    for (const int next : flow.next()[static_cast<std::size_t>(block)]) {
      if (!region.has[static_cast<std::size_t>(next)]) continue;
      const bool begins_again = region.is_loop && next == region.head;
      if (begins_again && (is_around || !around)) continue;
      const bool next_around = is_around || begins_again;
      if (next == last && next_around == around && !blocked(flow.begin(next), to)) return true;
      if (blocked(flow.begin(next), flow.end(next))) continue;
      if (seen.insert({next, next_around}).second) todo.emplace_back(next, next_around);
    }
  }
  return false;
}

// The blocks of the region that every thread reaches in every iteration.
class Common {
 public:
  Common(const Flow& flow, const Region& region)
      : sink_(flow.blocks()), after_(reversed(inner(flow, region)), sink_), head_(region.head) {}

  bool has(int block) const { return after_.dominates(block, head_); }
  // The block itself, or the first after it.
  int at_or_after(int block) const {
    while (block >= 0 && block != sink_ && !has(block)) block = after_.nearest(block);
    return block == sink_ ? -1 : block;
  }

 private:
  static Graph inner(const Flow& flow, const Region& region) {
    Graph graph(static_cast<std::size_t>(flow.blocks()) + 1);
    for (std::size_t b = 0; b < region.has.size(); ++b) {
      if (!region.has[b]) continue;
      for (const int next : flow.next()[b]) {
        const bool goes_on =
            region.has[static_cast<std::size_t>(next)] && !(region.is_loop && next == region.head);
        if (goes_on && !flow.exits_at_once(static_cast<std::size_t>(next)))
          graph[b].push_back(next);
      }
      if (graph[b].empty()) graph[b].push_back(flow.blocks());
    }
    return graph;
  }

  int sink_;
  Dominators after_;
  int head_;
};

// True if a place that all threads reach is on the path from one to the other.
bool has_common_place(const Flow& flow, const Common& common, std::uint32_t from,
                      std::uint32_t to) {
  const int first = flow.block_of(from), last = flow.block_of(to);
  if (first == last && common.has(first)) return true;
  const int place = common.at_or_after(first);
  return place >= 0 && Dominators(flow.next(), 0).dominates(place, last);
}

}  // namespace

std::optional<Separation> separation(const DecodedProgram& program, std::uint32_t first,
                                     std::uint32_t second, bool same_warp,
                                     const std::vector<std::uint32_t>& stores) {
  if (first == second) return {};
  std::size_t function = 0;
  while (function + 1 < program.functions.size() &&
         program.functions[function + 1].begin <= std::min(first, second)) {
    ++function;
  }
  const std::uint32_t end = function + 1 < program.functions.size()
                                ? program.functions[function + 1].begin
                                : static_cast<std::uint32_t>(program.instructions.size());
  if (std::max(first, second) >= end) return {};
  const Flow flow(program, program.functions[function], end, same_warp);
  const Region region = region_of(flow, flow.block_of(first), flow.block_of(second));
  const std::uint32_t begin = flow.begin(0);
  const auto is_elsewhere = [&](std::uint32_t store) {
    return store >= begin && store < end &&
           !region.has[static_cast<std::size_t>(flow.block_of(store))];
  };
  if (region.is_loop && std::ranges::any_of(stores, is_elsewhere)) return {};
  const auto leads = [&](std::uint32_t from, std::uint32_t to, bool around, bool may_wait) {
    return has_way(flow, region, from, to, around, may_wait);
  };
  const bool forward = leads(first, second, false, true);
  const bool backward = leads(second, first, false, true);
  if (forward == backward) return {};
  if (backward) std::swap(first, second);

  const Common common(flow, region);
  const bool is_open = leads(first, second, false, false);
  const bool is_open_around = region.is_loop && leads(second, first, true, false);
  Separation result;
  result.first_line = program.instructions[first].line;
  result.second_line = program.instructions[second].line;
  result.between = is_open && has_common_place(flow, common, first, second);
  result.around = is_open_around && common.at_or_after(flow.block_of(second)) >= 0;
  const bool is_whole = result.between == is_open && result.around == is_open_around;
  if (!is_whole || (!is_open && !is_open_around)) return {};
  return result;
}

// Finds the instruction of the other access of a race in shared memory. A mark tells the thread and
// the time.
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
