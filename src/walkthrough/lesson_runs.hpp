// The runs of one kernel at one size. Each is made when it is first needed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "course/lesson_run.hpp"
#include "course/progress.hpp"
#include "course/question.hpp"
#include "course/settings.hpp"
#include "gemm/problem.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {

class LessonRuns {
 public:
  // The problem in `options` is ignored.
  LessonRuns(Screen& screen, const RunOptions& options) : screen_(screen), options_(options) {}

  // Sets the kernel, what is run, and what the questions are about. Removes earlier runs.
  void set(const Lesson& lesson, const Kernel& kernel, const Subject& chosen, const Subject& asked);
  const RunOptions& options() const { return options_; }
  const Problem& asked() const { return asked_.problem; }
  void forget_execution();

  // Execute the kernel with a trace of its first warp; count what a question asks; trace the
  // kernel. Each does nothing if that is already done, and returns false if the learner interrupted
  // it. They throw what run_kernel() and trace_kernel() throw. Counting takes no longer than a
  // learner waits for a reply, and then begins the execution, which goes on behind.
  bool execute();
  bool count(const Question& question);
  BackgroundJob* behind() const { return behind_.get(); }  // null if there is none
  bool trace();
  bool trace_drawings();  // makes the traces that the kernel's drawings need
  bool is_executed() const { return executed_.has_value(); }

  // Valid after these.
  const LessonRun& executed() const { return *executed_; }
  // If it runs on the CPU: runs of the lesson's other kernels.
  const std::vector<LessonRun>& others() const { return others_; }
  const Trace& traced() const { return *trace_; }
  const Trace& traced(const KernelDrawing& drawing) const {
    return drawing.of == KernelDrawing::Of::tile ? *tile_trace_ : *trace_;
  }
  const std::optional<Trace>& owners() const { return owners_; }
  const LessonRun& counted(const Question& question) const;

  Problem problem_of(const Question& question) const;
  Values values_of(const Question& question) const;  // before the run

 private:
  using Job = std::function<void(const RunOptions&)>;

  // The job with options that have an Activity; and run with the screen's.
  static std::function<void(Activity&)> watched(const RunOptions& options, const Job& job);
  bool work(const RunOptions& options, const Job& job);
  void begin();  // to execute the kernel, behind
  LessonKernel chosen() const { return {*lesson_, *kernel_, settings_}; }
  const std::optional<PreparedKernel>& prepared(const RunOptions& options);

  Screen& screen_;
  RunOptions options_;
  const Lesson* lesson_ = nullptr;
  const Kernel* kernel_ = nullptr;
  Settings settings_;
  Subject asked_;
  std::optional<PreparedKernel> prepared_;  // for these options, when it is needed
  std::optional<LessonRun> executed_;
  std::vector<LessonRun> others_;
  std::vector<LessonRun> runs_behind_;  // the kernel's and the others', which behind_ makes
  std::unique_ptr<BackgroundJob> behind_;
  std::optional<Trace> trace_;       // of the first block's first warp
  std::optional<Trace> tile_trace_;  // of all its warps
  std::optional<Trace> owners_;      // trace_of_owners()
  // Runs for questions about another size, by M, N and K.
  std::map<std::tuple<int, int, int>, LessonRun> elsewhere_;
};

// An answered question, compared with the count.
struct JudgedQuestion {
  const Question* question = nullptr;
  Values values;       // before the run
  std::string answer;  // as typed, with its value if it is a formula; a choice's text
  Checked checked;
  Problem counted_at;
};

// Call after runs.count(question).
JudgedQuestion judge(const Question& question, const std::string& typed, const LessonRuns& runs);

// Parses a new size of the matrices and new settings of the kernel.
struct NewSize {
  Problem problem;
  Settings settings;
};

// Changes `size` by "512", "300 200 100", "300x200x100" or "BM=64 TM=4". Throws Error (usage) with
// the part that is neither a size nor a setting.
NewSize size_from(const std::string& text, NewSize size);

}  // namespace gemm_tutor
