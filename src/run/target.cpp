#include "run/target.hpp"

#include <fmt/format.h>

#include "gpu/gpu.hpp"
#include "support/error.hpp"

namespace gemm_tutor {
namespace {

// The limits to emulate, and whether they are those of this machine's GPU.
Target emulated(const RunOptions& options, const gpu::Status& status) {
  if (!options.gpu.empty()) return {.gpu = simt::find_gpu(options.gpu)};
  return {.gpu = status.available ? status.spec : simt::find_gpu(default_gpu)};
}

}  // namespace

Target choose_target(const RunOptions& options) {
  if (options.backend == Backend::emulator && !options.gpu.empty()) {
    return {.gpu = simt::find_gpu(options.gpu)};  // does not query this machine's GPU
  }
  const gpu::Status& status = gpu::status();
  const Target limits = emulated(options, status);
  if (options.backend == Backend::emulator) return limits;

  // A user's GPU file has another name, and a driver may have another full name for a known GPU.
  const bool is_this_gpu = status.available && (limits.gpu.name == status.spec.name ||
                                                limits.gpu.full_name == status.spec.full_name);
  if (is_this_gpu) {
    simt::GpuSpec gpu = status.spec;
    gpu.details = limits.gpu.details;  // may be from a user's file
    return {.on_gpu = true, .gpu = gpu};
  }
  if (!options.backend) return limits;
  if (!status.available) throw Error(ExitStatus::unavailable, status.problem, status.help);
  throw Error(ExitStatus::usage,
              fmt::format("--backend gpu runs on this machine's {}, not on the --gpu {}",
                          status.spec.full_name, options.gpu),
              "Leave --gpu out, or use --backend emulator to assume another GPU's limits.");
}

}  // namespace gemm_tutor
