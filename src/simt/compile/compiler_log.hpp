// Parses NVRTC's log: the compiler's diagnostics and the assembler's report (ptxas -v).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simt/compiler.hpp"
#include "simt/gpu_spec.hpp"

namespace gemm_tutor::simt {

struct Diagnostic {
  enum class Severity { warning, error };
  Severity severity = Severity::error;
  std::string text;  // the compiler's text: "FILE(12): error: …", the source line and its mark
};

// Returns the diagnostics in the order of the log, without summaries, remarks and the assembler's
// report.
std::vector<Diagnostic> diagnostics(std::string_view log);

// Joins the texts of the diagnostics of one severity with line breaks.
std::string joined(const std::vector<Diagnostic>& diagnostics, Diagnostic::Severity severity);

// Returns the warnings about lines of that file, each once. Leaves out warnings about unused
// variables, because an unfinished kernel has many of them.
std::vector<CompilerWarning> useful_warnings(std::string_view log, std::string_view file_name);

// Returns the resources of every kernel in the assembler's report, by mangled name.
std::map<std::string, KernelResources> assembler_report(std::string_view log);

}  // namespace gemm_tutor::simt
