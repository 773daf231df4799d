// The one kernel of a file that is meant.
#pragma once

#include <string>

#include "compile/compiler.hpp"
#include "model/gpu_spec.hpp"
#include "run/kernel_source.hpp"

namespace gemm_tutor {

struct Entry {
  CompiledKernel compiled;
  std::string name;  // as its own code would call it: "v2<32>"
};

// Throws Error: what compile() throws; (usage), with the kernels there are, when the file has none
// of that name, none at all, or several to choose from.
Entry compile_entry(const KernelSource& kernel, const GpuSpec& gpu);

}  // namespace gemm_tutor
