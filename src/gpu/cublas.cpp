#include "gpu/cublas.hpp"

#include <fmt/format.h>

#include "support/cuda_toolkit.hpp"
#include "support/dynamic_library.hpp"
#include "support/error.hpp"

namespace gemm_tutor::gpu {
namespace {

CublasStatus load_cublas() {
  std::string problem;
  const auto library = DynamicLibrary::open(cuda_library_names("cublas"), problem);
  if (!library) return {nullptr, "cuBLAS, a part of the CUDA Toolkit, is missing"};
  static CublasLibrary cublas;
  const bool complete = library->load(cublas.create, "cublasCreate_v2") &&
                        library->load(cublas.destroy, "cublasDestroy_v2") &&
                        library->load(cublas.sgemm, "cublasSgemm_v2") &&
                        library->load(cublas.property, "cublasGetProperty") &&
                        library->load(cublas.status_name, "cublasGetStatusName");
  if (!complete) return {nullptr, fmt::format("{} lacks functions of cuBLAS 12", library->path())};
  return {&cublas, ""};
}

}  // namespace

std::string CublasLibrary::version() const {
  int major = 0, minor = 0, patch = 0;
  property(MAJOR_VERSION, &major);
  property(MINOR_VERSION, &minor);
  property(PATCH_LEVEL, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

const CublasStatus& cublas_status() {
  static const CublasStatus status = load_cublas();
  return status;
}

Cublas::Cublas(const CublasLibrary& library) : library_(library) {
  check(library_.create(&handle_), "cublasCreate");
}

Cublas::~Cublas() { library_.destroy(handle_); }

// cuBLAS treats matrices as column-major, so it sees a row-major A as Aᵀ. The row-major C = A·B is
// computed as Cᵀ = Bᵀ·Aᵀ, with the operands swapped. Without the swap, the call computes B·A, and
// there is no error if the matrices are square. The default math mode of Sgemm is FP32: tensor
// cores (TF32) are not used unless requested.
void Cublas::multiply(const Problem& problem, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) const {
  const float one = 1, zero = 0;
  const auto at = [](CUdeviceptr address) { return reinterpret_cast<float*>(address); };
  check(library_.sgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, problem.n, problem.m, problem.k, &one,
                       at(b), problem.n, at(a), problem.k, &zero, at(c), problem.n),
        "cublasSgemm");
}

void Cublas::check(cublasStatus_t status, const char* call) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(ExitStatus::unavailable,
              fmt::format("{} failed with {}", call, library_.status_name(status)),
              "See what nvidia-smi says of the GPU; --backend emulator works without it.");
}

}  // namespace gemm_tutor::gpu
