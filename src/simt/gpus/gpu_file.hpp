// A GPU's description as a file, such as gpus/h200.toml. docs/gpus.md describes each key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simt/gpu_spec.hpp"

namespace gemm_tutor::simt {

struct GpuFile {
  const char* name;  // "gpus/h200.toml"
  const char* text;
};

// The files of the folder gpus, which the build embeds (cmake/GenerateGpus.cmake).
const std::vector<GpuFile>& embedded_gpu_files();

// Parses the text of such a file. Throws Error (usage) with the wrong line of `file`.
GpuSpec read_gpu(std::string_view text, const std::string& file);

// Returns the text of such a file.
std::string written_gpu(const GpuSpec& gpu);

// Returns the keys that need a value and its source, for a GPU of that compute capability.
std::vector<std::string> gpu_keys(int compute_major);

// Sets the value of one of gpu_keys().
void set_gpu_value(GpuSpec& gpu, std::string_view key, double value);

}  // namespace gemm_tutor::simt
