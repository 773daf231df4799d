// cuBLAS as a lesson.
#include "course/recorded.hpp"
#include "course_checks.hpp"
#include "gemm/matrices.hpp"
#include "gpu/gpu.hpp"

namespace gemm_tutor {
namespace {

LessonRun run_cublas(const RunOptions& options) {
  const Lesson& lesson = find_lesson("cublas");
  return run_kernel(lesson, lesson.kernels.front(), {}, options);
}

// In FP64, of the matrices that the lessons use.
double product_at_origin(const std::vector<float>& a, const std::vector<float>& b, int size) {
  double sum = 0;
  for (int k = 0; k < size; ++k) {
    sum += static_cast<double>(a[static_cast<std::size_t>(k)]) *
           b[static_cast<std::size_t>(k) * static_cast<std::size_t>(size)];
  }
  return sum;
}

}  // namespace

TEST_CASE("without a GPU the library is explained and its recorded time told") {
  const LessonRun run = run_cublas(on_emulator({2048, 2048, 2048}));
  CHECK_FALSE(run.can_run_here());
  CHECK_FALSE(run.timing);
  REQUIRE(run.recorded);
  CHECK(run.recorded->device == "NVIDIA H200");
  CHECK(run.recorded->tflops > 40);
  CHECK(run.recorded->tflops < 66.9);  // its arithmetic's peak
  CHECK_FALSE(run.recorded->percent_of_cublas);
  CHECK(run.excerpt.size() > 5);
}

TEST_CASE("what the other operand order computes is B·A") {
  const LessonRun run = run_cublas(on_emulator({64, 64, 64}));
  const Matrices matrices = make_matrices({64, 64, 64}, 1);
  REQUIRE(run.operand_order);
  CHECK(run.operand_order->right == Approx(product_at_origin(matrices.a, matrices.b, 64)));
  CHECK(run.operand_order->exchanged == Approx(product_at_origin(matrices.b, matrices.a, 64)));
  CHECK(run.operand_order->right != run.operand_order->exchanged);
  CHECK_FALSE(run_cublas(on_emulator({64, 64, 32})).operand_order);  // it would be refused
}

TEST_CASE("on a GPU the library's result is right, in the right order") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  if (!gpu::status().cublas_available) SKIP_BECAUSE(gpu::status().cublas_problem);
  for (const Problem& size : {Problem{64, 64, 64}, {100, 30, 70}, {1, 1, 1}}) {
    RunOptions options = on_emulator(size);
    options.backend = Backend::gpu;
    options.gpu.clear();
    const LessonRun run = run_cublas(options);
    CHECK(run.can_run_here());
    CHECK(run.verification.passed);
    CHECK(run.timing->median_ms > 0);
  }
}

}  // namespace gemm_tutor
