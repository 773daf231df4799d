#include "simt/machine/executions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "support/numbers.hpp"

namespace gemm_tutor::simt::machine {
namespace {

// Instructions that the assembler does not move. It moves address arithmetic, for example.
bool is_not_moved(const Instruction& instruction) {
  switch (instruction.kind) {
    case Kind::ffma:
    case Kind::tensor:
    case Kind::shared_load:
    case Kind::shared_store:
    case Kind::global_load:
    case Kind::global_store:
    case Kind::copy:
    case Kind::atomic:
    case Kind::exchange:
      return instruction.ptx_line > 0;
    case Kind::synchronisation:
      return instruction.role == Role::block_barrier && instruction.ptx_line > 0;
    default:
      return false;
  }
}

// Several PTX loads may have become one, so copies of loads are less reliable than copies of
// others.
bool is_load(const Instruction& instruction) {
  return instruction.kind == Kind::shared_load || instruction.kind == Kind::global_load;
}

class Counting {
 public:
  Counting(const Code& code, const PtxProfile& profile)
      : code_(code),
        profile_(profile),
        of_block_(code.blocks.size()),
        is_balanced_(code.blocks.size() + 1) {
    find_copies();
    pair_loops();
    find_equivalent();
  }

  Executions run() {
    for (int b = 0; b < block_count(); ++b) {
      if (code_.blocks[b].is_reachable) of_block_[b] = by_what_stays(b);
    }
    if (!of_block_.empty() && !of_block_[0]) of_block_[0] = first_executions();
    for (std::size_t l = 0; l < code_.loops.size(); ++l) enter(static_cast<int>(l));
    do {
      while (spread_to_equivalent() || balance()) {
      }
    } while (estimate_one() || assume_way(true) || assume_way(false));
    return {of_instructions(), std::move(ways_)};
  }

 private:
  using Copies = std::map<int, int>;  // how many of them each block has

  int block_count() const { return static_cast<int>(code_.blocks.size()); }

  // --- The line table

  // An unknown number of accesses, which one of a matrix became, does not say how often it was
  // executed.
  bool stays(const Instruction& instruction) const {
    const auto fmas = profile_.matrix_fmas.find(instruction.ptx_line);
    const bool is_part = fmas != profile_.matrix_fmas.end() && fmas->second == 0;
    return is_not_moved(instruction) && !is_part;
  }

  // How many instructions a product of matrices became.
  int parts(const Instruction& instruction) const {
    const auto fmas = profile_.matrix_fmas.find(instruction.ptx_line);
    if (fmas == profile_.matrix_fmas.end() || instruction.fmas == 0) return 1;
    return std::max(1, fmas->second / instruction.fmas);
  }

  void find_copies() {
    for (int b = 0; b < block_count(); ++b) {
      if (!code_.blocks[b].is_reachable) continue;
      for_each_in(b, [&](const Instruction& i) {
        if (stays(i)) ++copies_[{i.ptx_line, i.kind}][b];
      });
      for_each_in(b, [&](const Instruction& i) {
        if (i.kind != Kind::tensor || !stays(i) || parts(i) == 1) return;
        parts_of_line_[i.ptx_line] = parts(i);
      });
    }
    for (auto& [what, copies] : copies_) {
      const auto found = parts_of_line_.find(what.first);
      if (found == parts_of_line_.end()) continue;
      for (auto& [block, count] : copies) count = ceil_divide(count, found->second);
    }
  }

  template <typename Visit>
  void for_each_in(int block, Visit visit) const {
    for (std::size_t i = code_.blocks[block].begin; i < code_.blocks[block].end; ++i) {
      visit(code_.instructions[i]);
    }
  }

  std::optional<double> ptx_executions(int line) const {
    const auto found = profile_.executions.find(line);
    if (found == profile_.executions.end()) return std::nullopt;
    return static_cast<double>(found->second);
  }

  // Returns the innermost loop of the profile that has the line, or -1.
  int ptx_loop(int line) const {
    int found = -1;
    for (int l = 0; l < static_cast<int>(profile_.loops.size()); ++l) {
      const PtxLoop& loop = profile_.loops[l];
      if (line < loop.first_line || line > loop.last_line) continue;
      if (found < 0 || length(l) < length(found)) found = l;
    }
    return found;
  }
  int length(int loop) const {
    return profile_.loops[loop].last_line - profile_.loops[loop].first_line;
  }
  int outer(int loop) const {
    int found = -1;
    for (int l = 0; l < static_cast<int>(profile_.loops.size()); ++l) {
      if (l == loop || length(l) <= length(loop) || !contains(l, loop)) continue;
      if (found < 0 || length(l) < length(found)) found = l;
    }
    return found;
  }
  bool contains(int loop, int inner) const {
    return profile_.loops[loop].first_line <= profile_.loops[inner].first_line &&
           profile_.loops[inner].last_line <= profile_.loops[loop].last_line;
  }
  double entries(int loop) const {
    double sum = 0;
    for (const auto& [trips, times] : profile_.loops[loop].entries) {
      sum += static_cast<double>(times);
    }
    return sum;
  }

  // Each loop of the code repeats a loop of the PTX: the innermost one with all instructions that
  // are not moved.
  void pair_loops() {
    for (const Loop& loop : code_.loops) {
      int paired = -1;
      bool is_first = true;
      for (const int b : loop.blocks) {
        for_each_in(b, [&](const Instruction& i) {
          if (!stays(i)) return;
          const int own = ptx_loop(i.ptx_line);
          paired = is_first ? own : common(paired, own);
          is_first = false;
        });
      }
      ptx_of_loop_.push_back(paired);
    }
  }
  int common(int loop, int other) const {
    while (loop >= 0 && other != loop && (other < 0 || !contains(loop, other))) loop = outer(loop);
    return other < 0 ? -1 : loop;
  }

  // --- Blocks with instructions that stay

  std::optional<double> by_what_stays(int block) const {
    std::map<double, int> votes, votes_of_loads;
    for_each_in(block, [&](const Instruction& i) {
      if (!stays(i)) return;
      if (const auto times = share(i, block)) ++(is_load(i) ? votes_of_loads : votes)[*times];
    });
    if (votes.empty()) votes = std::move(votes_of_loads);
    const auto most = std::ranges::max_element(
        votes, {}, [](const std::pair<const double, int>& vote) { return vote.second; });
    return most == votes.end() ? std::nullopt : std::optional(most->first);
  }

  // The executions of each of the block's copies of an instruction.
  std::optional<double> share(const Instruction& instruction, int block) const {
    const Copies& copies = copies_.at({instruction.ptx_line, instruction.kind});
    const auto times = ptx_executions(instruction.ptx_line);
    if (!times) return std::nullopt;
    if (copies.size() == 1) {
      // An instruction with a predicate was in its own PTX block, which fewer warps reached.
      if (instruction.is_conditional()) return std::nullopt;
      return *times / copies.begin()->second;
    }
    const int loop = ptx_loop(instruction.ptx_line);
    if (loop < 0) return std::nullopt;
    double sum = 0;
    for (const auto& [trips, entered] : profile_.loops[loop].entries) {
      sum += static_cast<double>(rounds(copies, block, trips)) * static_cast<double>(entered);
    }
    return sum;
  }

  // The assembler's code shares an unrolled loop's iterations: the loop with the most copies
  // executes as many iterations as possible, then the one with fewer copies.
  std::uint64_t rounds(const Copies& copies, int block, std::uint64_t trips) const {
    std::vector<std::pair<int, int>> stages;  // copies, block
    for (const auto& [b, count] : copies) stages.emplace_back(count, b);
    std::ranges::stable_sort(stages, std::greater<>(), &std::pair<int, int>::first);
    for (const auto& [count, b] : stages) {
      const auto together = static_cast<std::uint64_t>(count);
      std::uint64_t now = trips / together;
      if (!has_loop_of_its_own(b, copies)) now = std::min<std::uint64_t>(now, 1);
      if (b == block) return now;
      trips -= now * together;
    }
    return 0;
  }

  bool has_loop_of_its_own(int block, const Copies& copies) const {
    const int loop = code_.blocks[block].loop;
    if (loop < 0) return false;
    const auto is_inside = [&](const auto& copy) {
      return std::ranges::binary_search(code_.loops[loop].blocks, copy.first);
    };
    return !std::ranges::all_of(copies, is_inside);
  }

  double first_executions() const {
    return profile_.executions.empty() ? 0
                                       : static_cast<double>(profile_.executions.begin()->second);
  }

  // --- Ways between blocks

  // A loop's entries are known if its PTX loop's entries are.
  void enter(int loop) {
    const int paired = ptx_of_loop_[loop];
    if (paired < 0) return;
    const int header = code_.loops[loop].header;
    const auto& blocks = code_.loops[loop].blocks;
    std::vector<int> from;
    for (const int b : code_.flow.before[header]) {
      if (!std::ranges::binary_search(blocks, b)) from.push_back(b);
    }
    if (from.size() != 1) return;
    const double times = entered(loop, paired);
    set({from[0], header}, times);
    if (code_.flow.next[from[0]].size() == 1 && !of_block_[from[0]]) of_block_[from[0]] = times;
  }

  // The entries of the PTX loop with enough iterations for one iteration of this loop.
  double entered(int loop, int paired) const {
    for (const int b : code_.loops[loop].blocks) {
      for (std::size_t at = code_.blocks[b].begin; at < code_.blocks[b].end; ++at) {
        const Instruction& i = code_.instructions[at];
        if (!stays(i) || is_load(i) || i.is_conditional() || ptx_loop(i.ptx_line) != paired) {
          continue;
        }
        const Copies& copies = copies_.at({i.ptx_line, i.kind});
        if (copies.size() == 1) continue;
        double sum = 0;
        for (const auto& [trips, times] : profile_.loops[paired].entries) {
          if (rounds(copies, b, trips) > 0) sum += static_cast<double>(times);
        }
        return sum;
      }
    }
    return entries(paired);
  }

  void find_equivalent() {
    for (int b = 0; b < block_count(); ++b) {
      if (!code_.blocks[b].is_reachable) continue;
      const auto same = std::ranges::find_if(equivalent_, [&](const std::vector<int>& blocks) {
        return code_.are_equivalent(b, blocks.front());
      });
      if (same == equivalent_.end()) {
        equivalent_.push_back({b});
      } else {
        same->push_back(b);
      }
    }
  }

  void set(int block, double times) {
    of_block_[block] = times;
    is_balanced_[block] = false;
  }
  void set(const std::pair<int, int>& way, double times) {
    ways_[way] = times;
    is_balanced_[way.first] = is_balanced_[way.second] = false;
  }

  // Blocks that are executed together.
  bool spread_to_equivalent() {
    bool changed = false;
    for (const std::vector<int>& blocks : equivalent_) {
      const auto known =
          std::ranges::find_if(blocks, [&](int b) { return of_block_[b].has_value(); });
      if (known == blocks.end()) continue;
      for (const int b : blocks) {
        if (of_block_[b]) continue;
        set(b, *of_block_[*known]);
        changed = true;
      }
    }
    return changed;
  }

  // A block's executions are the sum of the ways into it, and the sum of the ways out of it.
  bool balance() {
    bool changed = false;
    for (int b = 0; b < block_count(); ++b) {
      if (!code_.blocks[b].is_reachable || is_balanced_[b]) continue;
      is_balanced_[b] = true;  // until one of its numbers changes
      std::vector<std::pair<int, int>> in, out;
      for (const int before : code_.flow.before[b]) in.emplace_back(before, b);
      for (const int next : code_.flow.next[b]) out.emplace_back(b, next);
      if (b == 0) in.clear();
      for (const auto& side : {in, out}) changed = balance(b, side) || changed;
    }
    return changed;
  }
  bool balance(int block, const std::vector<std::pair<int, int>>& ways) {
    double known = 0;
    const std::pair<int, int>* unknown = nullptr;
    int missing = 0;
    for (const auto& way : ways) {
      if (const auto found = ways_.find(way); found != ways_.end()) {
        known += found->second;
      } else {
        unknown = &way;
        ++missing;
      }
    }
    if (!of_block_[block] && missing == 0 && !ways.empty()) {
      set(block, known);
      return true;
    }
    if (!of_block_[block] || missing != 1) return false;
    set(*unknown, std::max(0.0, *of_block_[block] - known));
    return true;
  }

  // --- Other blocks, whose instructions may have been moved

  bool estimate_one() {
    for (int b = 0; b < block_count(); ++b) {
      if (of_block_[b] || !code_.blocks[b].is_reachable) continue;
      std::vector<double> times;
      double of_conditional = 0;
      for_each_in(b, [&](const Instruction& i) {
        const auto known = seen_from(b, i.ptx_line);
        if (!known) return;
        if (i.is_conditional() && !i.is_branch()) {  // in the PTX in a block of its own
          of_conditional = std::max(of_conditional, *known);
          return;
        }
        if (i.is_branch()) times.clear();  // which was not moved
        times.push_back(*known);
      });
      std::ranges::sort(times);
      set(b, times.empty() ? of_conditional : times[times.size() / 2]);
      return true;
    }
    return false;
  }

  // The executions of the line; outside of its loop's code, the entries of the loop.
  std::optional<double> seen_from(int block, int line) const {
    int around = code_.blocks[block].loop;
    while (around >= 0 && ptx_of_loop_[around] < 0) around = code_.loops[around].outer;
    const int own = around < 0 ? -1 : ptx_of_loop_[around];
    int loop = ptx_loop(line), within = -1;
    while (loop >= 0 && loop != own) {
      within = loop;
      loop = outer(loop);
    }
    return within < 0 ? ptx_executions(line) : std::optional(entries(within));
  }

  // --- Ways that do not follow from the executions of blocks

  // Assumes that a loop is entered as often as possible, with few iterations each time, and that
  // the first of other ways is taken as often as possible.
  bool assume_way(bool into_loop) {
    for (int b = 0; b < block_count(); ++b) {
      if (!code_.blocks[b].is_reachable) continue;
      for (const int next : code_.flow.next[b]) {
        if (ways_.contains({b, next}) || (into_loop && !enters_loop(b, next))) continue;
        set({b, next}, next == code_.flow.exit() ? 0.0 : std::min(*of_block_[b], *of_block_[next]));
        return true;
      }
    }
    return false;
  }
  bool enters_loop(int block, int next) const {
    return std::ranges::any_of(code_.loops, [&](const Loop& loop) {
      return loop.header == next && !std::ranges::binary_search(loop.blocks, block);
    });
  }

  std::vector<std::uint64_t> of_instructions() const {
    std::vector<std::uint64_t> result(code_.instructions.size());
    for (int b = 0; b < block_count(); ++b) {
      const auto times = static_cast<std::uint64_t>(std::llround(of_block_[b].value_or(0)));
      for (std::size_t i = code_.blocks[b].begin; i < code_.blocks[b].end; ++i) result[i] = times;
    }
    return result;
  }

  const Code& code_;
  const PtxProfile& profile_;
  std::map<std::pair<int, Kind>, Copies> copies_;  // of what stays, by PTX line
  std::map<int, int> parts_of_line_;               // of products that became several instructions
  std::vector<int> ptx_of_loop_;                   // of each loop, or -1
  std::vector<std::optional<double>> of_block_;
  std::vector<bool> is_balanced_;  // of each block and the exit: nothing more follows from its ways
  std::vector<std::vector<int>> equivalent_;    // blocks that are executed together
  std::map<std::pair<int, int>, double> ways_;  // from a block to the next
};

}  // namespace

Executions executions(const Code& code, const PtxProfile& profile) {
  return Counting(code, profile).run();
}

}  // namespace gemm_tutor::simt::machine
