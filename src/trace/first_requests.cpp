#include "trace/first_requests.hpp"

#include <new>

#include "support/error.hpp"

namespace gemm_tutor {

std::vector<SelectedLine> first_requests(const KernelRun& run) {
  const std::optional<Trace> trace = trace_of(run);
  if (!trace || run.emulation->stopped) return {};
  try {
    return select(*trace, {});
  } catch (const Error&) {
    return {};
  } catch (const std::bad_alloc&) {
    return {};
  }
}

}  // namespace gemm_tutor
