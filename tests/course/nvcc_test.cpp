// A learner can copy a kernel, and the launch that the report shows, into a program of their own.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "course/embedded_lessons.hpp"
#include "course_checks.hpp"
#include "support/file.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

// Empty where there is none.
fs::path find_nvcc() {
  const char* path = std::getenv("PATH");
  std::istringstream directories(std::string(path ? path : "") + ":/usr/local/cuda/bin");
  for (std::string directory; std::getline(directories, directory, ':');) {
    if (const fs::path nvcc = fs::path(directory) / "nvcc"; fs::exists(nvcc)) return nvcc;
  }
  return {};
}

std::string program_with(const Lesson& lesson, const Kernel& kernel) {
  const LessonRun run = run_kernel(lesson, kernel, kernel.settings, on_emulator({64, 64, 64}));
  const std::string workspace = kernel.second_pass.empty() ? "" : ", float* partial";
  std::string launches = "  " + run.launch->statement + ";\n";
  if (run.second_launch) launches += "  " + run.second_launch->statement + ";\n";
  return lesson.source +
         "\nvoid launch(const float* A, const float* B, float* C, int M, int N, int K" + workspace +
         ") {\n" + launches + "}\n";
}

// Empty where any GPU will do.
std::string architecture(const Kernel& kernel) {
  if (kernel.compute_capability == 0) return "";
  return fmt::format(" -arch=sm_{}", kernel.compute_capability);
}

bool compiles(const fs::path& nvcc, const fs::path& program, const std::string& options = "") {
  const std::string command = "\"" + nvcc.string() + "\"" + options + " -c \"" + program.string() +
                              "\" -o \"" + program.string() + ".o\"";
  return std::system(command.c_str()) == 0;
}

}  // namespace

TEST_CASE("every CUDA kernel compiles with nvcc, with its launch statement", "[nightly]") {
  const fs::path nvcc = find_nvcc();
  if (nvcc.empty()) SKIP_BECAUSE("there is no nvcc in PATH or /usr/local/cuda/bin");
  const fs::path directory = fs::path(PROJECT_BINARY_DIR) / "nvcc_test";
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      if (!kernel.is_cuda()) continue;
      INFO(kernel.name);
      const fs::path program = directory / (kernel.name + ".cu");
      REQUIRE(write_file_atomically(program, program_with(lesson, kernel)));
      CHECK(compiles(nvcc, program, architecture(kernel)));
    }
  }
  fs::remove_all(directory);
}

TEST_CASE("the library's call compiles with nvcc") {
  const fs::path nvcc = find_nvcc();
  if (nvcc.empty()) SKIP_BECAUSE("there is no nvcc in PATH or /usr/local/cuda/bin");
  const fs::path program = fs::path(PROJECT_BINARY_DIR) / "nvcc_library_test" / "cublas.cu";
  REQUIRE(write_file_atomically(program, find_lesson("cublas").source));
  CHECK(compiles(nvcc, program));
  fs::remove_all(program.parent_path());
}

TEST_CASE("the program of the chapter on the machine compiles with nvcc") {
  const fs::path nvcc = find_nvcc();
  if (nvcc.empty()) SKIP_BECAUSE("there is no nvcc in PATH or /usr/local/cuda/bin");
  const fs::path program = fs::path(PROJECT_BINARY_DIR) / "nvcc_machine_test" / "multiply.cu";
  REQUIRE(write_file_atomically(program, embedded_machine_program()));
  CHECK(compiles(nvcc, program));
  fs::remove_all(program.parent_path());
}

}  // namespace gemm_tutor
