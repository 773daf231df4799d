#include "walkthrough/lesson_runs.hpp"

#include <algorithm>

#include "documents/concept_diagrams.hpp"

namespace gemm_tutor {
namespace {

std::tuple<int, int, int> key(const Problem& p) { return {p.m, p.n, p.k}; }

}  // namespace

void LessonRuns::set(const Lesson& lesson, const Kernel& kernel, const Subject& chosen,
                     const Subject& asked) {
  lesson_ = &lesson;
  kernel_ = &kernel;
  settings_ = chosen.settings;
  options_.problem = chosen.problem;
  asked_ = asked;
  prepared_.reset();
  forget_execution();
  trace_.reset();
  tile_trace_.reset();
  owners_.reset();
  elsewhere_.clear();
}

bool LessonRuns::work(const RunOptions& options,
                      const std::function<void(const RunOptions&)>& job) {
  return screen_.work([&](Activity& activity) {
    RunOptions watched = options;
    watched.activity = &activity;
    job(watched);
  });
}

const LessonKernel& LessonRuns::prepared(const RunOptions& options) {
  if (!prepared_) prepared_ = prepare_kernel(*lesson_, *kernel_, settings_, options);
  return *prepared_;
}

bool LessonRuns::execute() {
  if (executed_) return true;
  RunOptions options = options_;
  options.trace = TraceRequest{.warp = 0};
  std::vector<KernelRun> others;
  const bool is_done = work(options, [&](const RunOptions& run) {
    KernelRun executed = run_kernel(prepared(run), run);
    for (const Kernel& other : lesson_->kernels) {
      if (!kernel_->cpu || &other == kernel_) continue;
      others.push_back(run_kernel(*lesson_, other, other.settings, run));
    }
    executed_ = std::move(executed);
  });
  if (!is_done) return false;
  others_ = std::move(others);
  requests_ = first_requests(*executed_);
  trace_ = trace_of(*executed_);
  return true;
}

bool LessonRuns::trace() {
  if (trace_) return true;
  RunOptions options = options_;
  options.trace = TraceRequest{.warp = 0};
  return work(options, [&](const RunOptions& run) { trace_ = trace_kernel(prepared(run), run); });
}

bool LessonRuns::trace_drawings() {
  if (std::ranges::any_of(kernel_->drawings, is_of_owners) && !owners_) {
    const auto job = [&](const RunOptions& run) {
      owners_ = trace_of_owners(*lesson_, *kernel_, settings_, run);
    };
    if (!work(options_, job)) return false;
  }
  if (std::ranges::all_of(kernel_->drawings, &KernelDrawing::is_concept)) return true;
  const auto of_tile =
      std::ranges::count(kernel_->drawings, KernelDrawing::Of::tile, &KernelDrawing::of);
  if (of_tile == 0 || tile_trace_) return trace();
  RunOptions options = options_;
  options.trace = TraceRequest{};
  const auto job = [&](const RunOptions& run) { tile_trace_ = trace_kernel(prepared(run), run); };
  return work(options, job) && trace();
}

bool LessonRuns::count(const Question& question) {
  const Problem problem = problem_of(question);
  if (problem == options_.problem) return execute();
  if (elsewhere_.contains(key(problem))) return true;
  RunOptions options = options_;
  options.problem = problem;
  options.backend = Backend::emulator;
  options.one_of_many = true;
  // Every block of whole tiles counts the same, so one of each class is enough.
  if (asked_.problem == options_.problem) {
    options.blocks = 1;
  } else {
    options.blocks = AllBlocks{};
  }
  return work(options, [&](const RunOptions& run) {
    elsewhere_.emplace(key(problem), run_kernel(*lesson_, *kernel_, asked_.settings, run));
  });
}

const KernelRun& LessonRuns::counted(const Question& question) const {
  const Problem problem = problem_of(question);
  return problem == options_.problem ? *executed_ : elsewhere_.at(key(problem));
}

Problem LessonRuns::problem_of(const Question& question) const {
  return gemm_tutor::problem_of(question, *kernel_, asked_.settings, asked_.problem);
}

Values LessonRuns::values_of(const Question& question) const {
  return values_before(*kernel_, asked_.settings, problem_of(question));
}

}  // namespace gemm_tutor
