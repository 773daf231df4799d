// What `lesson` and `run` print: one kernel at one size. A lesson's has its idea before, and the
// next step behind.
#pragma once

#include <string>
#include <vector>

#include "course/kernel_run.hpp"
#include "trace/selection.hpp"
#include "view/layout.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

struct LessonReport {
  const KernelRun& run;
  const Lesson* next = nullptr;             // the lesson after this one, if there is one
  bool gpu_missing = false;                 // of this machine: why the emulator ran
  std::vector<SelectedLine> requests = {};  // that are drawn below the source's lines
};

// What its sections say, a paragraph each. Of the launch, the call apart from what is said of it.
std::string call_text(const KernelRun& run);
std::vector<Line> launch_lines(const KernelRun& run);
std::vector<Line> second_launch_lines(const KernelRun& run);  // none where there is none
std::vector<Line> timing_lines(const LessonReport& report);
std::vector<Line> result_lines(const KernelRun& run);
// "gemm-tutor trace 3". Of a lesson of a teacher's course with the course, "--course DIR": that is
// where it lies, which a page that is handed on must not tell.
std::string command_of(const Lesson& lesson, std::string_view command);
// " --kernel NAME --size 512 --set BK=16": that kernel, size and settings, as far as a command
// would not have them without. `gpu` is whose limits the run has; nothing for none.
std::string options_of(const Lesson& lesson, const Kernel& kernel, const Problem& problem,
                       const Settings& settings, const std::optional<GpuSpec>& gpu);
// Shows another kernel of the run's lesson at the run's size.
std::string other_kernel_command(const KernelRun& run, const Kernel& kernel);
// Of a lesson: what to type next.
std::vector<std::string> next_commands(const LessonReport& report);

// A section with them, or with others'.
void add_next_commands(Page& page, std::vector<std::string> commands);

// The sections themselves: the launch, the times, whether the result is right and what was found.
void add_launch(Page& page, const KernelRun& run);
void add_timing(Page& page, const LessonReport& report);
void add_result(Page& page, const KernelRun& run);
// A row for each.
void add_findings(Page& page, const std::vector<emulator::Finding>& findings);

std::string sizes_text(const Problem& problem);  // "M = N = K = 1,024"

// The whole report.
std::string lesson_text(const LessonReport& report, const Terminal& terminal);

// The kernel's result is right and nothing was found: exit status 0.
bool is_clean(const KernelRun& run);

}  // namespace gemm_tutor
