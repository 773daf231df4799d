// Kernels that need no NVRTC: PTX text, which the driver compiles itself.
#pragma once

#include "gpu/gpu.hpp"

namespace gemm_tutor::gpu {

// `name` of these: copy_a sets C to the first M·N elements of A; leave_c does nothing;
// write_nowhere stores to address 0.
DeviceKernel ptx_kernel(const char* name, const simt::Launch& launch);

}  // namespace gemm_tutor::gpu
