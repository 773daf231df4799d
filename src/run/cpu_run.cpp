#include "run/cpu_run.hpp"

#include <algorithm>
#include <chrono>

#include "gemm/matrices.hpp"
#include "run/run.hpp"
#include "support/activity.hpp"
#include "support/numbers.hpp"

namespace gemm_tutor {
namespace {

// The number of multiply-adds to count, which takes about 0.1 s.
constexpr std::int64_t counted_multiply_adds = std::int64_t{1} << 26;

// Multiply-adds between two checks whether to stop.
constexpr std::int64_t multiply_adds_at_once = std::int64_t{1} << 24;

// Computes C = A·B in groups of rows, so that it can be interrupted between them.
template <typename Float>
void multiply_by_rows(CpuFunction<Float> multiply, const Problem& p, const Float* a, const Float* b,
                      Float* c, Activity& activity) {
  const int rows_at_once =
      static_cast<int>(std::clamp<std::int64_t>(multiply_adds_at_once / p.b_elements(), 1, p.m));
  for (int row = 0; row < p.m; row += rows_at_once) {
    activity.check();
    const int rows = std::min(rows_at_once, p.m - row);
    multiply(a + std::int64_t{row} * p.k, b, c + std::int64_t{row} * p.n, rows, p.n, p.k);
    activity.advance(rows);
  }
}

// Every row of C has the same number of loads and stores, so a few rows are counted and scaled. It
// needs no more memory than the matrices, which are allocated afterwards.
Traffic counted_traffic(const CpuKernel& kernel, const Problem& p, Activity& activity) {
  const std::int64_t per_row = p.b_elements();
  const int rows =
      static_cast<int>(std::clamp<std::int64_t>(counted_multiply_adds / per_row, 1, p.m));
  const Problem part{rows, p.n, p.k};
  const std::vector<CountedFloat> a(part.a_elements()), b(part.b_elements());
  std::vector<CountedFloat> c(part.c_elements());

  CountedFloat::loads = CountedFloat::stores = 0;
  activity.begin("counting on one CPU thread", rows);
  multiply_by_rows(kernel.counted, part, a.data(), b.data(), c.data(), activity);
  Traffic traffic;
  traffic.counted_loads = CountedFloat::loads / rows * p.m;
  traffic.counted_stores = CountedFloat::stores / rows * p.m;
  traffic.count_is_exact = rows == p.m;
  return traffic;
}

double milliseconds_of(const CpuKernel& kernel, Matrices& matrices, Activity& activity) {
  activity.begin("running on one CPU thread", matrices.problem.m);
  const auto start = std::chrono::steady_clock::now();
  multiply_by_rows(kernel.multiply, matrices.problem, matrices.a.data(), matrices.b.data(),
                   matrices.c.data(), activity);
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

// One run if it takes over 1 s; otherwise at least 3 runs and 0.2 s, but at most 1,000 runs.
std::vector<double> sorted_times(const CpuKernel& kernel, Matrices& matrices, Activity& activity) {
  std::vector<double> times = {milliseconds_of(kernel, matrices, activity)};
  double total = times.front();
  while (total < 1000 && (times.size() < 3 || (total < 200 && times.size() < 1000))) {
    times.push_back(milliseconds_of(kernel, matrices, activity));
    total += times.back();
  }
  std::ranges::sort(times);
  return times;
}

RunTiming time_on_cpu(const CpuKernel& kernel, Matrices& matrices, Activity& activity) {
  const std::vector<double> times = sorted_times(kernel, matrices, activity);
  const double median_ms = median(times);
  RunTiming timing;
  timing.where = Backend::cpu;
  timing.runs = static_cast<int>(times.size());
  timing.median_ms = median_ms;
  timing.min_ms = times.front();
  timing.tflops = matrices.problem.flops() / (median_ms * 1e9);
  return timing;
}

}  // namespace

KernelRun count_on_cpu(const CpuKernel& kernel, const RunOptions& options) {
  KernelRun run;
  run.problem = options.problem;
  run.backend = Backend::cpu;
  run.device = cpu_name();
  run.traffic = counted_traffic(kernel, run.problem, or_unwatched(options.activity));
  return run;
}

KernelRun run_on_cpu(const CpuKernel& kernel, const RunOptions& options) {
  KernelRun run = count_on_cpu(kernel, options);
  Activity& activity = or_unwatched(options.activity);
  Matrices matrices = make_matrices(run.problem, options.seed, options.activity);
  run.timing = time_on_cpu(kernel, matrices, activity);
  run.verification =
      verify(run.problem, matrices.a, matrices.b, matrices.c, {}, {}, options.activity);
  return run;
}

}  // namespace gemm_tutor
