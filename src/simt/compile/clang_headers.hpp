// The headers that clang compiles kernels with. They replace NVIDIA's and the system's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gemm_tutor::simt {

// Returns false if they cannot be written.
bool write_clang_headers(const std::filesystem::path& folder);

// Returns clang's options to use only these headers.
std::vector<std::string> clang_header_options(const std::string& folder);

}  // namespace gemm_tutor::simt
