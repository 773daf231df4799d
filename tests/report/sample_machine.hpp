// Machines with and without a GPU, and a learner of two lessons.
#pragma once

#include "report/device_report.hpp"
#include "report/list_report.hpp"
#include "sample_run.hpp"

namespace gemm_tutor {

inline std::vector<Lesson> two_lessons() {
  return {*cpu_sample().lesson, *emulated_sample().lesson};
}

// The first lesson is done, the second begun.
inline StoredProgress begun() {
  StoredProgress stored{StoredProgress::State::good};
  stored.progress.lesson = "shared-memory-tile";
  LessonProgress& first = stored.progress.lessons["cpu-loop"];
  first.done = true;
  first.predictions["loads"] = {"1", {1, 1, 1}, true};
  first.predictions["stores"] = {"1", {1, 1, 1}, true};
  first.predictions["order"] = {"1", {1, 1, 1}, false};
  first.predictions["not-counted"] = {"1", {1, 1, 1}, {}};
  return stored;
}

inline Machine machine_without_gpu() {
  Machine machine;
  machine.nvrtc = {.available = true,
                   .name = "NVRTC 13.0",
                   .path = "/usr/local/cuda/lib64/libnvrtc.so.13",
                   .has_assembler = true};
  machine.compiler = machine.nvrtc;
  machine.gpu.problem = "no NVIDIA driver is installed";
  machine.gpu.help = "Install the driver.";
  machine.cores = 2;
  machine.available_memory = std::int64_t{24} << 30;
  return machine;
}

inline Machine machine_with_gpu() {
  Machine machine = machine_without_gpu();
  machine.gpu = {};
  machine.gpu.available = machine.gpu.cublas_available = true;
  machine.gpu.driver = "580.159.04";
  machine.gpu.cublas_version = "13.0.2";
  machine.gpu.total_memory = std::size_t{141} << 30;
  machine.gpu.free_memory = std::size_t{140} << 30;
  simt::GpuSpec& spec = machine.gpu.spec;
  spec.full_name = "NVIDIA H200";
  spec.compute_major = 9;
  spec.multiprocessors = 132;
  spec.fp32_lanes_per_multiprocessor = 128;
  spec.clock_ghz = 1.98;
  spec.memory_bandwidth = 4.8e12;
  return machine;
}

}  // namespace gemm_tutor
