// For a build without the CUDA Toolkit's headers: there is no GPU.
#include "gpu/gpu.hpp"

#include "support/error.hpp"

namespace gemm_tutor::gpu {

struct Session::Impl {};

namespace {

constexpr const char* problem = "this gemm-tutor was built without the CUDA Toolkit";
constexpr const char* help =
    "To use a GPU, build it again where the CUDA Toolkit, 12.4 to 13, is installed.";

[[noreturn]] void refuse() { throw Error(ExitStatus::unavailable, problem, help); }

}  // namespace

const Status& status() {
  static const Status none = [] {
    Status status;
    status.problem = status.cublas_problem = problem;
    status.help = help;
    return status;
  }();
  return none;
}

Session::Session(const Problem&, std::span<const float>, std::span<const float>) { refuse(); }
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

std::vector<float> Session::run(const DeviceKernel&, std::span<const float>) { refuse(); }
KernelTiming Session::time(const DeviceKernel&, Activity*) { refuse(); }
std::vector<float> Session::run_cublas() { refuse(); }
Timing Session::time_cublas(Activity*) { refuse(); }
int Session::active_blocks_per_multiprocessor(const DeviceKernel&) { refuse(); }

}  // namespace gemm_tutor::gpu
