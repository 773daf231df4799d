// A GPU as a file, gpus/h200.toml: docs/gpus.md says what each key means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/gpu_spec.hpp"

namespace gemm_tutor {

struct GpuFile {
  const char* name;  // "gpus/h200.toml"
  const char* text;
};

// Those of the folder gpus, as the build embedded them (cmake/GenerateGpus.cmake).
const std::vector<GpuFile>& embedded_gpu_files();

// Throws Error (usage) with the line of `file` that is wrong.
GpuSpec read_gpu(std::string_view text, const std::string& file);

// The text of such a file.
std::string written_gpu(const GpuSpec& gpu);

// The keys that a value must be given for, with its source, of a GPU of that compute capability.
std::vector<std::string> gpu_keys(int compute_major);

// Sets the value of such a key.
void set_gpu_value(GpuSpec& gpu, std::string_view key, double value);

}  // namespace gemm_tutor
