// What this program uses of NVIDIA's driver (<cuda.h>), of cuBLAS (<cublas_v2.h>) and of NVRTC
// (<nvrtc.h>). The libraries are loaded at run time, and their functions are declared here, so that
// the program is built without the CUDA Toolkit. All of it is the same from CUDA 12.4 to 13, and a
// test compares it with the headers.
#pragma once

#include <cstddef>

namespace gemm_tutor::cuda {

enum CUresult : int { CUDA_SUCCESS = 0, CUDA_ERROR_NO_DEVICE = 100 };

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,  // in scripts/calibrate
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
  CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111
};

enum CUfunction_attribute : int { CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 };

inline constexpr unsigned CU_EVENT_DEFAULT = 0;

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUevent = struct CUevent_st*;
using CUstream = struct CUstream_st*;

struct DriverFunctions {
  CUresult (*init)(unsigned flags) = nullptr;
  CUresult (*version)(int* version) = nullptr;
  CUresult (*error_name)(CUresult result, const char** name) = nullptr;
  CUresult (*error_string)(CUresult result, const char** text) = nullptr;
  CUresult (*device_count)(int* count) = nullptr;
  CUresult (*device)(CUdevice* device, int ordinal) = nullptr;
  CUresult (*device_name)(char* name, int length, CUdevice device) = nullptr;
  CUresult (*device_attribute)(int* value, CUdevice_attribute attribute, CUdevice device) = nullptr;
  CUresult (*retain_context)(CUcontext* context, CUdevice device) = nullptr;
  CUresult (*set_context)(CUcontext context) = nullptr;
  CUresult (*synchronize)() = nullptr;
  CUresult (*memory_info)(std::size_t* free, std::size_t* total) = nullptr;
  CUresult (*allocate)(CUdeviceptr* memory, std::size_t bytes) = nullptr;
  CUresult (*free)(CUdeviceptr memory) = nullptr;
  CUresult (*copy_to_device)(CUdeviceptr to, const void* from, std::size_t bytes) = nullptr;
  CUresult (*copy_to_host)(void* to, CUdeviceptr from, std::size_t bytes) = nullptr;
  CUresult (*fill_words)(CUdeviceptr to, unsigned word, std::size_t words) = nullptr;
  CUresult (*load_module)(CUmodule* module, const void* image) = nullptr;
  CUresult (*unload_module)(CUmodule module) = nullptr;
  CUresult (*function)(CUfunction* function, CUmodule module, const char* name) = nullptr;
  CUresult (*set_attribute)(CUfunction function, CUfunction_attribute attribute,
                            int value) = nullptr;
  CUresult (*active_blocks)(int* blocks, CUfunction function, int threads,
                            std::size_t shared_bytes) = nullptr;
  CUresult (*launch)(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                     CUstream stream, void** parameters, void** extra) = nullptr;
  CUresult (*create_event)(CUevent* event, unsigned flags) = nullptr;
  CUresult (*destroy_event)(CUevent event) = nullptr;
  CUresult (*record)(CUevent event, CUstream stream) = nullptr;
  CUresult (*wait)(CUevent event) = nullptr;
  CUresult (*elapsed)(float* milliseconds, CUevent begin, CUevent end) = nullptr;
};

enum cublasStatus_t : int { CUBLAS_STATUS_SUCCESS = 0 };
enum cublasOperation_t : int { CUBLAS_OP_N = 0 };
enum cudaDataType : int {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_R_8I = 3,
  CUDA_R_8U = 8,
  CUDA_R_32I = 10,
  CUDA_R_16BF = 14
};
enum cublasComputeType_t : int {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
enum cublasGemmAlgo_t : int { CUBLAS_GEMM_DEFAULT = -1 };
enum libraryPropertyType : int { MAJOR_VERSION = 0, MINOR_VERSION = 1, PATCH_LEVEL = 2 };
using cublasHandle_t = struct cublasContext*;

struct CublasFunctions {
  cublasStatus_t (*create)(cublasHandle_t* handle) = nullptr;
  cublasStatus_t (*destroy)(cublasHandle_t handle) = nullptr;
  cublasStatus_t (*sgemm)(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,
                          int m, int n, int k, const float* alpha, const float* a, int lda,
                          const float* b, int ldb, const float* beta, float* c, int ldc) = nullptr;
  cublasStatus_t (*gemm_ex)(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,
                            int m, int n, int k, const void* alpha, const void* a,
                            cudaDataType a_type, int lda, const void* b, cudaDataType b_type,
                            int ldb, const void* beta, void* c, cudaDataType c_type, int ldc,
                            cublasComputeType_t sums, cublasGemmAlgo_t algorithm) = nullptr;
  cublasStatus_t (*property)(libraryPropertyType type, int* value) = nullptr;
  const char* (*status_name)(cublasStatus_t status) = nullptr;
};

enum nvrtcResult : int {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10
};
using nvrtcProgram = struct OfNvrtcProgram*;

struct NvrtcFunctions {
  nvrtcResult (*version)(int* major, int* minor) = nullptr;
  const char* (*error_string)(nvrtcResult result) = nullptr;
  nvrtcResult (*architecture_count)(int* count) = nullptr;
  nvrtcResult (*architectures)(int* all) = nullptr;
  nvrtcResult (*create)(nvrtcProgram* program, const char* text, const char* name, int headers,
                        const char* const* texts, const char* const* names) = nullptr;
  nvrtcResult (*destroy)(nvrtcProgram* program) = nullptr;
  nvrtcResult (*add_name_expression)(nvrtcProgram program, const char* name) = nullptr;
  nvrtcResult (*lowered_name)(nvrtcProgram program, const char* name,
                              const char** lowered) = nullptr;
  nvrtcResult (*compile)(nvrtcProgram program, int options, const char* const* all) = nullptr;
  nvrtcResult (*log_size)(nvrtcProgram program, std::size_t* size) = nullptr;
  nvrtcResult (*log)(nvrtcProgram program, char* text) = nullptr;
  nvrtcResult (*ptx_size)(nvrtcProgram program, std::size_t* size) = nullptr;
  nvrtcResult (*ptx)(nvrtcProgram program, char* text) = nullptr;
  nvrtcResult (*cubin_size)(nvrtcProgram program, std::size_t* size) = nullptr;
  nvrtcResult (*cubin)(nvrtcProgram program, char* bytes) = nullptr;
};

}  // namespace gemm_tutor::cuda
