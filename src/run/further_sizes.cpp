#include "run/further_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "run/cuda_run.hpp"
#include "run/prepared_kernel.hpp"
#include "run/recovered_values.hpp"
#include "run/remedies.hpp"
#include "run/run.hpp"
#include "source/kernel.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

bool has_role(const std::vector<Parameter>& parameters, Role role) {
  return std::ranges::any_of(parameters, [&](const Parameter& one) {
    return one.role == role || has_role(one.members, role) ||
           one.expression.find(name_of(role)) != one.expression.npos;
  });
}

// How many steps of K an array may hold as a tile with this many rows or columns of C: more than
// one number, because it may lie along either side, and have padding against bank conflicts at its
// end.
std::vector<std::int64_t> depths_of_array(const simt::ArrayShape& array, int side,
                                          int element_bytes) {
  constexpr std::int64_t most_padding = 16;
  std::vector<std::int64_t> extents = array.extents;
  if (extents.empty()) return {};
  extents.back() *= std::max(1, array.element_bytes / element_bytes);  // float4 has four
  std::vector<std::int64_t> depths;
  // With padding first: [16][24] has rather 16 steps and 8 more than 24.
  const auto add = [&](std::int64_t depth) {
    const auto whole = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(depth)));
    depths.push_back(whole);
    if (whole != depth) depths.push_back(depth);
  };
  if (extents.size() >= 2) {  // of stages, the last two are a tile
    const std::int64_t rows = extents[extents.size() - 2], columns = extents.back();
    if (rows == side) add(columns);
    if (columns >= side && columns <= side + most_padding) depths.push_back(rows);
  }
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents) elements *= extent;
  if (depths.empty() && elements % side == 0 && elements > 0) add(elements / side);
  return depths;
}

// The step along K, if the shared arrays are tiles of A and B; else a usual one.
int depth_of(const PreparedKernel& kernel) {
  constexpr int usual = 32, largest = 64;
  const LaunchShape& shape = kernel.source.shape;
  if (!shape.has_tile()) return usual;
  const Types& types = kernel.update.types;
  const auto depth_in = [&](const simt::ArrayShape& of_a, const simt::ArrayShape& of_b) {
    const auto depths = depths_of_array(of_a, shape.tile_rows, bytes_of(types.a));
    for (const auto depth : depths_of_array(of_b, shape.tile_columns, bytes_of(types.b))) {
      if (depth > 1 && depth <= largest && std::ranges::count(depths, depth))
        return static_cast<int>(depth);
    }
    return 0;
  };
  for (const simt::ArrayShape& of_a : kernel.arrays) {
    for (const simt::ArrayShape& of_b : kernel.arrays) {
      const int depth = &of_a == &of_b ? 0 : depth_in(of_a, of_b);
      if (depth > 0) return depth;
    }
  }
  for (const simt::ArrayShape& of_both : kernel.arrays) {
    if (const int depth = depth_in(of_both, of_both); depth > 0) return depth;
  }
  return usual;
}

// The result at a size, or why there is none.
struct Trial {
  Problem problem;
  std::string scales = {};  // " with alpha = 1.5", if they are not those of the run
  std::optional<KernelRun> result = std::nullopt;
  std::string error = {};
  bool is_explained = false;  // by what is said of the result

  bool is_right() const { return result && is_clean(*result); }
  bool has_findings() const { return result && !result->findings().empty(); }
  bool is_outside() const {
    return has_findings() && has_kind(result->findings(), simt::FindingKind::bounds);
  }
  // Elements that are not written are known, and so are all others.
  bool has_faults() const {
    return has_findings() && std::ranges::any_of(result->findings(), [](const simt::Finding& one) {
             return one.kind() != simt::FindingKind::unwritten;
           });
  }
};

Trial tried(PreparedKernel& kernel, const RunOptions& options) try {
  check_size(options.problem);
  set_problem(kernel, options.problem);
  return {options.problem, {}, run_cuda(kernel, options)};
} catch (const Error& error) {
  return {options.problem, {}, {}, error.what()};
}

// If alpha and beta have their names and the user gave none. Returns what it set.
std::string set_other_scales(PreparedKernel& kernel) {
  const auto is_named = [&](Role role) {
    const auto is_its_name = [&](const std::string& name) { return role_of_name(name) == role; };
    return std::ranges::any_of(kernel.signature.names, is_its_name) ||
           std::ranges::any_of(kernel.signature.members, [&](const auto& members) {
             return std::ranges::any_of(members, is_its_name, &source::Member::name);
           });
  };
  const bool has_numbers = std::ranges::any_of(kernel.source.arguments, [](const Argument& given) {
    return !given.number.empty() && given.role != Role::members;
  });
  if (has_numbers || kernel.source.c_before == InitialC::poison) return "";
  const auto is_used = [&](Role role) {
    return has_role(kernel.parameters, role) && is_named(role);
  };
  const std::vector<std::string> set =
      set_other_scales(kernel.source.scales, is_used, kernel.update.types.c);
  return set.empty() ? "" : " with " + join(set, " and ");
}

// What follows the size. One of the lines says the kind.
std::string reason(const Trial& trial, const std::optional<WrongKind>& of_all, bool says_kind) {
  if (!trial.result) return trial.error;
  const auto kind = trial.is_explained ? of_all : std::nullopt;
  if (trial.has_findings()) {
    const std::string text = short_message(main_finding(trial.result->findings()));
    return kind && says_kind ? in_sentence(kind->text) + "; " + text : text;
  }
  if (kind) return says_kind ? in_sentence(kind->text) : "likewise";
  const Verification& verification = trial.result->verification;
  return fmt::format("{} of {} elements are wrong", with_thousands(verification.wrong_elements),
                     with_thousands(verification.elements_checked));
}

// The one whose line says the kind, where the asked size is right: a result without findings, which
// say enough themselves, if there is one.
const Trial* telling_trial(const std::vector<Trial>& trials) {
  const Trial* found = nullptr;
  for (const Trial& trial : trials) {
    if (!trial.result || trial.is_right()) continue;
    if (!trial.has_findings() || (trial.is_explained && !trial.has_faults())) return &trial;
    if (!found) found = &trial;
  }
  return found;
}

bool is_complete(const KernelRun& result) { return result.wrong.computed && !result.is_stopped(); }

// The results of the run and of wanted trials, as far as they are complete.
struct Results {
  std::vector<ComputedC> all;
  std::vector<Trial*> of_trials;
};

Results results_of(const KernelRun& run, std::vector<Trial>& trials, const auto& is_wanted) {
  Results results{{*run.wrong.computed}, {}};
  for (Trial& trial : trials) {
    if (!trial.result || !is_complete(*trial.result) || !is_wanted(trial)) continue;
    results.all.push_back(*trial.result->wrong.computed);
    results.of_trials.push_back(&trial);
  }
  return results;
}

// What is wrong. What is outside of a matrix is only known on the emulator, and races may give any
// value, so results with findings that the asked size does not have may refute what is true of it;
// and so may parts of tiles at edges. Marks the sizes of which it is true. With `stored`, as if A
// or B were stored so.
std::optional<WrongKind> kind_of(const KernelRun& run, std::vector<Trial>& trials,
                                 const PreparedKernel& kernel, const SourceNumbers& numbers,
                                 const std::optional<Transposed>& stored = {}) {
  if (!is_complete(run)) return {};
  const auto is_whole = [&](const Trial& trial) {
    const LaunchShape& shape = kernel.source.shape;
    const int depth = depth_of(kernel);
    return shape.has_tile() && has_whole_tiles(shape, trial.problem) &&
           trial.problem.k % depth == 0;
  };
  std::vector<std::vector<Trial*>> tried;
  for (const bool may_have_edges : {true, false}) {
    for (const bool may_have_findings : {true, false}) {
      auto [results, of_results] = results_of(run, trials, [&](const Trial& trial) {
        return (may_have_findings || !trial.has_faults()) && (may_have_edges || is_whole(trial));
      });
      if (std::ranges::count(tried, of_results)) continue;
      tried.push_back(of_results);
      for (ComputedC& one : results)
        if (stored) one.transposed = *stored, one.is_right = false;
      auto kind = kind_of_wrong(results, numbers);
      if (!kind) continue;
      for (Trial* const trial : of_results) trial->is_explained = true;
      return kind;
    }
  }
  return {};
}

// What a result is if A or B is stored transposed, as the kernel may be meant for.
std::optional<WrongKind> kind_if_transposed(const KernelRun& run, std::vector<Trial>& trials,
                                            const PreparedKernel& kernel,
                                            const SourceNumbers& numbers) {
  if (kernel.source.transposed != Transposed{}) return {};
  for (const Transposed transposed : {Transposed{false, true}, Transposed{true, false}}) {
    auto kind = kind_of(run, trials, kernel, numbers, transposed);
    if (!kind) continue;
    const char* name = transposed.a ? "A" : "B";
    kind->text = fmt::format("If {} is stored transposed, {}", name, in_sentence(kind->text));
    return kind;
  }
  return {};
}

// A variable that nothing sets holds a NaN on the emulator. Tried is a 0 in its place, at each of
// the sizes at which the result is wrong.
std::optional<WrongKind> kind_of_unset(const std::vector<Trial>& trials, PreparedKernel& kernel,
                                       const RunOptions& options) {
  const auto is_nan = [](const ComputedElement& one) {
    return std::isnan(one.value) && !is_poison(one.value);
  };
  if (!kernel.program || !kernel.is_alone()) return {};
  bool is_cure = false;
  for (const Trial& trial : trials) {
    // At an edge that nothing guards, more is wrong than a variable.
    if (trial.is_right() || trial.is_outside()) continue;
    if (!trial.result || !trial.result->wrong.computed ||
        std::ranges::none_of(trial.result->wrong.computed->elements, is_nan))
      return {};
    set_problem(kernel, trial.problem);
    simt::Options with_zeros = emulator_options(kernel, options);
    with_zeros.trace.reset();
    with_zeros.unset = 0;
    Matrices matrices = make_matrices(trial.problem, options.seed, options.activity, kernel.update);
    is_cure = emulated_product(kernel, std::move(matrices), with_zeros).is_right;
    if (!is_cure) return {};
  }
  if (!is_cure) return {};
  return WrongKind{"unset",
                   "Nothing sets a variable before it is read: if it begins with 0, C is right"};
}

// True if a size is neither passed nor named.
bool is_for_squares(const PreparedKernel& kernel) {
  return std::ranges::any_of(std::array{Role::m, Role::n, Role::k}, [&](Role role) {
    const auto is_its_name = [&](const std::string& name) { return role_of_name(name) == role; };
    return !has_role(kernel.parameters, role) &&
           std::ranges::none_of(kernel.signature.names, is_its_name);
  });
}

// What the values of a small problem show, where no formula is known.
std::optional<WrongKind> kind_of_values(std::vector<Trial>& trials, PreparedKernel& kernel,
                                        RunOptions options, const SourceNumbers& numbers,
                                        bool is_asked_right) {
  if (!kernel.program || !kernel.is_alone()) return {};
  const LaunchShape& shape = kernel.source.shape;
  const auto [rows, columns] = tile_of_blocks(shape, 32);
  options.problem = problem_to_recover(rows, columns, depth_of(kernel));
  if (is_for_squares(kernel)) {
    const int side = rounded_up(128, std::max(rows, columns));
    options.problem = {side, side, side};
  }
  if (kernel.source.found.only_size) options.problem = *kernel.source.found.only_size;
  if (options.problem.multiply_adds() > most_to_recover) return {};
  options.blocks = AllBlocks{};
  Trial trial = tried(kernel, options);
  if (trial.is_right() && !is_asked_right) {  // as of blocks with one tile each
    options.problem = {rounded_up(256, rows), rounded_up(384, columns), 32};
    if (options.problem.multiply_adds() <= most_to_recover) trial = tried(kernel, options);
  }
  if (trial.is_right() && is_asked_right) {  // wrong at edges alone
    const auto wrong = std::ranges::find(trials, false, &Trial::is_right);
    if (wrong != trials.end()) trial = *wrong;
  }
  if (!trial.result || !is_complete(*trial.result) || trial.is_right() || trial.has_faults() ||
      trial.problem.multiply_adds() > most_to_recover)
    return {};
  auto kind = kind_from_values(*trial.result->wrong.computed, numbers);
  if (!kind) return {};
  // It is true of this size alone, and is said once.
  const auto first = std::ranges::find_if(
      trials, [](const Trial& one) { return !one.is_right() && !one.has_faults(); });
  const bool is_said = is_asked_right && first != trials.end();
  if (is_said) first->is_explained = true;
  if (!is_said || first->problem != trial.problem)
    kind->text = fmt::format("At {}, {}", short_text(trial.problem), in_sentence(kind->text));
  return kind;
}

// A barrier that leaves the kernel wrong is no advice: the cause may be an index or a buffer.
void try_barriers(KernelRun& run, const std::vector<Trial>& trials, const PreparedKernel& kernel,
                  RunOptions options) {
  const std::vector<int> lines = lines_for_barriers(run.findings());
  if (lines.empty()) return;
  const auto racing = std::ranges::find_if(trials, [](const Trial& trial) {
    return trial.has_findings() && has_kind(trial.result->findings(), simt::FindingKind::race);
  });
  options.problem = racing == trials.end() ? run.problem : racing->problem;
  KernelSource changed = kernel.source;
  changed.source = with_barriers(changed.source, lines);
  const bool is_of_file =
      in_its_file(kernel.source, kernel.name).file_name == kernel.source.file_name;
  try {
    if (is_of_file && is_clean(run_cuda(prepare(changed, options), options))) return;
  } catch (const Error&) {  // it does not compile there
  }
  for (simt::Finding& finding : run.emulation->findings) finding.barriers_after.clear();
}

}  // namespace

std::string short_text(const Problem& problem) {
  const auto& [m, n, k] = problem;
  return m == n && n == k ? std::to_string(m) : fmt::format("{}×{}×{}", m, n, k);
}

const simt::Finding& main_finding(const std::vector<simt::Finding>& findings) {
  const auto outside = std::ranges::find(findings, simt::FindingKind::bounds, &simt::Finding::kind);
  return outside == findings.end() ? findings.front() : *outside;
}

std::vector<Problem> sizes_to_try(const PreparedKernel& kernel) {
  if (kernel.source.found.only_size) return {};
  const LaunchShape& shape = kernel.source.shape;
  const auto [rows, columns] = tile_of_blocks(shape, 32);
  const int depth = depth_of(kernel);
  const int steps = 3 * depth >= 40 ? 3 : ceil_divide(40, depth) | 1;
  constexpr int edge_m = 97, edge_n = 130, edge_k = 65;
  if (is_for_squares(kernel)) {
    const int side = rounded_up(std::max(rows, columns), depth);
    const int whole = rounded_up(64, side), edge = std::max(edge_m, side + 1);
    return {{whole, whole, whole}, {edge, edge, edge}};
  }
  Problem whole{rounded_up(64, rows), rounded_up(96, columns), steps * depth};
  while (whole.n == whole.m || whole.n / columns == whole.m / rows) whole.n += columns;
  while (whole.k == whole.m || whole.k == whole.n) whole.k += 2 * depth;
  return {whole, {std::max(edge_m, rows + 1), std::max(edge_n, columns + 2), edge_k}};
}

void try_further_sizes(KernelRun& run, PreparedKernel& kernel, const RunOptions& options) {
  std::vector<Problem> sizes = *options.further;
  // What is endless once costs as much time at any size.
  const bool is_endless = has_kind(run.findings(), simt::FindingKind::endless);
  if (sizes.empty() && !is_endless) sizes = sizes_to_try(kernel);
  RunOptions of_trial = options;
  if (options.further->empty()) of_trial.blocks = AllBlocks{};
  of_trial.trace.reset();
  of_trial.only_result = true;
  std::vector<Trial> trials;
  for (const Problem& problem : sizes) {
    of_trial.problem = problem;
    trials.push_back(tried(kernel, of_trial));
  }
  if (options.further->empty() && !sizes.empty()) {
    const Scales scales = kernel.source.scales;
    if (const std::string text = set_other_scales(kernel); !text.empty()) {
      of_trial.problem = sizes.front();
      set_launch(kernel, kernel.source.shape, kernel.source.arguments, of_trial.problem);
      trials.push_back(tried(kernel, of_trial));
      trials.back().scales = text;
      kernel.source.scales = scales;
      set_launch(kernel, kernel.source.shape, kernel.source.arguments, of_trial.problem);
    }
  }
  const std::string& mistake = kernel.source.found.mistake;
  const SourceNumbers numbers = source_numbers(kernel.source.source, kernel.name);
  if (!mistake.empty()) run.wrong.kind = {kernel.source.found.kind_of_mistake, mistake};
  if (!run.wrong.kind) run.wrong.kind = kind_of(run, trials, kernel, numbers);
  for (Trial& trial : trials) trial.is_explained = trial.is_explained || !mistake.empty();
  if (!run.wrong.kind) run.wrong.kind = kind_of_unset(trials, kernel, of_trial);
  const bool is_wrong = !is_clean(run) || !std::ranges::all_of(trials, &Trial::is_right);
  if (!run.wrong.kind && is_wrong && !is_endless)
    run.wrong.kind = kind_of_values(trials, kernel, of_trial, numbers, run.verification.passed);
  if (!run.wrong.kind && !run.verification.passed && run.wrong.computed)
    run.wrong.kind = zeros_in(*run.wrong.computed, numbers);
  if (!run.wrong.kind && !run.verification.passed && !is_endless)
    run.wrong.kind = kind_if_transposed(run, trials, kernel, numbers);
  if (run.wrong.kind && kernel.source.found.is_column_major)
    run.wrong.kind->text = in_columns(run.wrong.kind->text);
  try_barriers(run, trials, kernel, of_trial);
  const Trial* const telling = run.verification.passed ? telling_trial(trials) : nullptr;
  for (const Trial& trial : trials) {
    const std::string size = short_text(trial.problem) + trial.scales;
    if (trial.is_right()) {
      run.further.push_back({trial.problem, true, "right at " + size});
      continue;
    }
    const LaunchShape& shape = kernel.source.shape;
    const bool has_edges = shape.has_tile() && !has_whole_tiles(shape, trial.problem);
    const bool whole_is_right = std::ranges::any_of(trials, [&](const Trial& other) {
      return other.is_right() && has_whole_tiles(shape, other.problem);
    });
    const std::string what = reason(trial, run.wrong.kind, &trial == telling);
    run.further.push_back({trial.problem, false,
                           has_edges && whole_is_right
                               ? fmt::format("whole tiles only: at {}{} {}", size,
                                             trial.has_findings() ? "" : ",", what)
                               : fmt::format("wrong at {}: {}", size, what)});
  }
}

}  // namespace gemm_tutor
