#include "run/edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "gemm/matrices.hpp"
#include "run/launch_shape.hpp"
#include "run/run.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using emulator::Finding;
using emulator::FindingKind;
using Place = std::pair<int, FindingKind>;
using Counts = std::map<Place, std::uint64_t>;

Place place_of(const Finding& finding) { return {finding.line, finding.kind()}; }

bool is_outside(const Finding& finding) {
  return finding.fault == emulator::Fault::outside &&
         finding.access.element.space == emulator::MemorySpace::global;
}

// An element beyond the end of a row is another row's.
bool may_be_of_edge(const Finding& finding) {
  return is_outside(finding) || (finding.kind() == FindingKind::race &&
                                 finding.access.element.space == emulator::MemorySpace::global);
}

struct Direction {
  const char* name;
  int Problem::*size;
  int tile = 1;  // of a block; along K a multiple of every likely step
};

class Edges {
 public:
  Edges(const PreparedKernel& kernel, const RunOptions& options)
      : kernel_(kernel), options_(options) {
    constexpr int most_steps = 128;
    const LaunchShape& shape = kernel.source.shape;
    directions_ = {{"M", &Problem::m, shape.tile_rows},
                   {"N", &Problem::n, shape.tile_columns},
                   {"K", &Problem::k, most_steps}};
    whole_ = options.problem;
    for (const Direction& d : directions_) whole_.*d.size = whole(d);
  }

  // The sentence about the edges, and the findings that come from them; both empty if it is not so.
  std::string find(const std::vector<Finding>& findings, Counts& places) {
    const Counts persistent = counts_at(whole_);
    for (const Finding& finding : findings) {
      if (may_be_of_edge(finding) && !persistent.contains(place_of(finding)))
        places[place_of(finding)] = finding.count;
    }
    std::map<std::pair<int, int>, std::vector<std::string>> names;  // by size and step
    bool is_guarded = true;                                         // in part, in all directions
    for (const Direction& d : directions_) {
      const int size = options_.problem.*d.size;
      if (size % d.tile == 0) continue;
      const int step = d.size == &Problem::k ? step_along_k(places) : d.tile;
      const int tiles_before = whole(d) - d.tile;
      if (size % step == 0 || times(with(d, tiles_before + size % d.tile), places) == 0) continue;
      // What nothing guards goes over the edge more often the farther the tile does.
      const std::uint64_t most = times(with(d, tiles_before + 1), places);
      const std::uint64_t least = times(with(d, tiles_before + step - 1), places);
      is_guarded = is_guarded && step > 2 && most <= least;
      names[{size, step}].push_back(d.name);
    }
    if (names.empty()) {
      places.clear();
      return "";
    }
    std::vector<std::string> parts;
    for (const auto& [edge, of] : names) {
      parts.push_back(
          fmt::format("{} = {} is not a multiple of {}", join(of, " = "), edge.first, edge.second));
    }
    return join(parts, ", ") + (is_guarded ? ", and the guard of the edge lets some through"
                                           : ", and nothing guards the edge");
  }

 private:
  // At most two tiles, and as many as the problem has.
  int whole(const Direction& d) const {
    return options_.problem.*d.size > d.tile ? 2 * d.tile : d.tile;
  }

  Problem with(const Direction& d, int size) const {
    Problem problem = whole_;
    problem.*d.size = size;
    return problem;
  }

  Counts counts_at(const Problem& problem) const {
    emulator::Options options;
    options.activity = options_.activity;
    options.max_instructions = most_instructions(kernel_, problem);
    Matrices matrices = make_matrices(problem, options_.seed, options_.activity, kernel_.update.c);
    std::vector<float> workspace = workspace_of(kernel_);
    const emulator::Result result = kernel_.program->run(
        launch_for(kernel_.source.shape, problem), buffers_of(kernel_, matrices, workspace),
        arguments_of(kernel_.parameters, problem), options);
    Counts counts;
    for (const Finding& finding : result.findings) counts[place_of(finding)] += finding.count;
    return counts;
  }

  // How often the findings of these places are found at a problem.
  std::uint64_t times(const Problem& problem, const Counts& places) const {
    std::uint64_t result = 0;
    for (const auto& [place, count] : counts_at(problem)) {
      if (places.contains(place) && place.second == FindingKind::bounds) result += count;
    }
    return result;
  }

  // The smallest power of two whose multiples are whole steps.
  int step_along_k(const Counts& places) const {
    const Direction& k = directions_.back();
    int step = 2;
    while (step < k.tile && times(with(k, k.tile + step), places) > 0) step *= 2;
    return step;
  }

  const PreparedKernel& kernel_;
  const RunOptions& options_;
  std::vector<Direction> directions_;
  Problem whole_;
};

}  // namespace

void find_edges(std::vector<Finding>& findings, const PreparedKernel& kernel,
                const RunOptions& options) {
  const bool can_tell = kernel.program && kernel.source.shape.has_tile() && !kernel.second_pass &&
                        !kernel.source.shape.stream_k;
  if (!can_tell || std::ranges::none_of(findings, is_outside)) return;
  Counts places;
  const std::string edge = Edges(kernel, options).find(findings, places);
  for (Finding& finding : findings) {
    if (places.contains(place_of(finding))) finding.edge = edge;
  }
}

}  // namespace gemm_tutor
