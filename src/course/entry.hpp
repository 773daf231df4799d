// The one kernel of a file that is meant.
#pragma once

#include <string>
#include <vector>

#include "compile/compiler.hpp"
#include "course/excerpt.hpp"
#include "course/kernel_source.hpp"
#include "model/gpu_spec.hpp"

namespace gemm_tutor {

struct Entry {
  CompiledKernel compiled;
  std::string name;  // as its own code would call it: "v2<32>"
};

// Throws Error: what compile() throws; (usage), with the kernels there are, when the file has none
// of that name, none at all, or several to choose from.
Entry compile_entry(const KernelSource& kernel, const GpuSpec& gpu);

// The lines of the kernel called `name`, from its head to its closing brace; of a short file all;
// none where it stands in another file.
std::vector<SourceLine> kernel_lines(const std::string& source, const std::string& name);

// `shown`, and all of each function of the file that has a line in `counted` which is not among
// them; in a class, which is no such function, that line alone. In the order of the file.
std::vector<SourceLine> with_counted_functions(const std::vector<SourceLine>& shown,
                                               const std::string& source,
                                               const std::vector<int>& counted);

}  // namespace gemm_tutor
