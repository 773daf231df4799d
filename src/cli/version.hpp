// The output of `gemm-tutor --version`.
#pragma once

#include <string>

namespace gemm_tutor::cli {

// Facts about the build. cmake/GenerateVersion.cmake writes the definition.
struct BuildFacts {
  std::string commit;      // "1a2b3c4d5e6f", or with ", modified", or why it is not known
  std::string compiler;    // "GNU 12.2.0"
  std::string build_type;  // "Release"
};

BuildFacts build_facts();

// Returns "gemm-tutor 1.0.0" and one line per fact, without a line break at the end.
std::string version_text();

}  // namespace gemm_tutor::cli
