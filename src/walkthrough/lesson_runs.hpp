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

  // Of what is run from now on, and what the questions are about; what was run before is forgotten.
  void set(const Lesson& lesson, const Kernel& kernel, const Subject& chosen, const Subject& asked);
  const RunOptions& options() const { return options_; }
  const Problem& asked() const { return asked_.problem; }
  void forget_execution() {
    executed_.reset();
    others_.clear();
    requests_.reset();
  }

  // Execute the kernel, and look at its first requests of memory; count what a question asks; trace
  // the kernel. Each does nothing where that is done already, and returns false where the learner
  // interrupted it. They throw what run_kernel() and trace_kernel() throw.
  bool execute();
  bool count(const Question& question);
  bool trace();
  bool trace_drawings();  // what the kernel's drawings are of
  bool is_executed() const { return executed_.has_value(); }

  // After these.
  const KernelRun& executed() const { return *executed_; }
  // Where it runs on the CPU: the lesson's other kernels, which are run beside it.
  const std::vector<KernelRun>& others() const { return others_; }
  const std::vector<SelectedLine>& requests() const { return *requests_; }
  const Trace& traced() const { return *trace_; }
  const Trace& traced(const KernelDrawing& drawing) const {
    return drawing.of == KernelDrawing::Of::tile ? *tile_trace_ : *trace_;
  }
  const std::optional<Trace>& owners() const { return owners_; }
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
  Subject asked_;
  std::optional<LessonKernel> prepared_;  // for these options, once it is needed
  std::optional<KernelRun> executed_;
  std::vector<KernelRun> others_;
  std::optional<std::vector<SelectedLine>> requests_;  // of the run that was executed
  std::optional<Trace> trace_;                         // of the first block's first warp
  std::optional<Trace> tile_trace_;                    // of all its warps
  std::optional<Trace> owners_;                        // trace_of_owners()
  // Of questions about another size: by M, N and K.
  std::map<std::tuple<int, int, int>, KernelRun> elsewhere_;
};

}  // namespace gemm_tutor
