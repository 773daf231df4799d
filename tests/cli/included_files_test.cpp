// gemm-tutor run with files that include others, by running the program.
#include <fmt/format.h>

#include "catch.hpp"
#include "errors.hpp"
#include "program.hpp"
#include "simt/compiler.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

namespace {

// A repository in the manner of public ones: host code and kernels in several files.
class Repository {
 public:
  Repository() {
    write("CMakeLists.txt", "project(gemm)\n");
    write("include/check.h",
          "#pragma once\n#include <cuda_runtime.h>\n#include <cublas_v2.h>\n#include <iostream>\n"
          "#define CHECK(x) check((x), __FILE__, __LINE__)\n"
          "void check(cudaError_t error, const char* file, int line);\n"
          "using std::cout;\nconstexpr int TILE = 16;\n");
    write("src/kernels/naive.cuh",
          "#pragma once\n#include \"check.h\"\n\ntemplate <int N>\n"
          "__global__ void naive(const float* A, const float* B, float* C, int M, int n, int K) {\n"
          "  const int row = blockIdx.y * TILE + threadIdx.y;\n"
          "  const int column = blockIdx.x * TILE + threadIdx.x;\n"
          "  float sum = 0;\n"
          "  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * n + column];\n"
          "  C[row * n + column] = sum;\n}\n");
    write("src/main.cu",
          "#include <torch/extension.h>\n#include \"kernels/naive.cuh\"\n"
          "__global__ void empty(const float* A, const float* B, float* C) {}\n"
          "torch::Tensor multiply(torch::Tensor a) { naive<1><<<1, 1>>>(a); return a; }\n"
          "PYBIND11_MODULE(gemm, m) { m.def(\"multiply\", &multiply); }\n");
  }

  void write(const std::string& path, const std::string& text) const {
    REQUIRE(write_file_atomically(folder_.path() / path, text));
  }

  ProgramResult run(const std::string& options) const {
    return run_program(
        fmt::format("run '{}' --block 16x16 --tile 16x16 --backend emulator --gpu h200 {}",
                    (folder_.path() / "src/main.cu").string(), options));
  }

 private:
  TemporaryDirectory folder_;
};

}  // namespace

TEST_CASE("run: a kernel in an included file is shown with that file's lines") {
  const Repository repository;
  const ProgramResult result = repository.run("--entry 'naive<1>' --args A,B,C,M,N,K --size 32");
  INFO(result.error);
  CHECK(result.status == 0);
  CHECK(contains(result.output, "src/kernels/naive.cuh"));
  CHECK(contains(result.output, "   9 │   for (int k = 0; k < K; ++k)"));
  CHECK(contains(result.output, "include/check.h"));

  const ProgramResult wrong = repository.run("--entry 'naive<1>' --args A,B,C,M,N,K --size 40");
  CHECK(wrong.status == 1);
  CHECK(contains(wrong.output, "✗ bounds, lines 9 and 10: "));
}

TEST_CASE("run: what a kernel's parameters do not fit is said with its included file and line") {
  const Repository repository;
  repository.write("src/main.cu", "#include \"kernels/scaled.cuh\"\n");
  repository.write(
      "src/kernels/scaled.cuh",
      "#pragma once\n\n__global__ void scaled(const float* A, const float* B, float* C, "
      "int M, int N, int K,\n                       float p, float q) {}\n");
  const ProgramResult result = repository.run("--args A,B,C,M,N,K");
  CHECK(result.status == 2);
  CHECK(
      contains(result.error, "kernels/scaled.cuh, line 3) has 8 parameters, not the 6 of A, B, C"));
}

TEST_CASE("run: kernels of the file and of those that it includes are listed") {
  const Repository repository;
  const ProgramResult launched = repository.run("--args A,B,C,M,N,K --size 32");
  CHECK(launched.status == 0);
  CHECK(contains(launched.output, "Of the file's 2 kernels, host code launches only naive."));
  repository.write("src/main.cu",
                   "#include \"kernels/naive.cuh\"\n"
                   "__global__ void empty(const float* A, const float* B, float* C) {}\n"
                   "void both(float* a) { naive<1><<<1, 1>>>(a); empty<<<1, 1>>>(a); }\n");
  const ProgramResult own = repository.run("--size 32");
  CHECK(own.status == 1);
  CHECK(contains(own.output, "Of the file's 2 kernels, only empty is in the file itself."));
  repository.write("src/main.cu",
                   "#include \"kernels/naive.cuh\"\n"
                   "#include \"kernels/empty.cuh\"\n"
                   "void both(float* a) { naive<1><<<1, 1>>>(a); empty<<<1, 1>>>(a); }\n");
  repository.write("src/kernels/empty.cuh",
                   "__global__ void empty(const float* A, const float* B, float* C) {}\n");
  const ProgramResult none = repository.run("--size 32");
  CHECK(none.status == 2);
  CHECK(contains(none.error, "has 2 kernels: naive<1>; empty\n"));
  CHECK(contains(none.error, "help: Choose one with --entry, such as --entry 'naive<1>'."));
  const ProgramResult other = repository.run("--size 32 --entry naiv");
  INFO(other.error);
  CHECK(other.status == 2);
  CHECK(contains(other.error, "Did you mean --entry 'naive<1>'?"));
}

TEST_CASE("run: -I names a folder with headers") {
  const Repository repository;
  repository.write("src/main.cu", "#include <sizes.h>\n#include \"kernels/naive.cuh\"\n");
  repository.write("third/party/sizes.h", "#define SIZE 4\n");
  repository.write("other/party/sizes.h", "#define SIZE 8\n");  // of one alone it would be clear
  const std::string options = "--entry 'naive<SIZE>' --args A,B,C,M,N,K --size 32";
  const ProgramResult without = repository.run(options);
  CHECK(without.status == 4);
  CHECK(contains(without.error, "Give the folder that has sizes.h with -I"));
  const ProgramResult wrong = repository.run(options + " -I nowhere");
  CHECK(wrong.status == 2);
  CHECK(contains(wrong.error, "error: -I 'nowhere' is not a folder\n"));
}
