// What clang writes, as the rest of this program expects it: its diagnostics in the form of
// NVRTC's, its PTX without what only serves to name a kernel.
#pragma once

#include <string>
#include <string_view>

namespace gemm_tutor {

// The folder of this program's own headers, as clang names it in diagnostics.
inline constexpr std::string_view clang_header_folder = "gemm_tutor_headers";

// The variable that is given the address of the kernel wanted, so that the PTX says its name.
inline constexpr std::string_view clang_kernel_variable = "gemm_tutor_kernel";

// Of clang's log with -fdiagnostics-format=msvc and no columns: "FILE(12): error: …", with the
// source line and its mark indented below. Notes stay where they are of a file of the user's,
// without a source line; counts of errors go.
std::string log_like_nvrtc(std::string_view log);

struct ClangPtx {
  std::string text;
  std::string lowered_name;  // of the kernel that the variable holds; empty where there is none
};

// Without the variable, and without declarations of kernels that are defined further down.
ClangPtx without_kernel_variable(std::string_view ptx);

// `architecture` is what was asked for, "sm_90": where clang knows no GPU as new, the PTX is marked
// as being for it all the same, and of a version that knows it: inline assembly may need both.
std::string marked_for(const std::string& ptx, const std::string& architecture);

}  // namespace gemm_tutor
