#include "course/comparison.hpp"

#include "course/prepared_kernel.hpp"
#include "support/error.hpp"

namespace gemm_tutor {
namespace {

constexpr std::int64_t compared_blocks = 4;  // as many as there are classes of blocks

const Lesson* lesson_before(const Lesson& lesson) {
  const Lesson* before = nullptr;
  if (lesson.changes == no_lesson) return before;
  for (const Lesson& other : lessons()) {
    const bool has_counts = !other.kernels.front().from_library;
    if (other.number < lesson.number && has_counts) before = &other;
  }
  return before;
}

double ratio(std::uint64_t before, std::uint64_t now) {
  return static_cast<double>(before) / static_cast<double>(now);
}

}  // namespace

std::optional<Comparison> compare_with_lesson_before(const Lesson& lesson,
                                                     const emulator::Result& emulation,
                                                     Matrices& matrices, const GpuSpec& gpu,
                                                     Activity* activity) {
  const Lesson* before = lesson_before(lesson);
  const emulator::Counters& now = emulation.total;
  if (!before || !before->kernels.front().is_cuda() || now.global_load_sectors == 0) return {};
  try {
    const Kernel& kernel = before->kernels.front();
    const Problem& problem = matrices.problem;
    const KernelSource source =
        kernel_source(*before, kernel, default_settings(kernel, gpu, problem), problem);
    emulator::Options options;
    options.blocks = compared_blocks;
    options.check = false;
    options.activity = activity;
    const emulator::Result counted =
        emulate(prepare(source, problem, gpu, activity), matrices, options);
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
