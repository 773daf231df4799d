// What host code can ask of a GPU.
#pragma once

#include "simt/gpu_spec.hpp"
#include "source/host_launch.hpp"

namespace gemm_tutor {

// The members of cudaDeviceProp and the attributes of cudaDeviceGetAttribute that say how large a
// block or a tile may be.
source::DeviceValues device_values(const simt::GpuSpec& gpu);

// The threads of a block that cudaOccupancyMaxPotentialBlockSize finds for a kernel without dynamic
// shared memory: the most of those with which an SM has the most threads.
int most_occupied_block(const simt::GpuSpec& gpu, const simt::KernelResources& kernel);

}  // namespace gemm_tutor
