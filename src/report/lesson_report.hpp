// What `lesson` prints: one kernel at one size, from its idea to the next step.
#pragma once

#include <string>

#include "course/kernel_run.hpp"
#include "report/style.hpp"

namespace gemm_tutor {

struct LessonReport {
  const KernelRun& run;
  const Lesson* next = nullptr;  // the lesson after this one, if there is one
  bool gpu_missing = false;      // of this machine: why the emulator ran
};

// The whole report. `run` must have its lesson and kernel.
std::string lesson_text(const LessonReport& report, const Terminal& terminal);

// The kernel's result is right and nothing was found: exit status 0.
bool is_clean(const KernelRun& run);

}  // namespace gemm_tutor
