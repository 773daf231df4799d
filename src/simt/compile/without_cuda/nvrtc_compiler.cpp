// In a build without the CUDA Toolkit's headers.
#include "simt/compile/device_compiler.hpp"

namespace gemm_tutor {

const char* const how_to_get_nvrtc =
    "Build gemm-tutor again where the CUDA Toolkit, 12.4 to 13, is installed (no GPU is needed).";
const bool built_with_cuda = false;

const DeviceCompiler* nvrtc_compiler(std::string& problem) {
  problem = "this gemm-tutor was built without the CUDA Toolkit";
  return nullptr;
}

}  // namespace gemm_tutor
