#include "tune/estimates.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gemm/matrices.hpp"
#include "run/estimated.hpp"
#include "run/prepared_kernel.hpp"
#include "support/error.hpp"

namespace gemm_tutor {
namespace {

// A pool of matrices for a few emulations at the same time, which all write C. More would waste
// memory, because most of the time is spent in compiling.
class MatrixPool {
 public:
  explicit MatrixPool(const Problem& problem) : problem_(problem) {}

  // Waits for free matrices. They become free when their owner releases them.
  std::shared_ptr<Matrices> take() {
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [&] { return !free_.empty() || made_ < most; });
    if (free_.empty()) {
      constexpr std::uint64_t seed = 1;
      free_.push_back(std::make_unique<Matrices>(make_matrices(problem_, seed)));
      ++made_;
    }
    Matrices* matrices = free_.back().release();
    free_.pop_back();
    return {matrices, [this](Matrices* returned) { give_back(returned); }};
  }

 private:
  static constexpr int most = 4;

  void give_back(Matrices* matrices) {
    {
      const std::lock_guard lock(mutex_);
      free_.emplace_back(matrices);
    }
    returned_.notify_one();
  }

  const Problem problem_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Matrices>> free_;
  int made_ = 0;
};

// Of the first launch: estimated() counts a second one itself.
emulator::Result counted(const PreparedKernel& kernel, Matrices& matrices) {
  emulator::Options options;
  options.threads = 1;  // several of these run at the same time
  options.blocks = 1;
  options.check = false;
  options.max_instructions = most_instructions(kernel, matrices.problem);
  std::vector<float> workspace = workspace_of(kernel);
  emulator::Result result =
      kernel.program->run(kernel.launch, buffers_of(kernel, matrices, workspace),
                          arguments_of(kernel.parameters, matrices.problem), options);
  if (result.findings.empty()) return result;
  const emulator::Finding& finding = result.findings.front();
  throw Error(ExitStatus::wrong_result, fmt::format("{} (line {})", message(finding), finding.line),
              "It is not estimated: others are.");
}

}  // namespace

Estimator estimator_of(const Lesson& lesson, const Kernel& kernel, const GpuSpec& gpu,
                       const Problem& problem) {
  return [&lesson, &kernel, gpu, problem,
          pool = std::make_shared<MatrixPool>(problem)](const Settings& settings) {
    const PreparedKernel prepared =
        prepare(kernel_source(lesson, kernel, settings, problem), problem, gpu);
    const std::shared_ptr<Matrices> matrices = pool->take();
    return estimated(prepared, *matrices, counted(prepared, *matrices));
  };
}

}  // namespace gemm_tutor
