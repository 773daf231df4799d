#include "course/exercise_terms.hpp"

#include <algorithm>
#include <array>

namespace gemm_tutor {
namespace {

using Bound = Goal::Bound;

struct Essential {
  const char *name, *unit, *count;
  Bound bound;
  const char *limit, *origin;
  bool is_on_ladder = false, at_edges = false;
  const char* of_goals_with = "";  // not empty: only if a goal counts this
};

constexpr std::array essentials = {
    Essential{"multiply-adds", "multiply-adds",
              "ffma + 32·floating_point_instructions + tensor_multiply_adds", Bound::at_least,
              "M·N·K", "M·N·K", true},
    Essential{"multiply-adds", "multiply-adds", "ffma + tensor_multiply_adds", Bound::at_most,
              "2·(solution_ffma + solution_tensor_multiply_adds)",
              "twice as many as the solution's", true},
    Essential{"multiply-adds of tensor cores", "multiply-adds", "tensor_multiply_adds",
              Bound::at_least, "3·solution_tensor_multiply_adds/4",
              "three quarters of the solution's"},
    Essential{"floats loaded from global memory", "floats", "load_floats", Bound::at_least,
              "M·K + K·N", "all of A and B once", true},
    Essential{"floats loaded from global memory", "floats", "load_floats", Bound::at_most,
              "2·solution_load_floats", "twice as many as the solution's"},
    Essential{"sectors loaded from global memory", "sectors", "global_load_sectors", Bound::at_most,
              "4·solution_global_load_sectors", "four times as many as the solution's"},
    Essential{"bytes read from shared memory", "bytes", "shared_load_bytes", Bound::at_least,
              "solution_shared_load_bytes/4", "a quarter of the solution's"},
    Essential{"requests of atomic operations", "requests", "atomic_requests", Bound::at_most,
              "2·solution_atomic_requests + warps_total", "twice the solution's, and 1 per warp",
              true},
    Essential{
        "barriers of all warps", "barriers", "barriers", Bound::at_most,
        "max(2·solution_barriers, 2·grid_x·grid_y·warps·⌈K/8⌉)",
        "twice the solution's, or 2 per warp of a layer of blocks for each 8 products of a sum"},
    // The last barrier of a loop orders nothing, and a few more do no harm.
    Essential{"barriers that no access to shared memory needs", "barriers", "idle_barriers",
              Bound::at_most, "solution_idle_barriers + grid_x·grid_y·steps",
              "the solution's, and 1 per step of a layer of blocks"},
    Essential{"exchanges between lanes, such as shuffles", "instructions", "exchange_instructions",
              Bound::at_most, "2·solution_exchange_instructions + warps_total·⌈K/8⌉",
              "twice the solution's, and 1 per warp for each 8 products of a sum"},
    Essential{"bytes of copies on their way during multiply-adds", "bytes",
              "copied_bytes_in_flight", Bound::at_least, "solution_copied_bytes_in_flight/2",
              "half of the solution's"},
    Essential{"multiply-adds of the busiest warp", "multiply-adds", "busiest_warp_multiply_adds",
              Bound::at_most, "3·solution_busiest_warp_multiply_adds/2",
              "one and a half times the solution's", true},
    // A float4 becomes four requests of single floats, and one lane after the other becomes 32.
    Essential{"requests of loads from global memory", "requests", "global_load_requests",
              Bound::at_most, "4·solution_global_load_requests", "4 times the solution's"},
    Essential{"requests of stores to global memory", "requests", "global_store_requests",
              Bound::at_most, "4·solution_global_store_requests", "4 times the solution's"},
    Essential{"instructions of the busiest block", "instructions", "busiest_block_instructions",
              Bound::at_most, "8·solution_busiest_block_instructions", "8 times the solution's"},
    Essential{"instructions of all warps", "instructions", "warp_instructions", Bound::at_most,
              "16·solution_warp_instructions", "16 times the solution's", true},
    // Lanes that take turns have no conflicts.
    Essential{"wavefronts of loads from shared memory", "wavefronts", "shared_load_wavefronts",
              Bound::at_most, "2·solution_shared_load_wavefronts + warps_total",
              "twice the solution's, and 1 per warp", false, false, "shared_load_conflicts"},
    Essential{"requests of loads from shared memory", "requests", "shared_load_requests",
              Bound::at_most, "8·solution_shared_load_requests + warps_total",
              "8 times the solution's, and 1 per warp", false, false, "shared_load_requests"},
    Essential{"wavefronts of stores to shared memory", "wavefronts", "shared_store_wavefronts",
              Bound::at_most, "2·solution_shared_store_wavefronts + warps_total",
              "twice the solution's, and 1 per warp", false, false, "shared_store_conflicts"},
    Essential{"floats loaded where tiles are cut off", "floats", "load_floats", Bound::at_most,
              "2·rounding_at_edges·solution_at_edges_load_floats",
              "twice as many as the solution's, of whole tiles", false, true},
    Essential{"bytes read from shared memory where tiles are cut off", "bytes", "shared_load_bytes",
              Bound::at_least, "solution_at_edges_shared_load_bytes/(4·rounding_at_edges)",
              "a quarter of the solution's, of what is not cut off", false, true},
    Essential{"multiply-adds of tensor cores where tiles are cut off", "multiply-adds",
              "tensor_multiply_adds", Bound::at_least,
              "solution_at_edges_tensor_multiply_adds/(2·rounding_at_edges)",
              "half of the solution's, of what is not cut off", false, true},
};

constexpr Essential of_library = {"multiply-adds outside of the library as it was handed out",
                                  "multiply-adds",
                                  multiply_adds_outside_library.data(),
                                  Bound::at_most,
                                  "M·N",
                                  "1 per element of C",
                                  true};

}  // namespace

std::string_view key_of(Goal::Bound bound) {
  constexpr std::array<std::string_view, 3> keys = {"at_most", "at_least", "exactly"};
  return keys[static_cast<std::size_t>(bound)];
}

std::string words_of(Goal::Bound bound) {
  std::string words(key_of(bound));
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::vector<Goal> essential_goals(const ExerciseTerms& terms) {
  const Problem& problem = terms.goals.empty() ? terms.sizes.front() : terms.goals.front().problem;
  const auto is_counted = [&](const std::string& name) {
    return std::ranges::any_of(
        terms.goals, [&](const Goal& goal) { return goal.count.find(name) != goal.count.npos; });
  };
  std::vector<Goal> goals;
  const auto add = [&](const Essential& one) {
    if (terms.is_ladder && !one.is_on_ladder) return;
    if (*one.of_goals_with != 0 && !is_counted(one.of_goals_with)) return;
    goals.push_back(
        {one.name, one.unit, one.count, one.limit, one.bound, problem, one.origin, one.at_edges});
  };
  if (terms.has_library) add(of_library);
  std::ranges::for_each(essentials, add);
  return goals;
}

}  // namespace gemm_tutor
