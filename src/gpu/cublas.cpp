#include "gpu/cublas.hpp"

#include <fmt/format.h>

#include <optional>

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
                        library->load(cublas.gemm_ex, "cublasGemmEx") &&
                        library->load(cublas.property, "cublasGetProperty") &&
                        library->load(cublas.status_name, "cublasGetStatusName");
  if (!complete) return {nullptr, fmt::format("{} lacks functions of cuBLAS 12", library->path())};
  return {&cublas, ""};
}

constexpr cudaDataType data_type(Scalar element) {
  constexpr cudaDataType types[] = {CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF, CUDA_R_8I,
                                    CUDA_R_8U,  CUDA_R_32I, CUDA_R_64F};
  return types[static_cast<std::size_t>(element)];
}

// In which cuBLAS adds products of these types; nothing for types that it does not multiply.
std::optional<cublasComputeType_t> compute_type(const Types& types) {
  const Precision precision = types.precision;
  if (types.a != types.b) return {};
  if (types.a == Scalar::f64 && types.c == Scalar::f64) return CUBLAS_COMPUTE_64F;
  if (types.a == Scalar::s8 && types.c == Scalar::s32) return CUBLAS_COMPUTE_32I;
  if (types.c != Scalar::f32 && types.c != types.a) return {};
  if (types.a == Scalar::f16 && precision == Precision::fp16_sums) {
    return types.c == Scalar::f16 ? std::optional(CUBLAS_COMPUTE_16F) : std::nullopt;
  }
  if (types.a == Scalar::f16 || types.a == Scalar::bf16) return CUBLAS_COMPUTE_32F;
  if (!types.are_floats() || precision == Precision::fp8) return {};
  return precision == Precision::tf32                      ? CUBLAS_COMPUTE_32F_FAST_TF32
         : precision == Precision::bf16                    ? CUBLAS_COMPUTE_32F_FAST_16BF
         : library_precision(precision) == Precision::fp32 ? CUBLAS_COMPUTE_32F
                                                           : CUBLAS_COMPUTE_32F_FAST_16F;
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

bool Cublas::multiplies(const Types& types) { return compute_type(types).has_value(); }

// cuBLAS treats matrices as column-major, so it sees a row-major A as Aᵀ. The row-major C = A·B is
// computed as Cᵀ = Bᵀ·Aᵀ, with the operands swapped. Without the swap, the call computes B·A, and
// there is no error if the matrices are square. The default math mode of Sgemm is FP32: tensor
// cores (TF32) are not used unless requested.
void Cublas::multiply(const Problem& problem, const Types& types, CUdeviceptr a, CUdeviceptr b,
                      CUdeviceptr c) const {
  const float one = 1, zero = 0;
  const auto at = [](CUdeviceptr address) { return reinterpret_cast<float*>(address); };
  const auto sums = compute_type(types).value();
  if (sums == CUBLAS_COMPUTE_32F && types.are_floats()) {
    return check(library_.sgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, problem.n, problem.m, problem.k,
                                &one, at(b), problem.n, at(a), problem.k, &zero, at(c), problem.n),
                 "cublasSgemm");
  }
  const std::uint64_t scale = sums == CUBLAS_COMPUTE_16F   ? bits_of(1, Scalar::f16)
                              : sums == CUBLAS_COMPUTE_32I ? bits_of(1, Scalar::s32)
                              : sums == CUBLAS_COMPUTE_64F ? bits_of(1, Scalar::f64)
                                                           : bits_of(1, Scalar::f32);
  const std::uint64_t none = 0;
  check(library_.gemm_ex(handle_, CUBLAS_OP_N, CUBLAS_OP_N, problem.n, problem.m, problem.k, &scale,
                         at(b), data_type(types.b), problem.n, at(a), data_type(types.a), problem.k,
                         &none, at(c), data_type(types.c), problem.n, sums, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}

void Cublas::check(cublasStatus_t status, const char* call) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(ExitStatus::unavailable,
              fmt::format("{} failed with {}", call, library_.status_name(status)),
              "See what nvidia-smi says of the GPU; --backend emulator works without it.");
}

}  // namespace gemm_tutor::gpu
