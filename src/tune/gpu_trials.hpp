// Configurations of a lesson's kernel, tried on this machine's GPU.
#pragma once

#include <memory>

#include "course/lesson.hpp"
#include "model/gpu_spec.hpp"
#include "support/activity.hpp"
#include "tune/search.hpp"

namespace gemm_tutor {

// The size at which a configuration is checked before its time counts: a few tiles each way, the
// last ones cut off, and in the same alignment as `problem`, so that the same variant of the kernel
// is checked as is timed, where that is possible.
Problem problem_with_edges(const LaunchShape& shape, const Problem& problem);

// Compiles a configuration, runs it on the emulator (which looks for races and accesses out of
// bounds) and on the GPU at the size with edges, checks both against the FP64 reference, runs it at
// `problem` and checks all of C, and times it there beside cuBLAS. What is wrong is thrown as Error
// with the reason.
class GpuTrials {
 public:
  // Throws Error (unavailable) without a GPU, and where the matrices do not fit; and Interrupted.
  // `lesson`, `kernel` and `activity` must outlive it.
  GpuTrials(const Lesson& lesson, const Kernel& kernel, const GpuSpec& gpu, const Problem& problem,
            Activity* activity = nullptr);
  ~GpuTrials();
  GpuTrials(const GpuTrials&) = delete;
  GpuTrials& operator=(const GpuTrials&) = delete;

  Trials trials();  // which refer to this

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gemm_tutor
