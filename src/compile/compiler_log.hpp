// What NVRTC's log says: the compiler's diagnostics, and the assembler's report (ptxas -v).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.hpp"
#include "model/occupancy.hpp"

namespace gemm_tutor {

struct Diagnostic {
  enum class Severity { warning, error };
  Severity severity = Severity::error;
  std::string text;  // as the compiler wrote it: "FILE(12): error: …", the source line and its mark
};

// In the order of the log; the compiler's summaries and remarks and the assembler's report left
// out.
std::vector<Diagnostic> diagnostics(std::string_view log);

// What one severity's diagnostics say, a line break between them.
std::string joined(const std::vector<Diagnostic>& diagnostics, Diagnostic::Severity severity);

// The warnings about that file's own lines, each once. Warnings about unused variables are left
// out: a file with gaps has many of them until the gaps are filled.
std::vector<CompilerWarning> useful_warnings(std::string_view log, std::string_view file_name);

// Of every kernel that the assembler reports, by mangled name.
std::map<std::string, KernelResources> assembler_report(std::string_view log);

}  // namespace gemm_tutor
