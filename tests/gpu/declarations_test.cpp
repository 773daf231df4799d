// src/support/cuda_api.hpp against NVIDIA's headers, where there is a toolkit.
#include <cstddef>
#include <vector>

#include "catch.hpp"
#include "support/cuda_api.hpp"

#if __has_include(<cuda.h>) && __has_include(<cublas_v2.h>) && __has_include(<nvrtc.h>)
#include <cublas_v2.h>
#include <cuda.h>
#include <nvrtc.h>

namespace {

namespace ours = gemm_tutor::cuda;

// A function of the header and ours have parameters of the same sizes, and so does the result.
template <typename Function>
struct Sizes;
template <typename Result, typename... Parameters>
struct Sizes<Result (*)(Parameters...)> {
  static std::vector<std::size_t> all() { return {sizeof(Result), sizeof(Parameters)...}; }
};

#define CHECK_FUNCTION(theirs, member) \
  CHECK(Sizes<decltype(&theirs)>::all() == Sizes<decltype(member)>::all())
#define CHECK_VALUE(name) CHECK(int{ours::name} == int{::name})

}  // namespace

TEST_CASE("what is declared of the driver, of cuBLAS and of NVRTC is as in their headers") {
  CHECK_VALUE(CUDA_SUCCESS);
  CHECK_VALUE(CUDA_ERROR_NO_DEVICE);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  CHECK_VALUE(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  CHECK_VALUE(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  CHECK_VALUE(CUBLAS_STATUS_SUCCESS);
  CHECK_VALUE(CUBLAS_OP_N);
  CHECK_VALUE(CUDA_R_32F);
  CHECK_VALUE(CUDA_R_16F);
  CHECK_VALUE(CUDA_R_8I);
  CHECK_VALUE(CUDA_R_8U);
  CHECK_VALUE(CUDA_R_32I);
  CHECK_VALUE(CUDA_R_16BF);
  CHECK_VALUE(CUBLAS_COMPUTE_16F);
  CHECK_VALUE(CUBLAS_COMPUTE_32F);
  CHECK_VALUE(CUBLAS_COMPUTE_32I);
  CHECK_VALUE(CUBLAS_COMPUTE_32F_FAST_16F);
  CHECK_VALUE(CUBLAS_COMPUTE_32F_FAST_16BF);
  CHECK_VALUE(CUBLAS_COMPUTE_32F_FAST_TF32);
  CHECK_VALUE(CUBLAS_GEMM_DEFAULT);
  CHECK_VALUE(MAJOR_VERSION);
  CHECK_VALUE(MINOR_VERSION);
  CHECK_VALUE(PATCH_LEVEL);
  CHECK_VALUE(NVRTC_SUCCESS);
  CHECK_VALUE(NVRTC_ERROR_COMPILATION);
  CHECK_VALUE(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  CHECK(ours::CU_EVENT_DEFAULT == ::CU_EVENT_DEFAULT);

  const ours::DriverFunctions driver;
  CHECK_FUNCTION(cuInit, driver.init);
  CHECK_FUNCTION(cuDriverGetVersion, driver.version);
  CHECK_FUNCTION(cuGetErrorName, driver.error_name);
  CHECK_FUNCTION(cuGetErrorString, driver.error_string);
  CHECK_FUNCTION(cuDeviceGetCount, driver.device_count);
  CHECK_FUNCTION(cuDeviceGet, driver.device);
  CHECK_FUNCTION(cuDeviceGetName, driver.device_name);
  CHECK_FUNCTION(cuDeviceGetAttribute, driver.device_attribute);
  CHECK_FUNCTION(cuDevicePrimaryCtxRetain, driver.retain_context);
  CHECK_FUNCTION(cuCtxSetCurrent, driver.set_context);
  CHECK_FUNCTION(cuCtxSynchronize, driver.synchronize);
  CHECK_FUNCTION(cuMemGetInfo, driver.memory_info);
  CHECK_FUNCTION(cuMemAlloc, driver.allocate);
  CHECK_FUNCTION(cuMemFree, driver.free);
  CHECK_FUNCTION(cuMemcpyHtoD, driver.copy_to_device);
  CHECK_FUNCTION(cuMemcpyDtoH, driver.copy_to_host);
  CHECK_FUNCTION(cuMemsetD32, driver.fill_words);
  CHECK_FUNCTION(cuModuleLoadData, driver.load_module);
  CHECK_FUNCTION(cuModuleUnload, driver.unload_module);
  CHECK_FUNCTION(cuModuleGetFunction, driver.function);
  CHECK_FUNCTION(cuFuncSetAttribute, driver.set_attribute);
  CHECK_FUNCTION(cuOccupancyMaxActiveBlocksPerMultiprocessor, driver.active_blocks);
  CHECK_FUNCTION(cuLaunchKernel, driver.launch);
  CHECK_FUNCTION(cuEventCreate, driver.create_event);
  CHECK_FUNCTION(cuEventDestroy, driver.destroy_event);
  CHECK_FUNCTION(cuEventRecord, driver.record);
  CHECK_FUNCTION(cuEventSynchronize, driver.wait);
  CHECK_FUNCTION(cuEventElapsedTime, driver.elapsed);

  const ours::CublasFunctions cublas;
  CHECK_FUNCTION(cublasCreate_v2, cublas.create);
  CHECK_FUNCTION(cublasDestroy_v2, cublas.destroy);
  CHECK_FUNCTION(cublasSgemm_v2, cublas.sgemm);
  // One of two overloads in C++.
  using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                    int, const void*, const void*, cudaDataType, int, const void*,
                                    cudaDataType, int, const void*, void*, cudaDataType, int,
                                    cublasComputeType_t, cublasGemmAlgo_t);
  using Theirs = decltype(static_cast<GemmEx>(cublasGemmEx));
  CHECK(Sizes<Theirs>::all() == Sizes<decltype(cublas.gemm_ex)>::all());
  CHECK_FUNCTION(cublasGetProperty, cublas.property);
  CHECK_FUNCTION(cublasGetStatusName, cublas.status_name);

  const ours::NvrtcFunctions nvrtc;
  CHECK_FUNCTION(nvrtcVersion, nvrtc.version);
  CHECK_FUNCTION(nvrtcGetErrorString, nvrtc.error_string);
  CHECK_FUNCTION(nvrtcGetNumSupportedArchs, nvrtc.architecture_count);
  CHECK_FUNCTION(nvrtcGetSupportedArchs, nvrtc.architectures);
  CHECK_FUNCTION(nvrtcCreateProgram, nvrtc.create);
  CHECK_FUNCTION(nvrtcDestroyProgram, nvrtc.destroy);
  CHECK_FUNCTION(nvrtcAddNameExpression, nvrtc.add_name_expression);
  CHECK_FUNCTION(nvrtcGetLoweredName, nvrtc.lowered_name);
  CHECK_FUNCTION(nvrtcCompileProgram, nvrtc.compile);
  CHECK_FUNCTION(nvrtcGetProgramLogSize, nvrtc.log_size);
  CHECK_FUNCTION(nvrtcGetProgramLog, nvrtc.log);
  CHECK_FUNCTION(nvrtcGetPTXSize, nvrtc.ptx_size);
  CHECK_FUNCTION(nvrtcGetPTX, nvrtc.ptx);
  CHECK_FUNCTION(nvrtcGetCUBINSize, nvrtc.cubin_size);
  CHECK_FUNCTION(nvrtcGetCUBIN, nvrtc.cubin);
}
#else
TEST_CASE("what is declared of the driver, of cuBLAS and of NVRTC is as in their headers") {
  SKIP_BECAUSE("there is no CUDA Toolkit with the headers of all three");
}
#endif
