// cuBLAS, which kernels are compared with. It is loaded at first use.
#pragma once

#include <string>

#include "gemm/problem.hpp"
#include "gemm/scalar.hpp"
#include "gpu/driver.hpp"

namespace gemm_tutor::gpu {

struct CublasLibrary : CublasFunctions {
  std::string version() const;  // "13.0.2"
};

struct CublasStatus {
  const CublasLibrary* library = nullptr;  // null if it is not available
  std::string problem;
};
const CublasStatus& cublas_status();

// A cuBLAS handle in the current context.
class Cublas {
 public:
  explicit Cublas(const CublasLibrary& library);
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  // Starts C = A·B for row-major matrices in device memory, with sums of the types' precision: in
  // FP32 without tensor cores.
  void multiply(const Problem& problem, const Types& types, CUdeviceptr a, CUdeviceptr b,
                CUdeviceptr c) const;
  // False for types that cuBLAS does not multiply. Of others it may still refuse a size.
  static bool multiplies(const Types& types);

 private:
  void check(cublasStatus_t status, const char* call) const;

  const CublasLibrary& library_;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace gemm_tutor::gpu
