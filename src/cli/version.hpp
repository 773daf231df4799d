// What `gemm-tutor --version` says.
#pragma once

#include <string>

namespace gemm_tutor::cli {

// As the build found them; the definition is written by cmake/GenerateVersion.cmake.
struct BuildFacts {
  std::string commit;      // "1a2b3c4d5e6f", with ", modified" after it, or why it is not known
  std::string cuda;        // "CUDA Toolkit 12.9.86" or "without the CUDA Toolkit"
  std::string compiler;    // "GNU 12.2.0"
  std::string build_type;  // "Release"
};

BuildFacts build_facts();

// "gemm-tutor 1.0.0" in a line, and a line for each fact; no line break at the end.
std::string version_text();

}  // namespace gemm_tutor::cli
