// Where the GPU has a block's shared memory, as the emulator's tests ask for it.
#include <algorithm>
#include <cstring>

#include "catch.hpp"
#include "emulator/address_kernels.hpp"
#include "gpu/gpu.hpp"
#include "simt/compiler.hpp"
#include "simt/exec/address_space.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;

TEST_CASE("the GPU has the arrays of shared memory where the emulator has them") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  if (!compiler_status().available) SKIP_BECAUSE(compiler_status().problem);
  const GpuSpec& gpu = gpu::status().spec;
  const int architecture = 10 * gpu.compute_major + gpu.compute_minor;
  const CompiledKernel kernel =
      compile({address_kernels, "kernel.cu", "sm_" + std::to_string(architecture), "", {}}, {});
  const std::vector<float> unused(64);
  gpu::Session session(Problem{8, 8, 8}, unused, unused);
  std::span<const char> code = kernel.cubin;
  if (code.empty()) code = {kernel.ptx.c_str(), kernel.ptx.size() + 1};
  for (const AddressKernel& expected : address_kernel_table) {
    const std::vector<float> c = session.run({.code = code,
                                              .lowered_name = expected.entry,
                                              .launch = address_kernels_launch,
                                              .parameters = {{Role::c, 8}}});
    for (std::size_t i = 0; i < expected.offsets.size(); ++i) {
      std::uint32_t address = 0;
      std::memcpy(&address, &c[i], sizeof address);
      INFO(expected.entry << ", address " << i);
      CHECK(address == first_shared_address(architecture) + expected.offsets[i]);
    }
  }
}
