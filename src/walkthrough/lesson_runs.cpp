#include "walkthrough/lesson_runs.hpp"

namespace gemm_tutor {
namespace {

std::tuple<int, int, int> key(const Problem& p) { return {p.m, p.n, p.k}; }

}  // namespace

void LessonRuns::set(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                     const Problem& problem) {
  lesson_ = &lesson;
  kernel_ = &kernel;
  settings_ = settings;
  options_.problem = problem;
  prepared_.reset();
  planned_.reset();
  executed_.reset();
  requests_.reset();
  trace_.reset();
  whole_.clear();
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

bool LessonRuns::plan() {
  if (executed_ || planned_) return true;
  return work(options_, [&](const RunOptions& run) { planned_ = plan_kernel(prepared(run), run); });
}

bool LessonRuns::execute() {
  if (executed_) return true;
  RunOptions options = options_;
  options.trace = TraceRequest{.warp = 0};
  if (!work(options, [&](const RunOptions& run) { executed_ = run_kernel(prepared(run), run); })) {
    return false;
  }
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

bool LessonRuns::count_questions() {
  if (!execute()) return false;
  for (const Question& question : kernel_->questions) {
    const Problem problem = problem_of(question);
    if (problem == options_.problem || whole_.contains(key(problem))) continue;
    RunOptions options = options_;
    options.problem = problem;
    options.backend = Backend::emulator;
    options.one_of_many = true;
    options.blocks = 1;  // of each class: every block of whole tiles counts the same
    const bool is_counted = work(options, [&](const RunOptions& run) {
      whole_.emplace(key(problem), run_kernel(*lesson_, *kernel_, settings_, run));
    });
    if (!is_counted) return false;
  }
  return true;
}

const KernelRun& LessonRuns::counted(const Question& question) const {
  const Problem problem = problem_of(question);
  return problem == options_.problem ? *executed_ : whole_.at(key(problem));
}

Problem LessonRuns::problem_of(const Question& question) const {
  return gemm_tutor::problem_of(question, *kernel_, settings_, options_.problem);
}

Values LessonRuns::values_of(const Question& question) const {
  return values_before(*kernel_, settings_, problem_of(question));
}

}  // namespace gemm_tutor
