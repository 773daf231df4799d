// What there is to say of one kernel at one size, section by section.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/kernel_run.hpp"
#include "documents/concept_diagrams.hpp"
#include "documents/machine_section.hpp"
#include "trace/selection.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

struct LessonReport {
  const KernelRun& run;
  const Lesson* next = nullptr;             // the lesson after this one, if there is one
  bool gpu_missing = false;                 // of this machine: why the emulator ran
  std::vector<SelectedLine> requests = {};  // that are drawn below the source's lines
  std::optional<MachineDetail> machine = std::nullopt;  // shown below the source's lines
  std::vector<DrawnConcept> concepts = {};
};

Section launch_section(const KernelRun& run);
// The arithmetic that led to the grid, and how much of the GPU it fills. Nothing where there is no
// launch.
Parts grid_parts(const KernelRun& run);
// By the formula and as counted.
Section traffic_section(const KernelRun& run);
// What the warps' instructions were, and what shared memory cost. Without parts for a run that was
// not emulated, or not to its end.
Section work_section(const KernelRun& run);
Section timing_section(const LessonReport& report);
// The first few with the lines of the source that they are about; without parts for none.
Section warnings_section(const std::vector<CompilerWarning>& warnings);
// What looks like a fault and is none; without parts where there is nothing like it.
Section notes_section(const KernelRun& run);

// What the kernel printed; without parts where that is nothing.
Section printed_section(const KernelRun& run);
// Whether the result is right, and what was found.
Section result_section(const KernelRun& run);

// A finding in one line, to follow its kind: ", line 14, called at line 30: reads A[64][0]".
std::string text_after_kind(const emulator::Finding& finding);

Facts finding_facts(const std::vector<emulator::Finding>& findings);
Parts warning_parts(const std::vector<CompilerWarning>& warnings);

// By the formula and as counted: no rows where there is no formula, or nothing was counted.
Equations traffic_equations(const KernelRun& run);
Facts traffic_facts(const KernelRun& run);

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
Commands commands(const std::vector<std::string>& texts);

std::string sizes_text(const Problem& problem);  // "M = N = K = 1,024"

// The kernel's result is right and nothing was found: exit status 0.
bool is_clean(const KernelRun& run);

}  // namespace gemm_tutor
