// The runs of one kernel at one size, each made when it is first needed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "course/kernel_run.hpp"
#include "trace/selection.hpp"
#include "trace/trace.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {

class LessonRuns {
 public:
  // `options` but for the problem.
  LessonRuns(Screen& screen, const RunOptions& options) : screen_(screen), options_(options) {}

  // Of what is run from now on; what was run before is forgotten.
  void set(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
           const Problem& problem);
  const RunOptions& options() const { return options_; }
  void forget_execution() {
    executed_.reset();
    requests_.reset();
  }

  // Compile the kernel; execute it, and look at its first requests of memory; count what its
  // questions ask; trace it. Each does nothing where that is done already, and returns false where
  // the learner interrupted it. They throw what run_kernel() and trace_kernel() throw.
  bool plan();
  bool execute();
  bool count_questions();
  bool trace();

  // After these.
  const KernelRun& planned() const { return executed_ ? *executed_ : *planned_; }
  const KernelRun& executed() const { return *executed_; }
  const std::vector<SelectedLine>& requests() const { return *requests_; }
  const Trace& traced() const { return *trace_; }
  const KernelRun& counted(const Question& question) const;

  Problem problem_of(const Question& question) const;
  Values values_of(const Question& question) const;  // before the run

 private:
  // With the Activity that the screen shows among the options.
  bool work(const RunOptions& options, const std::function<void(const RunOptions&)>& job);
  const LessonKernel& prepared(const RunOptions& options);

  Screen& screen_;
  RunOptions options_;
  const Lesson* lesson_ = nullptr;
  const Kernel* kernel_ = nullptr;
  Settings settings_;
  std::optional<LessonKernel> prepared_;  // for these options, once it is needed
  std::optional<KernelRun> planned_, executed_;
  std::optional<std::vector<SelectedLine>> requests_;  // of the run that was executed
  std::optional<Trace> trace_;                         // of the first block's first warp
  // Of questions about whole tiles, where the size cuts some: by M, N and K.
  std::map<std::tuple<int, int, int>, KernelRun> whole_;
};

}  // namespace gemm_tutor
