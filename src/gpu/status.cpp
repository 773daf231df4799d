#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "gpu/cublas.hpp"
#include "gpu/driver.hpp"
#include "gpu/gpu.hpp"
#include "support/dynamic_library.hpp"
#include "support/error.hpp"

namespace gemm_tutor::gpu {
namespace {

// Returns the driver's version from its management library (NVML); otherwise the CUDA version that
// it supports. (The three functions are declared here because not every toolkit has NVML's header.)
std::string driver_version(const Driver& driver) {
  constexpr int success = 0;
  char version[80] = "";
  std::string problem;
  if (const auto nvml = DynamicLibrary::open({"libnvidia-ml.so.1"}, problem)) {
    const auto init = nvml->function<int()>("nvmlInit_v2");
    const auto get = nvml->function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    const auto shutdown = nvml->function<int()>("nvmlShutdown");
    if (init && get && shutdown && init() == success) {
      const bool known = get(version, sizeof version) == success;
      shutdown();
      if (known) return version;
    }
  }
  int cuda = 0;
  driver.version(&cuda);
  return fmt::format("for CUDA {}.{}", cuda / 1000, cuda % 1000 / 10);
}

// FFMAs that an SM starts per cycle, by compute capability (CUDA C++ Programming Guide, arithmetic
// instructions).
int fp32_lanes(int major, int minor) { return major == 7 || (major == 8 && minor == 0) ? 64 : 128; }

// The name for --gpu: "h200" for a known GPU, otherwise the device's name in that form.
std::string short_name(const std::string& full_name) {
  if (const simt::GpuSpec* known = simt::known_by_driver_name(full_name)) return known->name;
  std::string name = full_name.starts_with("NVIDIA ") ? full_name.substr(7) : full_name;
  for (char& c : name)
    c = c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

simt::GpuSpec device_spec(const Driver& driver, CUdevice device) {
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    driver.check(driver.device_attribute(&value, which, device), "cuDeviceGetAttribute");
    return value;
  };
  char name[256] = "";
  driver.check(driver.device_name(name, sizeof name, device), "cuDeviceGetName");

  simt::GpuSpec spec;
  spec.full_name = name;
  spec.name = short_name(name);
  spec.compute_major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  spec.compute_minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  spec.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  spec.clock_ghz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * 1e-6;  // from kHz
  spec.fp32_lanes_per_multiprocessor = fp32_lanes(spec.compute_major, spec.compute_minor);
  // Two transfers per clock (kHz) over a bus with a width in bits.
  spec.memory_bandwidth = 2e3 * attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
                          attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
  spec.warp_size = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  spec.max_threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  spec.max_threads_per_multiprocessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  spec.max_blocks_per_multiprocessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  spec.registers_per_multiprocessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  spec.registers_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  spec.shared_bytes_per_multiprocessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  spec.shared_bytes_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  spec.shared_bytes_per_block_optin =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  spec.reserved_shared_bytes_per_block =
      attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  simt::set_details(spec);
  return spec;
}

Status look() {
  Status status;
  const DriverStatus& found = driver_status();
  status.problem = found.problem;
  status.help = found.help;
  if (!found.driver) return status;  // do not load cuBLAS, which takes long
  const CublasStatus& cublas = cublas_status();
  status.cublas_available = cublas.library != nullptr;
  status.cublas_problem = cublas.problem;
  if (cublas.library) status.cublas_version = cublas.library->version();
  try {
    CUdevice device = 0;
    found.driver->check(found.driver->device(&device, 0), "cuDeviceGet");
    status.spec = device_spec(*found.driver, device);
    status.driver = driver_version(*found.driver);
    found.driver->use_context();
    found.driver->check(found.driver->memory_info(&status.free_memory, &status.total_memory),
                        "cuMemGetInfo");
    status.available = true;
  } catch (const Error& error) {
    status.problem = error.what();
    status.help = error.help();
  }
  return status;
}

}  // namespace

const Status& status() {
  static const Status seen = look();
  return seen;
}

}  // namespace gemm_tutor::gpu
