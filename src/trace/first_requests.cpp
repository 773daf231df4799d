#include "trace/first_requests.hpp"

#include <functional>
#include <new>

#include "support/error.hpp"

namespace gemm_tutor {
namespace {

// Only the places that are accessed are wanted, and what is wrong was found by the run.
TraceOptions options_of_first_warp(const RunOptions& run) {
  TraceOptions options = trace_options(run);
  options.warp = 0;
  options.check = false;
  return options;
}

std::vector<SelectedLine> unless_impossible(
    const KernelRun& run, const std::function<std::vector<SelectedLine>()>& requests) {
  if (!run.emulation || run.emulation->stopped) return {};
  try {
    return requests();
  } catch (const Error&) {
    return {};
  } catch (const std::bad_alloc&) {
    return {};
  }
}

}  // namespace

std::vector<SelectedLine> first_requests(const KernelRun& run, const RunOptions& options) {
  return unless_impossible(run, [&] {
    return select(
        trace_kernel(*run.lesson, *run.kernel, run.settings, options_of_first_warp(options)), {});
  });
}

std::vector<SelectedLine> first_requests(const KernelRun& run, const Trace& trace) {
  return unless_impossible(run, [&] { return select(trace, {}); });
}

std::vector<SelectedLine> first_requests(const KernelSource& kernel, const KernelRun& run,
                                         const RunOptions& options) {
  return unless_impossible(
      run, [&] { return select(trace_kernel(kernel, options_of_first_warp(options)), {}); });
}

}  // namespace gemm_tutor
