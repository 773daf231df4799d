#include "simt/compile/compiler_log.hpp"

#include "catch.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;

namespace {

constexpr const char* with_warning = R"(dir/kernel.cu(5): warning #177-D: variable "x" was unused
    int x = 1;
        ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4tilePf' for 'sm_90'
ptxas info    : Function properties for _Z4tilePf
ptxas         .     800 bytes stack frame, 24 bytes spill stores, 36 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 800 bytes cumulative stack size, 8192 bytes smem
ptxas info    : Compile time = 16.819 ms
ptxas info    : Compiling entry function 'plain' for 'sm_90'
ptxas info    : Function properties for plain
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 0 barriers
)";

// As CUDA 12 writes it: no barriers, no mark before the second line.
constexpr const char* cuda_12 = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'tile' for 'sm_75'
ptxas info    : Function properties for tile
    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 32 registers, 8192 bytes smem, 380 bytes cmem[0]
)";

constexpr const char* with_errors = R"(kernel.cu(3): error: identifier "nope" is undefined
  C[0] = nope;
         ^

kernel.cu(4): warning #177-D: variable "x" was unused
  int x;
      ^

kernel.cu(9): error: expected a ";"
  }
  ^

Error limit reached.
2 errors detected in the compilation of "kernel.cu".
)";

}  // namespace

TEST_CASE("the assembler's report gives each kernel's resources") {
  const auto report = assembler_report(with_warning);
  REQUIRE(report.size() == 2);
  CHECK(report.at("_Z4tilePf") == KernelResources{40, 8192, 800, 24, 36});
  CHECK(report.at("plain") == KernelResources{10, 0, 0, 0, 0});
  CHECK(assembler_report(cuda_12).at("tile") == KernelResources{32, 8192, 16, 8, 4});
}

TEST_CASE("a function that a kernel calls counts towards the kernel's stack and spills") {
  const auto report = assembler_report(
      "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
      "ptxas info    : Function properties for k\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 34 registers, used 0 barriers, 472 bytes cumulative stack size\n"
      "ptxas info    : Function properties for f\n"
      "ptxas         .     472 bytes stack frame, 52 bytes spill stores, 56 bytes spill loads\n");
  CHECK(report.at("k") == KernelResources{34, 0, 472, 52, 56});
}

TEST_CASE("of a log only the diagnostics are kept, whole and by severity") {
  const auto warnings = diagnostics(with_warning);
  REQUIRE(warnings.size() == 1);
  CHECK(joined(warnings, Diagnostic::Severity::warning) ==
        "dir/kernel.cu(5): warning #177-D: variable \"x\" was unused\n    int x = 1;\n        ^");
  CHECK(joined(warnings, Diagnostic::Severity::error).empty());

  const auto errors = diagnostics(with_errors);
  REQUIRE(errors.size() == 3);
  CHECK(joined(errors, Diagnostic::Severity::error) ==
        "kernel.cu(3): error: identifier \"nope\" is undefined\n  C[0] = nope;\n         ^\n"
        "kernel.cu(9): error: expected a \";\"\n  }\n  ^");
}

TEST_CASE("useful warnings are of the file's own lines, each once, and not of what is unused") {
  const std::string log =
      "my (1).cu(7): warning #549-D: variable \"sum\" is used before its value is set\n"
      "    sum += A[0];\n    ^\n"
      "          detected during instantiation of \"void tile<BM>()\" at line 9\n\n"
      "my (1).cu(3): warning #940-D: missing return statement at end of \"f\"\n  }\n  ^\n\n"
      "my (1).cu(7): warning #549-D: variable \"sum\" is used before its value is set\n"
      "my (1).cu(4): warning #177-D: variable \"x\" was declared but never referenced\n"
      "my (1).cu(5): warning #550-D: variable \"y\" was set but never used\n"
      "my (1).cu(6): warning: unused variable 'z'\n"
      "my (1).cu(8): error: no\n"
      "my (1).cuh(8): warning #940-D: missing return statement at end of \"g\"\n"
      "__nv_name_map(1): warning #1-D: of the program's own\n"
      "ptxas warning : Stack size for entry function cannot be determined\n";
  const std::vector<CompilerWarning> warnings = useful_warnings(log, "my (1).cu");
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].line == 3);
  CHECK(warnings[0].message == "missing return statement at end of \"f\"");
  CHECK(warnings[1].line == 7);
  CHECK(warnings[1].message == "variable \"sum\" is used before its value is set");
  CHECK(warnings[1].text ==
        "my (1).cu(7): warning #549-D: variable \"sum\" is used before its value is set\n"
        "    sum += A[0];\n    ^");
  CHECK(useful_warnings(log, "other.cu").empty());
  for (std::size_t end = 0; end < log.size(); ++end) {
    useful_warnings(std::string_view(log).substr(0, end), "my (1).cu");
  }
}

TEST_CASE("a log that is empty, cut off or something else is no trouble") {
  CHECK(diagnostics("").empty());
  CHECK(assembler_report("").empty());
  CHECK(assembler_report("ptxas info    : Used 32 registers").empty());
  CHECK(assembler_report("Compiling entry function 'k").size() == 1);
  CHECK(assembler_report("Compiling entry function 'k'\nUsed  registers").at("k") ==
        KernelResources{});
  CHECK(diagnostics("   indented from the start").size() == 1);
}
