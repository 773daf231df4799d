// A lesson and its run, filled in by hand: what the reports are tested on.
#pragma once

#include <memory>
#include <string>

#include "course/lesson_run.hpp"

namespace gemm_tutor {

// The run points into the lesson, so they stay together.
struct Sample {
  std::unique_ptr<Lesson> lesson;
  LessonRun run;
};

// Lesson 3 at 2048 on the emulator: every block, everything right.
Sample emulated_sample();

// Of emulated_sample() on an H200: it waits for shared memory, and its warps for each other.
simt::Estimate sample_estimate();

// emulated_sample() with that estimate, and with those of an A100 and of a T4, which is unreliable.
Sample estimated_sample();
Sample on_three_gpus();

// A kernel of the user's own, which left a column of C unwritten.
struct OwnSample {
  KernelRun run;
};
OwnSample own_sample();

// Lesson 0, which has two kernels, on the CPU.
Sample cpu_sample();

}  // namespace gemm_tutor
