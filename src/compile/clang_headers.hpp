// The headers with which clang compiles kernels, in place of NVIDIA's and the system's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gemm_tutor {

// False where they cannot be written.
bool write_clang_headers(const std::filesystem::path& folder);

// What clang is told to use them and no others.
std::vector<std::string> clang_header_options(const std::string& folder);

// All that clangd needs to read a kernel's file.
std::vector<std::string> clangd_options(const std::string& folder);

}  // namespace gemm_tutor
