#include "gpu/driver.hpp"

#include <fmt/format.h>

#include "support/dynamic_library.hpp"
#include "support/error.hpp"

namespace gemm_tutor::gpu {
namespace {

constexpr const char* how_to_get_a_driver =
    "Install NVIDIA's driver if this machine has an NVIDIA GPU; the emulator needs none.";

// Returns the first missing function, or nothing.
const char* load_functions(const DynamicLibrary& library, Driver& d) {
  const char* missing = nullptr;
  const auto need = [&](auto& function, const char* name) {
    if (!library.load(function, name) && missing == nullptr) missing = name;
  };
  need(d.init, "cuInit");
  need(d.version, "cuDriverGetVersion");
  need(d.error_name, "cuGetErrorName");
  need(d.error_string, "cuGetErrorString");
  need(d.device_count, "cuDeviceGetCount");
  need(d.device, "cuDeviceGet");
  need(d.device_name, "cuDeviceGetName");
  need(d.device_attribute, "cuDeviceGetAttribute");
  need(d.retain_context, "cuDevicePrimaryCtxRetain");
  need(d.set_context, "cuCtxSetCurrent");
  need(d.synchronize, "cuCtxSynchronize");
  need(d.memory_info, "cuMemGetInfo_v2");
  need(d.allocate, "cuMemAlloc_v2");
  need(d.free, "cuMemFree_v2");
  need(d.copy_to_device, "cuMemcpyHtoD_v2");
  need(d.copy_to_host, "cuMemcpyDtoH_v2");
  need(d.fill_words, "cuMemsetD32_v2");
  need(d.load_module, "cuModuleLoadData");
  need(d.unload_module, "cuModuleUnload");
  need(d.function, "cuModuleGetFunction");
  need(d.set_attribute, "cuFuncSetAttribute");
  need(d.active_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  need(d.launch, "cuLaunchKernel");
  need(d.create_event, "cuEventCreate");
  need(d.destroy_event, "cuEventDestroy_v2");
  need(d.record, "cuEventRecord");
  need(d.wait, "cuEventSynchronize");
  // Newer drivers have a second version, with the same parameters.
  if (!library.load(d.elapsed, "cuEventElapsedTime_v2")) need(d.elapsed, "cuEventElapsedTime");
  return missing;
}

DriverStatus load_driver() {
  std::string problem;
  const auto library = DynamicLibrary::open({"libcuda.so.1", "libcuda.so"}, problem);
  if (!library) return {nullptr, "there is no NVIDIA driver on this machine", how_to_get_a_driver};
  static Driver driver;
  if (const char* missing = load_functions(*library, driver)) {
    return {
        nullptr,
        fmt::format("the NVIDIA driver in {} is too old: it has no {}", library->path(), missing),
        "Install a driver that supports CUDA 12.4 or newer."};
  }
  const CUresult result = driver.init(0);
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_NO_DEVICE) {
    return {nullptr, fmt::format("the NVIDIA driver does not start: {}", driver.describe(result)),
            how_to_get_a_driver};
  }
  int count = 0;
  if (result == CUDA_ERROR_NO_DEVICE || driver.device_count(&count) != CUDA_SUCCESS || count == 0) {
    return {nullptr, "the NVIDIA driver sees no GPU",
            "Look at CUDA_VISIBLE_DEVICES and at what nvidia-smi says."};
  }
  return {&driver, "", ""};
}

}  // namespace

std::string Driver::describe(CUresult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  error_name(result, &name);
  error_string(result, &text);
  return fmt::format("{}: {}", name ? name : fmt::format("error {}", static_cast<int>(result)),
                     text ? text : "?");
}

void Driver::check(CUresult result, const char* call) const {
  if (result == CUDA_SUCCESS) return;
  throw Error(ExitStatus::unavailable, fmt::format("{} failed with {}", call, describe(result)),
              "See what nvidia-smi says of the GPU; --backend emulator works without it.");
}

void Driver::use_context() const {
  const auto retain = [this] {
    CUdevice first = 0;
    check(device(&first, 0), "cuDeviceGet");
    CUcontext result = nullptr;
    check(retain_context(&result, first), "cuDevicePrimaryCtxRetain");
    return result;
  };
  static const CUcontext context = retain();
  check(set_context(context), "cuCtxSetCurrent");
}

const DriverStatus& driver_status() {
  static const DriverStatus status = load_driver();
  return status;
}

}  // namespace gemm_tutor::gpu
