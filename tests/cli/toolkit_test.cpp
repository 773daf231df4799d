// One program runs with and without NVIDIA's libraries, and says what it found where.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "checks.hpp"
#include "program.hpp"
#include "simt/compiler.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

namespace {

namespace fs = std::filesystem;

nlohmann::json device(const std::string& environment, const std::string& program = "$PROGRAM") {
  const ProgramResult result =
      run_shell(fmt::format("\"{}\" device --format json", program), environment);
  REQUIRE(result.status == 0);
  return nlohmann::json::parse(result.output);
}

// What is missing of NVRTC.
std::string problem_of_nvrtc(const nlohmann::json& device) {
  for (const auto& missing : device["missing"]) {
    if (missing["what"] == "NVRTC") return missing["problem"];
  }
  return "";
}

}  // namespace

TEST_CASE("without NVIDIA's libraries clang compiles, and what is missing is said") {
  const nlohmann::json without = device("CUDA_PATH=/nowhere");
  CHECK(without["nvrtc"]["available"] == false);
  CHECK(problem_of_nvrtc(without) == "CUDA_PATH is /nowhere, where libnvrtc is not");
  if (!simt::clang_status().available) SKIP_BECAUSE(simt::clang_status().problem);
  CHECK(contains(without["compiler"].get<std::string>(), "clang"));
  const ProgramResult lesson = run_program("lesson 1 --size 64 --brief", "CUDA_PATH=/nowhere");
  CHECK(lesson.status == 0);
}

TEST_CASE("NVRTC is taken from CUDA_PATH, and from the Python environment that the program is in") {
  const simt::CompilerStatus nvrtc = simt::nvrtc_status();
  if (!nvrtc.available) SKIP_BECAUSE(nvrtc.problem);
  const fs::path toolkit = fs::path(nvrtc.path).parent_path().parent_path();
  const nlohmann::json chosen = device("CUDA_PATH='" + toolkit.string() + "'");
  CHECK(chosen["nvrtc"]["path"].get<std::string>().starts_with(toolkit.string()));

  // The layouts of NVIDIA's packages for CUDA 13 and 12.
  for (const char* package : {"cu13", "cuda_nvrtc"}) {
    INFO(package);
    const TemporaryDirectory environment;
    const fs::path packages = environment.path() / "lib/python3.11/site-packages";
    fs::create_directories(packages / "gemm_tutor/bin");
    fs::create_directories(packages / "nvidia");
    const std::string program = (packages / "gemm_tutor/bin/gemm-tutor").string();
    fs::copy_file(PROJECT_BINARY_DIR "/gemm-tutor", program);
    fs::create_directory_symlink(toolkit, packages / "nvidia" / package);
    const nlohmann::json found = device("CUDA_PATH=", program);
    CHECK(found["nvrtc"]["path"].get<std::string>().starts_with(
        (packages / "nvidia" / package).string()));
    const ProgramResult lesson =
        run_shell(fmt::format("'{}' lesson 1 --size 64 --brief", program), "CUDA_PATH=");
    CHECK(lesson.status == 0);
  }
}
