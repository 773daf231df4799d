// The headers that clang compiles kernels with. They replace NVIDIA's and the system's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gemm_tutor {

// Writes the headers. Returns false if they cannot be written.
bool write_clang_headers(const std::filesystem::path& folder);

// Returns clang's options to use only these headers.
std::vector<std::string> clang_header_options(const std::string& folder);

// Returns all options that clangd needs for a kernel's file.
std::vector<std::string> clangd_options(const std::string& folder);

}  // namespace gemm_tutor
