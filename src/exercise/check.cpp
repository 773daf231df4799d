#include "exercise/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <list>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>

#include "course/expression.hpp"
#include "exercise/correction.hpp"
#include "gemm/matrices.hpp"
#include "gpu/gpu.hpp"
#include "run/arguments.hpp"
#include "run/cuda_run.hpp"
#include "run/prepared_kernel.hpp"
#include "run/remedies.hpp"
#include "run/target.hpp"
#include "simt/compiler.hpp"
#include "source/definitions.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::array stage_names = {"compile", "result", "safety", "traffic"};
constexpr std::size_t most_lines = 3;  // that are named for a missed goal
// Instructions of a block's warps together. One thread that does all of a block's work needs nearly
// `most_of_block`; more would take long to find a loop without end. With another finding beside it
// fewer are enough, because each race of each lane takes time. Many tried changes make a loop
// endless.
constexpr std::int64_t most_of_block = 16'000'000, most_with_findings = 2'000'000,
                       most_of_trial = 1'000'000;

double multiply_adds(const simt::Counters& counters) {
  constexpr auto other = static_cast<std::size_t>(simt::InstructionKind::floating_point);
  return static_cast<double>(counters.ffma + 32 * counters.instructions[other]);
}

// All directives, and the code outside of the kernel.
std::vector<std::string_view> words_outside(const source::Function& kernel,
                                            const source::File& file) {
  std::vector<std::string_view> words;
  for (const source::Token& token : file.directive_tokens) words.push_back(token.text);
  for (const source::Token& token : file.code) {
    if (token.at < kernel.begin || token.at >= kernel.end) words.push_back(token.text);
  }
  return words;
}

// The multiply-adds, of threads, that a library did not do for which what is outside of the
// exercise's kernel stands: those in the kernel's lines. They are all of them unless everything
// outside of the kernel, and every directive, is as it was handed out; comments do not matter.
double multiply_adds_of_no_library(const Exercise& exercise, std::string_view source,
                                   const simt::Result& result) {
  const source::File file(source), handout(exercise.handout);
  const source::Function* kernel = file.find_kernel(exercise.kernel.function);
  const source::Function* handed_out = handout.find_kernel(exercise.kernel.function);
  const bool has_library =
      kernel && handed_out && words_outside(*kernel, file) == words_outside(*handed_out, handout);
  if (!has_library) return multiply_adds(result.total);
  double sum = 0;
  for (const simt::LineCounters& line : result.lines) {
    if (line.line >= kernel->first_line && line.line <= kernel->last_line)
      sum += multiply_adds(line.counters);
  }
  return sum;
}

// Thrown if the cause cannot be found reliably.
struct OutOfTrials {};

// A size that was run.
struct SizeRun {
  Matrices matrices;  // with the kernel's C
  simt::Result emulation;
};

class Check {
 public:
  Check(const Exercise& exercise, const std::string& source, const std::string& file_name,
        const CheckOptions& options)
      : exercise_(exercise),
        source_(source),
        options_(options),
        further_sizes_(further_sizes_of(exercise, options.seed)) {
    const LaunchShape shape = exercise.kernel.shape(exercise.kernel.settings);
    std::ranges::copy_if(further_sizes_, std::back_inserter(sizes_at_edges_), [&](const auto& one) {
      return in_whole_tiles(shape, one) != one && one.m >= shape.tile_rows &&
             one.n >= shape.tile_columns && one.k >= shape.tile_depth;
    });
    if (sizes_at_edges_.empty()) sizes_at_edges_ = further_sizes_;
    report_.exercise = &exercise;
    report_.file_name = file_name;
    report_.source = source;
    report_.untouched_gaps = untouched_gaps(exercise, source);
    RunOptions run_options;
    run_options.backend = options.backend;
    if (options.backend == Backend::emulator) run_options.gpu = default_gpu;  // for everybody alike
    target_ = choose_target(run_options);
  }

  CheckReport report() && {
    report_.failed = first_failure();
    if (report_.failed && report_.failed != Stage::compile) {
      find_cause();
      try_advice();
    }
    if (options_.estimate) estimate();
    if (exercise_.terms.kind == ExerciseKind::bug) {
      // Where a barrier would help is for the learner to find.
      for (simt::Finding& finding : report_.findings) finding.barriers_after.clear();
    }
    return std::move(report_);
  }

  // What a trial needs to know of the file that it changes.
  struct Tried {
    std::optional<Stage> failed;
    std::optional<Problem> wrong_at;  // a size with a wrong result
    std::uint64_t barriers = 0;       // at the exercise's sizes
    std::function<std::uint64_t()> barriers_of_right;
  };

  // Returns the stage that fails, without a diagnosis. What failed before comes first.
  std::optional<Stage> failure(const Tried& before) {
    is_trial_ = true;
    if (before.wrong_at) {
      if (!compile({{instance_for(*before.wrong_at), *before.wrong_at}})) return Stage::compile;
      if (!run_size(*before.wrong_at)) return Stage::result;
    } else if (before.failed == Stage::traffic) {
      std::map<std::string, Problem> named;
      for (const Goal& goal : exercise_.terms.goals)
        named.emplace(instance_for(goal.problem), goal.problem);
      if (!compile(named)) return Stage::compile;
      if (!count_goals()) return Stage::traffic;
      report_.goals.clear();
    }
    const std::optional<Stage> failed = first_failure();
    if (failed.value_or(Stage::traffic) != Stage::traffic) return failed;
    // More barriers than the reference has may hide a race, and are not its cure.
    const bool has_more_barriers =
        barriers() > before.barriers && barriers() > before.barriers_of_right();
    return has_more_barriers ? Stage::result : failed;
  }

  // Of the file that is checked, here the solution.
  Values counts_of_essentials() {
    const std::vector<Goal>& goals = exercise_.terms.essentials;
    if (!compile(instances())) throw std::logic_error("a solution does not compile");
    for (const Problem& size : sizes_at_edges_) count_at_edges(size);
    Values values;
    for (const auto& [prefix, counts] :
         {std::pair(solution_prefix, values_judged(run_at(goals.front().problem))),
          std::pair(solution_at_edges_prefix, counted_at_edges_)}) {
      for (const auto& [counted, value] : counts) {
        const std::string name = std::string(prefix) + counted;
        const auto needs = [&](const Goal& goal) { return goal.limit.find(name) != name.npos; };
        if (std::ranges::any_of(goals, needs)) values.emplace(name, value);
      }
    }
    return values;
  }

  // Of the file that is checked, here the handout.
  Values counts_of_goals() {
    is_trial_ = true;
    Values values;
    if (first_failure() != Stage::traffic) return values;
    for (std::size_t i = 0; i < report_.goals.size(); ++i) {
      if (const auto counted = report_.goals[i].counted)
        values.emplace(fmt::format("{}{}", handout_prefix, i), *counted);
    }
    return values;
  }

  // About how many seconds of one core a trial takes, counted in what it compiles and executes: a
  // cause must not depend on the machine's speed.
  double work() const {
    constexpr double of_any = 0.15, bytes_a_second = 400e3, warp_instructions_a_second = 10e6,
                     faults_a_second = 4e6;
    double bytes = 0, faults = 0;
    for (const auto& [name, kernel] : kernels_)
      bytes += static_cast<double>(kernel.compiled.ptx.size());
    for (const simt::Finding& finding : report_.findings)
      faults += static_cast<double>(finding.count);
    return of_any + bytes / bytes_a_second + faults / faults_a_second +
           static_cast<double>(report_.warp_instructions) / warp_instructions_a_second;
  }

 private:
  std::optional<Stage> first_failure() {
    if (!compile(instances())) return Stage::compile;
    if (!run_sizes()) return Stage::result;
    if (!report_.findings.empty()) return Stage::safety;
    if (target_.on_gpu && !run_on_gpu()) return Stage::result;
    if (!count_goals()) return Stage::traffic;
    return {};
  }

  // The handout fails, and finding the cause is the exercise.
  void find_cause() {
    if (is_as_handed_out(exercise_, source_)) return;
    find_cause_by_trial();
    // With a race, the values depend on the order of execution.
    const bool are_values_telling =
        report_.diagnosis && report_.findings.empty() && report_.untouched_gaps.empty();
    if (!are_values_telling) return;
    const std::string& values = report_.diagnosis->values;
    if (report_.cause.empty()) report_.cause = values;
    if (!report_.place.empty() && !values.empty()) report_.place += ' ';
    report_.place += values;
  }

  // Finds the changes that make the file right. For a kernel to make faster, a right result is
  // enough if it needs fewer changes.
  void find_cause_by_trial() {
    const bool is_wrong_on_gpu_alone = !report_.gpu.empty() && report_.failed == Stage::result;
    if (is_wrong_on_gpu_alone) return;
    const CheckOptions options = options_of_trial();
    std::optional<std::uint64_t> of_right;
    const Tried before{report_.failed, wrong_soonest(), barriers(), [&] {
                         if (!of_right) of_right = barriers_of_right();
                         return *of_right;
                       }};
    constexpr double most_work = 5;
    int trials = options_.most_trials;
    double work = 0;
    const auto failure_of = [&](const std::string& source) {
      if (trials-- == 0 || work > most_work) throw OutOfTrials();
      Check trial(exercise_, source, report_.file_name, options);
      const std::optional<Stage> failed = trial.failure(before);
      work += trial.work();
      return failed;
    };
    const auto correction = [&](const std::string& right,
                                const auto& is_enough) -> std::optional<Correction> {
      const RightFile reference{right, is_enough};
      const bool has_race = simt::has_kind(report_.findings, simt::FindingKind::race);
      try {
        return find_correction(exercise_, source_, has_race, reference);
      } catch (const OutOfTrials&) {
        return {};
      }
    };
    std::optional<Correction> to_right;
    if (exercise_.terms.kind == ExerciseKind::faster && report_.failed != Stage::traffic) {
      to_right = correction(exercise_.handout, [&](const std::string& source) {
        return failure_of(source).value_or(Stage::traffic) == Stage::traffic;
      });
    }
    const auto to_solved = correction(
        exercise_.solution, [&](const std::string& source) { return !failure_of(source); });
    const bool is_right_nearer =
        to_right && (!to_solved || to_right->changes.size() < to_solved->changes.size());
    if (!is_right_nearer && !to_solved) return;
    const Correction& nearer = is_right_nearer ? *to_right : *to_solved;
    report_.cause =
        text_of(nearer, is_right_nearer ? "the result is right" : "the kernel solves the exercise");
    report_.place = place_of(nearer);
  }

  // A barrier that leaves the kernel wrong is no advice: the cause may be an index or a buffer.
  void try_advice() {
    const std::vector<int> lines = lines_for_barriers(report_.findings);
    if (lines.empty() || !report_.untouched_gaps.empty()) return;
    const bool is_cure = report_.cause.empty()
                             ? is_right_with_barriers(lines)
                             : report_.cause.find("__syncthreads") != std::string::npos;
    if (is_cure) return;
    for (simt::Finding& finding : report_.findings) finding.barriers_after.clear();
  }

  bool is_right_with_barriers(const std::vector<int>& lines) const {
    const CheckOptions options = options_of_trial();
    const std::string source = with_barriers(source_, lines);
    Check with(exercise_, source, report_.file_name, options);
    with.is_trial_ = true;
    return with.first_failure().value_or(Stage::traffic) == Stage::traffic;
  }

  CheckOptions options_of_trial() const {
    CheckOptions options;
    options.seed = options_.seed;
    options.threads = options_.threads;
    options.activity = options_.activity;
    return options;
  }

  std::size_t bytes_for(const Problem& problem) const {
    const auto kernel = kernels_.find(instance_for(problem));
    return kernel == kernels_.end() ? 0 : kernel->second.compiled.ptx.size();
  }

  std::uint64_t barriers() const {
    std::uint64_t sum = 0;
    for (const SizeRun& run : runs_) {
      if (std::ranges::count(exercise_.terms.sizes, run.matrices.problem) > 0)
        sum += run.emulation.total.barriers;
    }
    return sum;
  }

  std::uint64_t barriers_of_right() const {
    const CheckOptions options = options_of_trial();
    Check right(exercise_, exercise_.solution, exercise_.file_name, options);
    right.is_trial_ = true;
    if (!right.compile(right.instances())) return 0;
    right.run_sizes();
    return right.barriers();
  }

  // Where it is found soonest that a change is not enough.
  std::optional<Problem> wrong_soonest() const {
    std::optional<Problem> result;
    for (const SizeCheck& size : report_.sizes) {
      const auto work = [&](const Problem& of) { return std::pair(bytes_for(of), of.flops()); };
      if (!size.verification.passed && (!result || work(size.problem) < work(*result)))
        result = size.problem;
    }
    return result;
  }

  // --- Compiling: once for each instance of the template that the sizes need.

  KernelSource kernel_source_for(const Problem& problem) const {
    KernelSource kernel = exercise_source(exercise_, source_, report_.file_name, problem);
    kernel.for_gpu = target_.on_gpu;
    kernel.is_cached = options_.keeps_kernels;
    return kernel;
  }

  std::string instance_for(const Problem& problem) const {
    return exercise_.kernel.name_expression(exercise_.kernel.settings, problem);
  }

  std::vector<Problem> all_sizes() const {
    std::vector<Problem> all = exercise_.terms.sizes;
    all.insert(all.end(), further_sizes_.begin(), further_sizes_.end());
    for (const Goal& goal : exercise_.terms.goals) all.push_back(goal.problem);
    return all;
  }

  // One problem for each instance, by its name.
  std::map<std::string, Problem> instances() const {
    std::map<std::string, Problem> result;
    for (const Problem& problem : all_sizes()) result.emplace(instance_for(problem), problem);
    return result;
  }

  // Replaces help texts for users' kernels. Name, arguments and launch are options of 'run', but
  // here they are the exercise's.
  std::string leave_name() const {
    const bool is_template = instance_for(exercise_.terms.sizes.front()).ends_with('>');
    return fmt::format("Leave the kernel's name{} as {} handed out.",
                       is_template ? " and its template's parameters" : "",
                       is_template ? "they were" : "it was");
  }

  std::string launch_of_exercise() const {
    const simt::Dim3 block = exercise_.kernel.shape(exercise_.kernel.settings).block;
    return fmt::format(
        "The exercise launches it with {} threads per block, and shared memory that it declares "
        "with "
        "its size: write it for that launch.",
        with_thousands(static_cast<std::int64_t>(block.count())));
  }

  void refuse(const std::string& error, const std::string& help) {
    report_.compile_error = error;
    report_.compile_help = help;
  }

  void add_warnings(const std::vector<simt::CompilerWarning>& warnings) {
    for (const simt::CompilerWarning& warning : warnings) {
      if (std::ranges::count(report_.warnings, warning) == 0) report_.warnings.push_back(warning);
    }
  }

  // Such as double where the solution has float.
  bool has_other_types(const PreparedKernel& kernel) const {
    const source::File file(exercise_.solution);
    const source::Function* const solved = file.find_kernel(kernel.name);
    const std::vector<std::string>& types = kernel.signature.types;
    for (std::size_t i = 0; solved && i < std::min(types.size(), solved->parameters.size()); ++i) {
      const std::optional<Scalar> element = pointed_scalar(types[i]);
      bool is_unsigned = false;
      for (const source::Token& token : solved->parameters[i].tokens) {
        const auto named =
            pointed_scalar((is_unsigned ? "unsigned " : "") + std::string(token.text) + "*");
        if (element && named && named != element) return true;
        is_unsigned = token.text == "unsigned";
      }
    }
    return false;
  }

  bool compile(std::map<std::string, Problem> named) {
    simt::require_compiler();  // anything else unavailable is the kernel's own: an instruction, for
                               // example
    std::erase_if(named, [&](const auto& instance) { return kernels_.contains(instance.first); });
    const std::vector<std::pair<std::string, Problem>> wanted(named.begin(), named.end());
    std::vector<std::optional<PreparedKernel>> prepared(wanted.size());
    try {
      const int threads = options_.threads > 0 ? options_.threads : core_count();
      parallel_for(std::ssize(wanted), threads, [&](std::int64_t i, int) {
        const Problem& problem = wanted[i].second;
        prepared[i] = prepare(kernel_source_for(problem), problem, target_.gpu, options_.activity);
      });
      for (const Problem& problem : all_sizes()) {  // the grids of some may be refused
        const auto found = std::ranges::find(wanted, instance_for(problem),
                                             &std::pair<std::string, Problem>::first);
        if (found != wanted.end()) set_problem(*prepared[found - wanted.begin()], problem);
      }
    } catch (const simt::NoSuchKernel&) {
      if (source_.find_first_not_of(" \t\r\n") == source_.npos) {
        refuse("the file is empty", fmt::format("'gemm-tutor exercise start {} --force' writes it "
                                                "as it was handed out.",
                                                short_name(exercise_)));
      } else {
        refuse("the file has no kernel " + wanted.front().first, leave_name());
      }
    } catch (const WrongParameters& error) {
      refuse(error.what(), "Leave the kernel's parameters as they were handed out.");
    } catch (const WrongLaunch& error) {
      refuse(error.what(), launch_of_exercise());
    } catch (const simt::NoCompiler&) {
      throw;  // which says nothing of the file
    } catch (const Error& error) {
      refuse(error.what(), error.help());
    }
    if (report_.compile_error.empty() && !wanted.empty() && has_other_types(*prepared.front())) {
      refuse(fmt::format("{} takes matrices of other types than those of the exercise",
                         prepared.front()->name),
             "Leave the kernel's parameters as they were handed out.");
    }
    if (!report_.compile_error.empty()) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      add_warnings(prepared[i]->compiled.warnings);
      kernels_.emplace(wanted[i].first, std::move(*prepared[i]));
    }
    return true;
  }

  // The kernel, to be launched for `problem`.
  PreparedKernel& kernel_for(const Problem& problem) {
    PreparedKernel& kernel = kernels_.at(instance_for(problem));
    set_problem(kernel, problem);
    return kernel;
  }

  // --- Running

  Matrices matrices_for(const PreparedKernel& kernel, const Problem& problem) const {
    return make_matrices(problem, options_.seed, options_.activity, kernel.update);
  }

  SizeRun emulated(const Problem& problem) {
    const PreparedKernel& kernel = kernel_for(problem);
    const std::int64_t warps = (kernel.launch.block.count() + 31) / 32;
    const auto run_with = [&](std::int64_t most) {
      SizeRun run{matrices_for(kernel, problem), {}};
      simt::Options options;
      options.threads = options_.threads;
      options.max_instructions = std::min(most_instructions(kernel, problem), most / warps);
      limit_ = std::max(limit_, options.max_instructions);
      options.activity = options_.activity;
      run.emulation = emulate(kernel, run.matrices, options);
      report_.warp_instructions += run.emulation.total.warp_instructions();
      return run;
    };
    if (is_trial_) return run_with(most_of_trial);
    SizeRun run = run_with(most_with_findings);
    const std::vector<simt::Finding>& findings = run.emulation.findings;
    const bool may_be_slow =
        !findings.empty() && std::ranges::count(findings, simt::FindingKind::endless,
                                                &simt::Finding::kind) == std::ssize(findings);
    return may_be_slow ? run_with(most_of_block) : std::move(run);
  }

  Scaling scaling_of(const Matrices& m) {
    return gemm_tutor::scaling_of(kernel_for(m.problem).update, m.c_before);
  }

  Verification verified(const Matrices& m) {
    const RowMajorOperands operands(m, exercise_.kernel.transposed);
    return verify(m.problem, operands.a(), operands.b(), m.c, {}, {}, options_.activity,
                  scaling_of(m));
  }

  // The end of runs_ if that size was not run.
  std::vector<SizeRun>::const_iterator run_of(const Problem& problem) const {
    return std::ranges::find_if(
        runs_, [&](const SizeRun& run) { return run.matrices.problem == problem; });
  }

  // Of the first wrong product, with those at the other sizes.
  void diagnose_wrong() {
    std::list<RowMajorOperands> operands;
    std::vector<WrongProduct> products;
    for (const SizeCheck& size : report_.sizes) {
      const auto run = run_of(size.problem);
      if (run == runs_.end() || (products.empty() && size.verification.passed)) continue;
      const Matrices& m = run->matrices;
      const RowMajorOperands& of = operands.emplace_back(m, exercise_.kernel.transposed);
      products.push_back(
          {m.problem, exercise_.kernel.shape(exercise_.kernel.settings), of.a(), of.b(), m.c});
      products.back().scaling = scaling_of(m);
      products.back().is_usual = m.c_before.empty() && exercise_.kernel.transposed == Transposed();
    }
    if (products.empty()) return;
    report_.diagnosis =
        diagnose(products.front(), options_.activity, std::span(products).subspan(1));
  }

  // Of the block whose tile has the element.
  std::optional<ThreadOfGrid> thread_that_stored(const WrongElement& element,
                                                 const Problem& problem) {
    constexpr std::size_t c = 2;  // index in the launch's buffers A, B and C
    const PreparedKernel& kernel = kernel_for(problem);
    const LaunchShape& shape = kernel.source.shape;
    const auto down = static_cast<std::uint32_t>(element.row / shape.tile_rows);
    const auto across = static_cast<std::uint32_t>(element.column / shape.tile_columns);
    const simt::Dim3 block =
        shape.grid_x_along_rows ? simt::Dim3{down, across, 0} : simt::Dim3{across, down, 0};
    const simt::Dim3 grid = kernel.launch.grid;
    if (block.x >= grid.x || block.y >= grid.y) return {};
    simt::Options options;
    options.threads = 1;
    options.check = false;
    options.max_instructions = limit_;
    options.trace = block;
    options.only_traced = true;
    options.activity = options_.activity;
    Matrices matrices = matrices_for(kernel, problem);
    const simt::Result result = emulate(kernel, matrices, options);
    const auto at = 4 * (static_cast<std::uint64_t>(element.row) * problem.n + element.column);
    std::optional<ThreadOfGrid> found;
    if (!result.recording) return found;
    for (const simt::Access& access : result.recording->accesses) {
      if (!access.store || access.buffer != c) continue;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const bool stores = (access.active >> lane & 1U) && access.offsets[lane] <= at &&
                            at < access.offsets[lane] + static_cast<std::uint64_t>(access.bytes);
        if (stores) found = {block, place_in(kernel.launch.block, 32 * access.warp + lane)};
      }
    }
    return found;
  }

  void add_findings(const simt::Result& emulation) {
    for (const simt::Finding& finding : emulation.findings) {
      const auto is_same = [&](const simt::Finding& other) {
        return other.kind() == finding.kind() && other.line == finding.line;
      };
      if (std::ranges::none_of(report_.findings, is_same)) report_.findings.push_back(finding);
    }
  }

  // Whether the further sizes are to be run.
  bool run_size(const Problem& problem) {
    const auto is_same = [&](const SizeCheck& size) { return size.problem == problem; };
    if (std::ranges::any_of(report_.sizes, is_same)) return true;
    SizeRun run = emulated(problem);
    const Verification verification = verified(run.matrices);
    report_.sizes.push_back({problem, verification});
    add_findings(run.emulation);
    if (is_trial_ && !(verification.passed && report_.findings.empty())) return false;
    const bool goes_on = !run.emulation.stopped;  // else endless, probably also at other sizes
    runs_.emplace_back(std::move(run));
    return goes_on;
  }

  bool are_right() const {
    return std::ranges::all_of(report_.sizes,
                               [](const SizeCheck& size) { return size.verification.passed; });
  }

  bool run_sizes() {
    for (const Problem& problem : exercise_.terms.sizes) {
      if (!run_size(problem)) break;
    }
    if (are_right() && report_.findings.empty()) run_further_sizes();
    if (are_right()) return true;
    if (is_trial_) return false;
    diagnose_wrong();
    // The thread of a kernel without an end would take as long once more.
    if (report_.diagnosis && !simt::has_kind(report_.findings, simt::FindingKind::endless))
      report_.wrong_by = thread_that_stored(report_.diagnosis->first, report_.diagnosis->problem);
    return false;
  }

  // Only one at which something is wrong is reported. What is counted must be right, too.
  void run_further_sizes() {
    const auto is_right = [&](const Problem& problem) {
      const std::size_t sizes = report_.sizes.size();
      run_size(problem);
      if (!are_right() || !report_.findings.empty()) return false;
      report_.sizes.resize(sizes);
      return true;
    };
    for (const Problem& problem : further_sizes_) {
      const std::uint64_t executed = report_.warp_instructions;
      const std::size_t runs = runs_.size();
      if (!is_right(problem)) return;
      if (!is_trial_ && std::ranges::count(sizes_at_edges_, problem) > 0) count_at_edges(problem);
      runs_.erase(runs_.begin() + runs, runs_.end());
      report_.warp_instructions = executed;
    }
    for (const Goal& goal : exercise_.terms.goals) {
      if (run_of(goal.problem) == runs_.end() && !is_right(goal.problem)) return;
    }
  }

  bool run_on_gpu() {
    report_.gpu = target_.gpu.full_name;
    for (std::size_t i = 0; i < report_.sizes.size(); ++i) {
      Matrices& matrices = runs_[i].matrices;
      const PreparedKernel& kernel = kernel_for(matrices.problem);
      gpu::Session session(matrices.problem, matrices.a, matrices.b, matrices.types);
      matrices.c = session.run(on_device(kernel), matrices.c_before);
      report_.sizes[i].verification = verified(matrices);
    }
    if (!are_right()) diagnose_wrong();
    return are_right();
  }

  void estimate() {
    const bool is_too_slow =
        exercise_.terms.kind >= ExerciseKind::faster && report_.failed == Stage::traffic;
    if (report_.solved() || is_too_slow) report_.timed = timed(source_);
    if (report_.solved()) report_.reference = timed(exercise_.solution);
  }

  // A larger size, because the sizes of the goals do not fill a GPU.
  KernelRun timed(const std::string& source) const {
    RunOptions options;
    options.problem = exercise_.terms.timed_at;
    options.backend = Backend::emulator;
    options.gpu = default_gpu;
    options.check = false;  // nothing was found
    options.one_of_many = true;
    options.activity = options_.activity;
    const KernelSource kernel =
        exercise_source(exercise_, source, report_.file_name, options.problem);
    return run_cuda(prepare(kernel, options), options);
  }

  // --- Goals

  const simt::Result& emulation_of(const Problem& problem) {
    const auto found = run_of(problem);
    if (found != runs_.end()) return found->emulation;
    return runs_.emplace_back(emulated(problem)).emulation;
  }

  // Of the lines that count something of it, those with the most.
  std::vector<LineShare> largest_shares(const Expression& count, const KernelRun& run,
                                        double total) const {
    constexpr double misleading = 100;  // a ratio with a tiny denominator in this line
    const Values before = values_before_run(run.problem);
    std::vector<LineShare> shares;
    for (const simt::LineCounters& line : run.emulation->lines) {
      try {
        const double counted = count.value(values_counted_in(line.line, before, run));
        if (counted > 0 && counted < misleading * total) shares.push_back({line.line, counted});
      } catch (const Error&) {
        // The line's denominator is 0, or what is counted belongs to no line.
      }
    }
    std::ranges::stable_sort(shares, std::ranges::greater(), &LineShare::counted);
    shares.resize(std::min(shares.size(), most_lines));
    return shares;
  }

  Values values_before_run(const Problem& problem) const {
    return values_before(exercise_.kernel, exercise_.kernel.settings, problem);
  }

  KernelRun run_at(const Problem& problem) {
    KernelRun run;
    run.problem = problem;
    run.emulation = emulation_of(problem);
    const PreparedKernel& kernel = kernel_for(problem);
    run.update = kernel.update;
    const simt::KernelResources& resources = kernel.compiled.resources;
    run.launch =
        KernelLaunch{kernel.launch, "", resources, occupancy(kernel.gpu, resources, kernel.launch)};
    run.compiler = kernel.compiled.compiler;
    return run;
  }

  // What a goal counts of a run. Shuffles and atomic operations pass through the same pipe as loads
  // from shared memory, so none of them is a way around a limit of those. Nor is a barrier in
  // shared memory one around a limit of barriers, or an asynchronous copy one around bank conflicts
  // of stores.
  Values values_judged(const KernelRun& run) const {
    Values values = values_counted(values_before_run(run.problem), run);
    if (exercise_.terms.has_library) {
      values[std::string(multiply_adds_outside_library)] =
          multiply_adds_of_no_library(exercise_, source_, *run.emulation);
    }
    const double others = values.at("exchange_instructions") + values.at("atomic_requests");
    values["shared_load_requests"] += others;
    values["shared_load_wavefronts"] += others;
    values["shared_load_bytes"] += others * 32 * sizeof(float);
    values["barriers"] += static_cast<double>(run.emulation->total.arrivals);
    values["shared_store_conflicts"] += static_cast<double>(run.emulation->copy_conflicts);
    return values;
  }

  void count_at_edges(const Problem& size) {
    for (const auto& [name, value] : values_judged(run_at(size))) counted_at_edges_[name] += value;
  }

  // How much more there is to multiply at those sizes if all tiles are whole.
  double rounding_of_edges() const {
    const LaunchShape shape = exercise_.kernel.shape(exercise_.kernel.settings);
    double rounded = 0, products = 0;
    for (const Problem& size : sizes_at_edges_) {
      rounded += in_whole_tiles(shape, size).multiply_adds();
      products += size.multiply_adds();
    }
    return rounded / products;
  }

  // `run` is at the problem of the goal, or of those without edges.
  GoalCheck checked(const Goal& goal, const KernelRun& run, const Values& of_solution = {}) const {
    const Expression limit = Expression::parse(goal.limit), count = Expression::parse(goal.count);
    Values before = values_before_run(run.problem);
    before.insert(of_solution.begin(), of_solution.end());
    if (goal.at_edges) before.emplace(rounding_at_edges, rounding_of_edges());
    GoalCheck result;
    result.goal = &goal;
    result.expected = limit.value(before);
    result.arithmetic = goal.is_essential() ? goal.origin : arithmetic_text(goal.limit, before);
    try {
      // A kernel without requests has 0 sectors per request.
      result.counted = count.value(goal.at_edges ? counted_at_edges_ : values_judged(run),
                                   Expression::NothingOfNothing::zero);
    } catch (const DivisionByZero& error) {
      result.not_counted = fmt::format("{} is 0", error.divisor);
      return result;
    } catch (const NoValue& error) {
      const std::string why = why_not_counted(error.name, run.compiler);
      result.is_judged = why.empty();
      result.not_counted = why.empty() ? error.what() : why;
      return result;
    } catch (const Error& error) {
      result.not_counted = error.what();
      return result;
    }
    const bool is_less = *result.counted < result.expected;
    result.met = nearly_equal(*result.counted, result.expected) ||
                 (goal.bound == Goal::Bound::at_most && is_less) ||
                 (goal.bound == Goal::Bound::at_least && !is_less);
    // Of which lines have a share.
    const bool is_too_much = goal.bound != Goal::Bound::at_least && !goal.at_edges;
    if (!result.met && is_too_much) result.lines = largest_shares(count, run, *result.counted);
    return result;
  }

  bool count_goals() {
    bool is_missed = false;
    for (const Goal& goal : exercise_.terms.goals) {
      GoalCheck check = checked(goal, run_at(goal.problem));
      // A kernel without shared memory has no bank conflicts, and has not climbed to that rung.
      check.waits = exercise_.terms.is_ladder && is_missed && check.met;
      if (check.waits) check.met = false;
      is_missed |= check.missed();
      report_.goals.push_back(std::move(check));
    }
    if (is_missed && !is_trial_ && options_.counts_ways) note_ways();
    return add_missed_essentials() && !is_missed;
  }

  // Of a kernel that is on its way from the handout to the goals.
  void note_ways() {
    const Values of_handout = options_.counts.empty()
                                  ? counts_of_handout(exercise_, options_of_trial())
                                  : options_.counts;
    for (std::size_t i = 0; i < report_.goals.size(); ++i) {
      GoalCheck& goal = report_.goals[i];
      const auto from = of_handout.find(fmt::format("{}{}", handout_prefix, i));
      if (from == of_handout.end() || !goal.missed() || !goal.counted) continue;
      const double all = goal.expected - from->second, way = *goal.counted - from->second;
      // Only on this side of the limit.
      if (way / all >= 0.5 && way / all < 1) goal.way = way / all;
    }
  }

  // Returns whether there are none. Of a trial only the goals matter, because it goes towards the
  // solution.
  bool add_missed_essentials() {
    const bool is_needless = exercise_.terms.essentials.empty() || source_ == exercise_.solution;
    if (is_trial_ || is_needless) return true;
    const Values of_solution = options_.counts.empty()
                                   ? counts_of_solution(exercise_, options_of_trial())
                                   : options_.counts;
    const KernelRun run = run_at(exercise_.terms.essentials.front().problem);
    std::vector<GoalCheck> missed;
    for (const Goal& goal : exercise_.terms.essentials) {
      GoalCheck check = checked(goal, run, of_solution);
      if (check.missed()) missed.push_back(std::move(check));
    }
    report_.goals.insert(report_.goals.begin(), missed.begin(), missed.end());
    return missed.empty();
  }

  const Exercise& exercise_;
  const std::string& source_;
  const CheckOptions& options_;
  std::vector<Problem> further_sizes_;
  // The further sizes that tiles do not divide and that are at least one tile along M, N and K. If
  // there are none, all further sizes.
  std::vector<Problem> sizes_at_edges_;
  Values counted_at_edges_;  // summed over these sizes
  Target target_;
  std::map<std::string, PreparedKernel> kernels_;  // by their names
  std::vector<SizeRun> runs_;
  bool is_trial_ = false;   // to know whether a change solves the exercise
  std::int64_t limit_ = 0;  // the most instructions that a warp of any size was allowed
  CheckReport report_;
};

}  // namespace

std::vector<Problem> further_sizes_of(const Exercise& exercise, std::uint64_t seed) {
  const LaunchShape shape = exercise.kernel.shape(exercise.kernel.settings);
  const int m = shape.tile_rows, n = shape.tile_columns, k = std::max(shape.tile_depth, 8);
  std::vector<Problem> sizes = {{8, 4, 12}, {2 * m, 2 * n, 2 * k}};
  std::array<std::array<int, 7>, 3> remainders;
  std::mt19937_64 random(seed);
  for (std::array<int, 7>& of_extent : remainders) {
    std::iota(of_extent.begin(), of_extent.end(), 1);
    for (std::size_t i = of_extent.size(); i > 1; --i)
      std::swap(of_extent[i - 1], of_extent[random() % i]);  // std::shuffle may differ elsewhere
  }
  // In tiles. The first three are smaller than one.
  constexpr std::array<std::array<int, 3>, 7> tiles = {
      {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 2, 3}, {2, 1, 2}, {2, 3, 1}, {1, 1, 2}}};
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const auto extent = [&](std::size_t axis, int tile) {
      return tiles[i][axis] * tile / 8 * 8 + remainders[axis][i];
    };
    sizes.push_back({extent(0, m), extent(1, n), extent(2, k)});
  }
  double most = 0;
  for (const Problem& own : exercise.terms.sizes) most = std::max(most, 4 * own.multiply_adds());
  std::erase_if(sizes, [&](const Problem& one) { return one.multiply_adds() > most; });
  return sizes;
}

std::string_view name_of(Stage stage) { return stage_names.at(static_cast<std::size_t>(stage)); }

Values counts_of_solution(const Exercise& exercise, const CheckOptions& options) {
  return Check(exercise, exercise.solution, exercise.file_name, options).counts_of_essentials();
}

Values counts_of_handout(const Exercise& exercise, const CheckOptions& options) {
  return Check(exercise, exercise.handout, exercise.file_name, options).counts_of_goals();
}

CheckReport check_exercise(const Exercise& exercise, const std::string& source,
                           const std::string& file_name, const CheckOptions& options) {
  return Check(exercise, source, file_name, options).report();
}

}  // namespace gemm_tutor
