#include "exercise/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "compile/compiler.hpp"
#include "course/expression.hpp"
#include "gemm/matrices.hpp"
#include "gpu/gpu.hpp"
#include "run/arguments.hpp"
#include "run/prepared_kernel.hpp"
#include "run/target.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::array stage_names = {"compile", "result", "safety", "traffic"};
constexpr std::uint64_t check_seed = 1;  // the same matrices for everybody
constexpr std::size_t most_lines = 3;    // that are named for a missed goal

// Out of bounds, or two threads at one element of C.
bool may_come_of_indices(const emulator::Finding& finding) {
  return finding.kind() == emulator::FindingKind::bounds ||
         finding.fault == emulator::Fault::written_twice;
}

// A size that was run.
struct SizeRun {
  Matrices matrices;  // with the kernel's C
  emulator::Result emulation;
};

class Check {
 public:
  Check(const Exercise& exercise, const std::string& source, const std::string& file_name,
        const CheckOptions& options)
      : exercise_(exercise), source_(source), options_(options) {
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
    if (!compile()) return fail(Stage::compile);
    if (!run_sizes()) return fail(Stage::result);
    if (!report_.findings.empty()) return fail(Stage::safety);
    if (target_.on_gpu && !run_on_gpu()) return fail(Stage::result);
    if (!count_goals()) return fail(Stage::traffic);
    return std::move(report_);
  }

 private:
  CheckReport fail(Stage stage) {
    report_.failed = stage;
    return std::move(report_);
  }

  // --- Compiling: once for each instance of the template that the sizes need.

  KernelSource kernel_source_for(const Problem& problem) const {
    KernelSource kernel = exercise_source(exercise_, source_, report_.file_name, problem);
    kernel.for_gpu = target_.on_gpu;
    return kernel;
  }

  std::string instance_for(const Problem& problem) const {
    return exercise_.kernel.name_expression(exercise_.kernel.settings, problem);
  }

  // One problem for each instance, by its name.
  std::map<std::string, Problem> instances() const {
    std::map<std::string, Problem> result;
    for (const Problem& problem : exercise_.terms.sizes) {
      result.emplace(instance_for(problem), problem);
    }
    for (const Goal& goal : exercise_.terms.goals) {
      result.emplace(instance_for(goal.problem), goal.problem);
    }
    return result;
  }

  // In place of what would help a kernel of one's own: its name, its arguments and its launch are
  // options of 'run', and here the exercise's.
  std::string leave_name() const {
    const bool is_template = instance_for(exercise_.terms.sizes.front()).ends_with('>');
    return fmt::format("Leave the kernel's name{} as {} handed out.",
                       is_template ? " and its template's parameters" : "",
                       is_template ? "they were" : "it was");
  }

  std::string launch_of_exercise() const {
    const Dim3 block = exercise_.kernel.shape(exercise_.kernel.settings).block;
    return fmt::format(
        "The exercise launches it with {} threads a block, and shared memory that it declares with "
        "its size: write it for that launch.",
        with_thousands(static_cast<std::int64_t>(block.count())));
  }

  void refuse(const std::string& error, const std::string& help) {
    report_.compile_error = error;
    report_.compile_help = help;
  }

  void add_warnings(const std::vector<CompilerWarning>& warnings) {
    for (const CompilerWarning& warning : warnings) {
      if (std::ranges::count(report_.warnings, warning) == 0) report_.warnings.push_back(warning);
    }
  }

  bool compile() {
    require_compiler();  // anything else unavailable is the kernel's own: an instruction, for
                         // example
    const auto named = instances();
    const std::vector<std::pair<std::string, Problem>> wanted(named.begin(), named.end());
    std::vector<std::optional<PreparedKernel>> prepared(wanted.size());
    try {
      const int threads = options_.threads > 0 ? options_.threads : core_count();
      parallel_for(std::ssize(wanted), threads, [&](std::int64_t i, int) {
        const Problem& problem = wanted[i].second;
        prepared[i] = prepare(kernel_source_for(problem), problem, target_.gpu, options_.activity);
      });
    } catch (const NoSuchKernel&) {
      refuse("the file has no kernel " + wanted.front().first, leave_name());
    } catch (const WrongParameters& error) {
      refuse(error.what(), "Leave the kernel's parameters as they were handed out.");
    } catch (const WrongLaunch& error) {
      refuse(error.what(), launch_of_exercise());
    } catch (const Error& error) {
      refuse(error.what(), error.help());
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

  SizeRun emulated(const Problem& problem) {
    const PreparedKernel& kernel = kernel_for(problem);
    SizeRun run{make_matrices(problem, check_seed, options_.activity), {}};
    emulator::Options options;
    options.threads = options_.threads;
    options.max_instructions = most_instructions(kernel, problem);
    options.activity = options_.activity;
    run.emulation = emulate(kernel, run.matrices, options);
    report_.warp_instructions += run.emulation.total.warp_instructions();
    return run;
  }

  Verification verified(const Matrices& m) const {
    return verify(m.problem, m.a, m.b, m.c, {}, {}, options_.activity);
  }

  void diagnose_once(const Matrices& m) {
    if (report_.diagnosis) return;
    const LaunchShape shape = exercise_.kernel.shape(exercise_.kernel.settings);
    report_.diagnosis = diagnose({m.problem, shape, m.a, m.b, m.c}, options_.activity);
  }

  void add_findings(const emulator::Result& emulation) {
    for (const emulator::Finding& finding : emulation.findings) {
      const auto is_same = [&](const emulator::Finding& other) {
        return other.kind() == finding.kind() && other.line == finding.line;
      };
      if (std::ranges::none_of(report_.findings, is_same)) report_.findings.push_back(finding);
    }
  }

  bool run_sizes() {
    for (const Problem& problem : exercise_.terms.sizes) {
      SizeRun run = emulated(problem);
      const Verification verification = verified(run.matrices);
      report_.sizes.push_back({problem, verification});
      add_findings(run.emulation);
      if (!verification.passed) diagnose_once(run.matrices);
      if (run.emulation.stopped) break;  // for example endless: at the other sizes as well
      runs_.emplace_back(std::move(run));
    }
    if (report_.diagnosis && report_.diagnosis->is_of_indices &&
        std::ranges::all_of(report_.findings, may_come_of_indices)) {
      report_.cause = report_.diagnosis->cause;
    } else if (!report_.findings.empty()) {
      report_.cause = cause_of(report_.findings);
    } else if (report_.diagnosis) {
      report_.cause = report_.diagnosis->cause;
    }
    return !report_.diagnosis;
  }

  bool run_on_gpu() {
    report_.gpu = target_.gpu.full_name;
    for (std::size_t i = 0; i < report_.sizes.size(); ++i) {
      Matrices& matrices = runs_[i].matrices;
      const PreparedKernel& kernel = kernel_for(matrices.problem);
      gpu::Session session(matrices.problem, matrices.a, matrices.b);
      matrices.c = session.run(on_device(kernel));
      report_.sizes[i].verification = verified(matrices);
      if (!report_.sizes[i].verification.passed) diagnose_once(matrices);
    }
    if (report_.diagnosis) report_.cause = report_.diagnosis->cause;
    return !report_.diagnosis;
  }

  // --- Goals

  const emulator::Result& emulation_of(const Problem& problem) {
    const auto has_problem = [&](const SizeRun& run) { return run.matrices.problem == problem; };
    const auto found = std::ranges::find_if(runs_, has_problem);
    if (found != runs_.end()) return found->emulation;
    return runs_.emplace_back(emulated(problem)).emulation;
  }

  // Of the lines that count something of it, those with the most.
  std::vector<LineShare> largest_shares(const Expression& count, const KernelRun& run,
                                        double total) const {
    constexpr double misleading = 100;  // a ratio to what this line has next to none of
    std::vector<LineShare> shares;
    for (const emulator::LineCounters& line : run.emulation->lines) {
      try {
        const double counted = count.value(values_counted_in(line.line, run));
        if (counted > 0 && counted < misleading * total) shares.push_back({line.line, counted});
      } catch (const Error&) {
        // A ratio of what this line has none of.
      }
    }
    std::ranges::stable_sort(shares, std::ranges::greater(), &LineShare::counted);
    shares.resize(std::min(shares.size(), most_lines));
    return shares;
  }

  GoalCheck checked(const Goal& goal) {
    KernelRun run;
    run.kernel = &exercise_.kernel;
    run.settings = exercise_.kernel.settings;
    run.problem = goal.problem;
    run.emulation = emulation_of(goal.problem);

    const Expression limit = Expression::parse(goal.limit), count = Expression::parse(goal.count);
    const Values before = values_before(*run.kernel, run.settings, run.problem);
    GoalCheck result;
    result.goal = &goal;
    result.expected = limit.value(before);
    result.arithmetic = arithmetic_text(goal.limit, before);
    try {
      // A kernel without requests has no sectors, which are 0 for each request.
      result.counted = count.value(values_counted({}, run), Expression::NothingOfNothing::zero);
    } catch (const DivisionByZero& error) {
      result.not_counted = fmt::format("{} is 0", error.divisor);
      return result;
    } catch (const Error& error) {
      result.not_counted = error.what();
      return result;
    }
    const bool equal = nearly_equal(*result.counted, result.expected);
    result.met = equal || (!goal.exactly && *result.counted < result.expected);
    if (!result.met) result.lines = largest_shares(count, run, *result.counted);
    return result;
  }

  // The goal's own cause explains too high a count, not a missing one.
  static std::string cause_of_missing(const GoalCheck& check) {
    if (check.counted) return check.goal->cause;
    return fmt::format(
        "The exercise counts {}, and {}: the kernel does not use memory in the way that is asked.",
        check.goal->count, check.not_counted);
  }

  bool count_goals() {
    for (const Goal& goal : exercise_.terms.goals) report_.goals.push_back(checked(goal));
    const auto missed = std::ranges::find(report_.goals, false, &GoalCheck::met);
    if (missed != report_.goals.end()) report_.cause = cause_of_missing(*missed);
    return missed == report_.goals.end();
  }

  const Exercise& exercise_;
  const std::string& source_;
  const CheckOptions& options_;
  Target target_;
  std::map<std::string, PreparedKernel> kernels_;  // by their names
  std::vector<SizeRun> runs_;
  CheckReport report_;
};

}  // namespace

std::string_view name_of(Stage stage) { return stage_names.at(static_cast<std::size_t>(stage)); }

CheckReport check_exercise(const Exercise& exercise, const std::string& source,
                           const std::string& file_name, const CheckOptions& options) {
  return Check(exercise, source, file_name, options).report();
}

}  // namespace gemm_tutor
