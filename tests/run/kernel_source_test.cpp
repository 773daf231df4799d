#include "run/kernel_source.hpp"

#include "checks.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

TEST_CASE("a file is read with those that it includes, also from a folder of -I") {
  const TemporaryDirectory folder;
  const auto path = folder.path() / "src" / "main.cu";
  REQUIRE(write_file_atomically(path,
                                "#include \"near.cuh\"\n#include <far.cuh>\n"
                                "__global__ void k(float* C) {}\n"));
  REQUIRE(write_file_atomically(folder.path() / "src" / "near.cuh",
                                "template <int N>\n__global__ void near(float* C) {}\n"));
  REQUIRE(write_file_atomically(folder.path() / "other" / "far.cuh", "constexpr int n = 4;\n"));

  CHECK(read_kernel_file(path).included.size() == 1);
  const KernelSource kernel =
      read_kernel_file(path, give_a_kernel, {(folder.path() / "other").string()});
  REQUIRE(texts_of(kernel).size() == 3);
  CHECK(texts_of(kernel)[2] == "constexpr int n = 4;\n");
  CHECK(kernel.include_directories.size() == 2);

  CHECK(in_its_file(kernel, "k").file_name == kernel.file_name);
  CHECK(in_its_file(kernel, "near<8>").file_name == kernel.included[0].name);
  CHECK(in_its_file(kernel, "near<8>").source == kernel.included[0].text);
  CHECK(in_its_file(kernel, "nowhere").source == kernel.source);
}

TEST_CASE("a folder of -I that does not exist is an error") {
  const TemporaryDirectory folder;
  const auto path = folder.path() / "main.cu";
  REQUIRE(write_file_atomically(path, "__global__ void k(float* C) {}\n"));
  const Error error = error_of([&] { read_kernel_file(path, give_a_kernel, {path.string()}); });
  CHECK(error.status() == ExitStatus::usage);
  CHECK(std::string(error.what()).ends_with("main.cu' is not a folder"));
  CHECK(error.help() == "Give the folder that has the header, as in -I ../include.");
}
