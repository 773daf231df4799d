// The sections of the report on a run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/ladder.hpp"
#include "course/lesson_run.hpp"
#include "report/concept_diagrams.hpp"
#include "report/machine_section.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

struct KernelReport {
  KernelRun run;
  std::optional<MachineDetail> machine = std::nullopt;  // shown below the source lines
};

struct LessonReport {
  LessonRun run;
  const Lesson* next = nullptr;                         // the next lesson; may be null
  std::optional<MachineDetail> machine = std::nullopt;  // shown below the source lines
  std::vector<DrawnConcept> concepts = {};
  bool has_text = false;  // the lesson's text on a terminal, too, which otherwise has only the idea
};

// The whole command of a user's kernel whose launch was found, and how it was found. Empty for
// others.
Section command_section(const KernelRun& run);

Section launch_section(const KernelRun& run);
// The calculation of the grid, and how much of the GPU it fills. Empty without a launch.
Parts grid_parts(const LessonRun& run);
// By the formula and counted. Empty if there is neither.
Section traffic_section(const AnyRun auto& run);
// The warps' instructions and the cost of shared memory. Empty if the run was not emulated to its
// end.
Section work_section(const KernelRun& run);
Section timing_section(const KernelRun& run);
// "1.26 ms · 13.6 TFLOP/s · 20 % of peak · 27 % of cuBLAS".
std::string timing_text(const LadderTime& time);
// Its shares, each after a dot: " · 20 % of peak · 27 % of cuBLAS".
std::string shares_text(const LadderTime& time);
// "21 % of peak = 58 % FFMA × 36 % of issue slots". Empty without speed_factors().
std::string speed_text(const KernelRun& run, const LadderTime& time);
// The same for time_of(), with the time's source. May be empty.
Section speed_section(const KernelRun& run);
// The first few warnings with their source lines; may be empty.
Section warnings_section(const std::vector<simt::CompilerWarning>& warnings);
// Notes on what looks like an error but is not; may be empty.
Section notes_section(const KernelRun& run);

// The output of the kernel's printf(); may be empty.
Section printed_section(const KernelRun& run);
// One line on a user's kernel: right or wrong, with the main reason.
std::string verdict_text(const KernelRun& run);
// The beginning of a report, in about four lines: right or wrong; the loads by the formula and as
// counted; the time and what limits it; what this is compared with, or what would make it faster.
Section found_section(const AnyRun auto& run);
// "✗ wrong: C is A·Bᵀ; right with --transposed b": what a terminal shows last.
Section verdict_section(const KernelRun& run);
// Its line on the time: "estimated 4.90 µs · 0.2 % of peak · limited by launch overhead". Empty if
// there is no time.
Line time_and_limit(const KernelRun& run);
// Whether that says all that result_section() and sizes_section() do.
bool says_all_of_result(const KernelRun& run);
// The verdict on the result, and the findings.
Section result_section(const KernelRun& run);
// What holds at further sizes, if the verdict does not say it; may be empty.
Section sizes_section(const KernelRun& run);

// A finding in one line, without its kind: ", line 14, called at line 30: reads A[64][0]".
std::string text_after_kind(const simt::Finding& finding);

Facts finding_facts(const std::vector<simt::Finding>& findings);
Parts warning_parts(const std::vector<simt::CompilerWarning>& warnings);

// By the formula and counted. No rows without a formula and counts.
Equations traffic_equations(const AnyRun auto& run);
Facts traffic_facts(const AnyRun auto& run);
// "32.0× less than lesson 2 · 20.0× fewer sectors", of what is loaded.
std::string comparison_text(const Comparison& comparison);

// "gemm-tutor trace 3". For a lesson of a teacher's course, adds "--course DIR". DIR is literal,
// because a page must not show the directory.
std::string command_of(const Lesson& lesson, std::string_view command);
// " --kernel NAME --size 512 --set BK=16": options for the kernel, size and settings that are not
// defaults. `gpu` is the GPU whose limits the run has, if any.
std::string options_of(const Lesson& lesson, const Kernel& kernel, const Problem& problem,
                       const Settings& settings, const std::optional<simt::GpuSpec>& gpu);
// The command for another kernel of the run's lesson at the run's size.
std::string other_kernel_command(const LessonRun& run, const Kernel& kernel);
// The commands to try next, for a lesson.
std::vector<std::string> next_commands(const LessonReport& report);
Commands commands(const std::vector<std::string>& texts);

std::string sizes_text(const Problem& problem);  // "M = N = K = 1,024"

// " (For M = N = K = 1,024.)" for a question about another problem than the run's; otherwise empty.
Line size_of_question(const Problem& asked, const Problem& of_run);

// The order of the parts that a report on a run may have.

// Reports of `lesson`, `run` and `check`, on a terminal and as pages, and a lesson's chapter have
// their parts in this order.
enum class Place {
  around,  // what is not of the report: the way to other pages
  found,   // in four lines: right or wrong, a count, the time, and what to compare or to do
  stages,  // of a check, and of a wrong result: all that was found
  command,
  idea,
  pictures,
  change,
  source,
  machine,
  questions,
  meaning,  // the rest of the lesson's text, which answers them
  launch,
  traffic,
  requests,
  timing,
  limits,
  advice,
  work,
  messages,  // the compiler's, and what the kernel prints
  progress,  // since the last check, and beside the reference
  next,
};

struct PlacedPart {
  Place place;
  Part part;
};

// Those of one place stay in the order given.
Parts in_order(std::vector<PlacedPart> parts);

}  // namespace gemm_tutor
