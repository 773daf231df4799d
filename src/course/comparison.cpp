#include "course/comparison.hpp"

#include "run/prepared_kernel.hpp"
#include "support/error.hpp"

namespace gemm_tutor {
namespace {

constexpr std::int64_t compared_blocks = 4;  // as many as there are classes of blocks

double ratio(std::uint64_t before, std::uint64_t now) {
  return static_cast<double>(before) / static_cast<double>(now);
}

// What a kernel loads does not depend on what the matrices hold.
Matrices empty_matrices(const Problem& problem) {
  Matrices matrices{problem, {}, {}, {}};
  matrices.a.resize(static_cast<std::size_t>(problem.a_elements()));
  matrices.b.resize(static_cast<std::size_t>(problem.b_elements()));
  matrices.c.resize(static_cast<std::size_t>(problem.c_elements()));
  return matrices;
}

}  // namespace

std::optional<Comparison> compare_with_changed_lesson(const Lesson& lesson,
                                                      const emulator::Result& emulation,
                                                      const Problem& problem, const GpuSpec& gpu,
                                                      Activity* activity) {
  const Lesson* before = changed_lesson(lesson);
  const emulator::Counters& now = emulation.total;
  if (!before || !before->kernels.front().is_cuda() || now.global_load_sectors == 0) return {};
  try {
    const Kernel& kernel = before->kernels.front();
    const KernelSource source =
        kernel_source(*before, kernel, effective_settings(kernel, gpu, problem), problem);
    emulator::Options options;
    options.blocks = compared_blocks;
    options.check = false;
    options.activity = activity;
    Matrices matrices = empty_matrices(problem);
    const emulator::Result counted =
        emulate(prepare(source, problem, gpu, activity), matrices, options);
    if (counted.total.global_load_sectors == 0) return {};
    return Comparison{
        .lesson = before->number,
        .load_floats_factor = ratio(counted.total.global_load_bytes, now.global_load_bytes),
        .load_sectors_factor = ratio(counted.total.global_load_sectors, now.global_load_sectors),
        .exact = counted.exact && emulation.exact};
  } catch (const Error&) {
    return {};  // its grid is too large at this size, say, which is no fault of this lesson's
                // kernel
  }
}

}  // namespace gemm_tutor
