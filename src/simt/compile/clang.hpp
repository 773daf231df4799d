// clang as the compiler of kernels: its headers, which replace NVIDIA's and the system's, and its
// output in the form of NVRTC's, which the rest of simt expects.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor::simt {

// Returns false if they cannot be written.
bool write_clang_headers(const std::filesystem::path& folder);

// Returns clang's options to use only these headers.
std::vector<std::string> clang_header_options(const std::string& folder);

// The name of these headers' folder in clang's diagnostics.
inline constexpr std::string_view clang_header_folder = "simt_headers";

// A variable that the source sets to the wanted kernel's address. So the PTX has the kernel's
// mangled name.
inline constexpr std::string_view clang_kernel_variable = "__simt_kernel";

// Converts clang's log, made with -fdiagnostics-format=msvc and no columns, to "FILE(12): error: …"
// with the source line and its mark indented below. Keeps notes on the user's files, without source
// lines. Removes counts of errors.
std::string log_like_nvrtc(std::string_view log);

struct ClangPtx {
  std::string text;
  std::string lowered_name;  // mangled name of the variable's kernel; empty if there is none
};

// Removes the variable, and declarations of kernels that are defined further down.
ClangPtx without_kernel_variable(std::string_view ptx);

// Sets the PTX's target to the requested architecture, "sm_90", and its version to one that
// supports this target. clang may not know the architecture, but inline assembly may need both.
std::string marked_for(const std::string& ptx, const std::string& architecture);

}  // namespace gemm_tutor::simt
