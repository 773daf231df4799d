#include "course/cpu_run.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>

#include "course/counted_float.hpp"
#include "gemm/matrices.hpp"

namespace gemm_tutor {
namespace {

// Multiply-adds that are counted one by one, in about a tenth of a second.
constexpr std::int64_t counted_multiply_adds = std::int64_t{1} << 26;

// Every row of C costs the same loads and stores, so those of a few are scaled to all. Needs no
// more memory than the matrices themselves, which are made after this.
void count_traffic(KernelRun& run) {
  const Problem& p = run.problem;
  const std::int64_t per_row = p.b_elements();
  const int rows =
      static_cast<int>(std::clamp<std::int64_t>(counted_multiply_adds / per_row, 1, p.m));
  const Problem part{rows, p.n, p.k};
  const std::vector<CountedFloat> a(part.a_elements()), b(part.b_elements());
  std::vector<CountedFloat> c(part.c_elements());

  CountedFloat::loads = CountedFloat::stores = 0;
  run.kernel->cpu_counted(a.data(), b.data(), c.data(), part.m, part.n, part.k);
  run.traffic.counted_loads = CountedFloat::loads / rows * p.m;
  run.traffic.counted_stores = CountedFloat::stores / rows * p.m;
  run.traffic.count_is_exact = rows == p.m;
}

double milliseconds_of(const Kernel& kernel, Matrices& matrices) {
  const Problem& p = matrices.problem;
  const auto start = std::chrono::steady_clock::now();
  kernel.cpu(matrices.a.data(), matrices.b.data(), matrices.c.data(), p.m, p.n, p.k);
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

// Once where that takes over a second; else at least 3 runs and 0.2 s, but no more than 1,000.
std::vector<double> sorted_times(const Kernel& kernel, Matrices& matrices) {
  std::vector<double> times = {milliseconds_of(kernel, matrices)};
  double total = times.front();
  while (total < 1000 && (times.size() < 3 || (total < 200 && times.size() < 1000))) {
    times.push_back(milliseconds_of(kernel, matrices));
    total += times.back();
  }
  std::ranges::sort(times);
  return times;
}

double median(std::span<const double> sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : std::midpoint(sorted[half - 1], sorted[half]);
}

RunTiming time_on_cpu(const Kernel& kernel, Matrices& matrices) {
  const std::vector<double> times = sorted_times(kernel, matrices);
  const double median_ms = median(times);
  RunTiming timing;
  timing.where = "cpu";
  timing.runs = static_cast<int>(times.size());
  timing.median_ms = median_ms;
  timing.min_ms = times.front();
  timing.tflops = matrices.problem.flops() / (median_ms * 1e9);
  return timing;
}

}  // namespace

void run_on_cpu(KernelRun& run, const RunOptions& options) {
  run.backend = "cpu";
  run.device = cpu_name();
  count_traffic(run);
  Matrices matrices = make_matrices(run.problem, options.seed);
  run.timing = time_on_cpu(*run.kernel, matrices);
  run.verification = verify(run.problem, matrices.a, matrices.b, matrices.c);
}

}  // namespace gemm_tutor
