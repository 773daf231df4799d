#include "run/device_values.hpp"

#include <limits>

#include "support/error.hpp"

namespace gemm_tutor {
namespace {

struct Property {
  const char* member;
  const char* attribute;
  int (*value)(const simt::GpuSpec& gpu);
};

// The extents of blocks and grids are those of the CUDA C++ Programming Guide.
constexpr Property properties[] = {
    {"warpSize", "cudaDevAttrWarpSize", [](const simt::GpuSpec& g) { return g.warp_size; }},
    {"maxThreadsPerBlock", "cudaDevAttrMaxThreadsPerBlock",
     [](const simt::GpuSpec& g) { return g.max_threads_per_block; }},
    {"maxThreadsDim[0]", "cudaDevAttrMaxBlockDimX", [](const simt::GpuSpec&) { return 1024; }},
    {"maxThreadsDim[1]", "cudaDevAttrMaxBlockDimY", [](const simt::GpuSpec&) { return 1024; }},
    {"maxThreadsDim[2]", "cudaDevAttrMaxBlockDimZ", [](const simt::GpuSpec&) { return 64; }},
    {"maxGridSize[0]", "cudaDevAttrMaxGridDimX",
     [](const simt::GpuSpec&) { return std::numeric_limits<int>::max(); }},
    {"maxGridSize[1]", "cudaDevAttrMaxGridDimY", [](const simt::GpuSpec&) { return 65'535; }},
    {"maxGridSize[2]", "cudaDevAttrMaxGridDimZ", [](const simt::GpuSpec&) { return 65'535; }},
    {"maxThreadsPerMultiProcessor", "cudaDevAttrMaxThreadsPerMultiProcessor",
     [](const simt::GpuSpec& g) { return g.max_threads_per_multiprocessor; }},
    {"maxBlocksPerMultiProcessor", "cudaDevAttrMaxBlocksPerMultiprocessor",
     [](const simt::GpuSpec& g) { return g.max_blocks_per_multiprocessor; }},
    {"sharedMemPerBlock", "cudaDevAttrMaxSharedMemoryPerBlock",
     [](const simt::GpuSpec& g) { return g.shared_bytes_per_block; }},
    {"sharedMemPerBlockOptin", "cudaDevAttrMaxSharedMemoryPerBlockOptin",
     [](const simt::GpuSpec& g) { return g.shared_bytes_per_block_optin; }},
    {"sharedMemPerMultiprocessor", "cudaDevAttrMaxSharedMemoryPerMultiprocessor",
     [](const simt::GpuSpec& g) { return g.shared_bytes_per_multiprocessor; }},
    {"reservedSharedMemPerBlock", "cudaDevAttrReservedSharedMemoryPerBlock",
     [](const simt::GpuSpec& g) { return g.reserved_shared_bytes_per_block; }},
    {"regsPerBlock", "cudaDevAttrMaxRegistersPerBlock",
     [](const simt::GpuSpec& g) { return g.registers_per_block; }},
    {"regsPerMultiprocessor", "cudaDevAttrMaxRegistersPerMultiprocessor",
     [](const simt::GpuSpec& g) { return g.registers_per_multiprocessor; }},
    {"l2CacheSize", "cudaDevAttrL2CacheSize",
     [](const simt::GpuSpec& g) { return static_cast<int>(number_of(g, "l2_bytes")); }},
};

}  // namespace

source::DeviceValues device_values(const simt::GpuSpec& gpu) {
  source::DeviceValues values;
  for (const Property& one : properties) {
    values[one.member] = one.value(gpu);
    values[one.attribute] = one.value(gpu);
  }
  return values;
}

int most_occupied_block(const simt::GpuSpec& gpu, const simt::KernelResources& kernel) {
  int best = 0, most = 0;
  for (int threads = gpu.max_threads_per_block; threads > 0; threads -= gpu.warp_size) {
    const simt::Launch launch{.grid = {}, .block = {static_cast<std::uint32_t>(threads)}};
    try {
      const int resident = threads * occupancy(gpu, kernel, launch).blocks_per_multiprocessor;
      if (resident > most) best = threads, most = resident;
    } catch (const Error&) {  // too many registers for a block of that many threads
    }
  }
  return best;
}

}  // namespace gemm_tutor
