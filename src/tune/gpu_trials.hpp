// Tries configurations of a lesson's kernel on this machine's GPU.
#pragma once

#include <memory>

#include "course/lesson.hpp"
#include "simt/gpu_spec.hpp"
#include "support/activity.hpp"
#include "tune/search.hpp"

namespace gemm_tutor {

// Returns the problem at which a configuration is checked before it is timed: a few tiles in each
// direction, with partial tiles at the edges. If possible it has the alignment of `problem`, so
// that the same variant of the kernel is checked and timed.
Problem problem_with_edges(const LaunchShape& shape, const Problem& problem);

// Tries a configuration in these steps. It compiles it. It runs it at the size with edges on the
// emulator, which finds races and accesses out of bounds, and on the GPU, and compares both with
// the FP64 reference. It runs it at `problem`, checks all of C, and times it together with cuBLAS.
// A failure throws Error with the reason.
class GpuTrials {
 public:
  // Throws Error (unavailable) without a GPU, or if the matrices do not fit; and Interrupted.
  // `lesson`, `kernel` and `activity` must outlive it.
  GpuTrials(const Lesson& lesson, const Kernel& kernel, const GpuSpec& gpu, const Problem& problem,
            Activity* activity = nullptr);
  ~GpuTrials();
  GpuTrials(const GpuTrials&) = delete;
  GpuTrials& operator=(const GpuTrials&) = delete;

  Trials trials();  // refer to this object, which must outlive them

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gemm_tutor
