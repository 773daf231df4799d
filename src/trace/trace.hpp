// What the warps of one block did to memory, of a kernel of a lesson or of the user's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "course/kernel_run.hpp"
#include "course/lesson.hpp"
#include "emulator/emulator.hpp"
#include "model/gpu_spec.hpp"
#include "model/launch.hpp"
#include "run/kernel_source.hpp"
#include "support/activity.hpp"

namespace gemm_tutor {

struct TraceOptions {
  Problem problem;
  Dim3 block = {0, 0, 0};  // where it has no work, as tiles are shared: the next one that has some
  std::optional<int> warp = std::nullopt;  // of the block: only its accesses are wanted
  std::uint64_t seed = 1;
  std::string gpu = {};  // whose limits the launch must keep; empty: as for a run on the emulator
  bool check = true;
  std::optional<std::int64_t> max_instructions = std::nullopt;
  Activity* activity = nullptr;
};

// Of the first block, otherwise as a run has them.
TraceOptions trace_options(const RunOptions& options);

// A matrix, whose place in the list is emulator::Access::buffer.
struct TracedMatrix {
  std::string name;
  int rows = 0, columns = 0;
};

struct Trace {
  const Lesson* lesson = nullptr;  // null for a kernel of the user's own, like the next
  const Kernel* kernel = nullptr;
  Settings settings;
  std::string name;  // "shared_memory_tile<32, 32, 32>"
  std::string source_file, source;
  std::vector<CompilerWarning> warnings = {};
  Problem problem;
  Launch launch;
  LaunchShape shape;
  Dim3 block;                                 // that was traced
  std::optional<GpuSpec> gpu = std::nullopt;  // whose limits it ran with
  std::vector<TracedMatrix> matrices;
  std::vector<Argument> arguments;  // of the kernel, in order
  emulator::Result result;          // of that block alone
  std::string second_pass = {};     // that a run launches next, and which is not traced

  int warps() const { return static_cast<int>((launch.block.count() + 31) / 32); }
};

// Runs that block on the emulator. Throws Error for what run_kernel() does, and (usage) for a block
// that the grid does not have and for a kernel that is not CUDA C++. A kernel with faults is no
// Error: they are findings of the result, and the accesses are those before and after them.
Trace trace_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                   const TraceOptions& options);
Trace trace_kernel(const KernelSource& kernel, const TraceOptions& options);

}  // namespace gemm_tutor
