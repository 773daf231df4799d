// gemm-tutor tune, good and bad, by running the program.
#include "compile/compiler.hpp"
#include "documents/json.hpp"
#include "errors.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

TEST_CASE("tune: a wrong command line says so") {
  check_error(run_program("tune --budget 0"), 2, {"--budget 0"});
  check_error(run_program("tune --budget 1e3"), 2, {"--budget '1e3'"});
  check_error(run_program("tune --configurations 0"), 2, {"--configurations 0"});
  check_error(run_program("tune --size 0"), 2, {"--size 0"});
  check_error(run_program("tune --size 64 --m 64"), 2, {"--m"});
  check_error(run_program("tune --forget --gpu h2000"), 2, {"h2000", "h200"});
  check_error(run_program("tune --format xml"), 2, {"xml"});
  check_error(run_program("tune 13"), 2, {"13"});
}

TEST_CASE("tune: what is stored for a GPU is forgotten") {
  const TemporaryDirectory directory;
  const std::string state = "XDG_STATE_HOME='" + directory.path().string() + "'";
  const ProgramResult none = run_program("tune --forget --gpu h200", state);
  CHECK(none.status == 0);
  CHECK(contains(none.output, "Nothing is stored for NVIDIA H200."));
  const auto path = directory.path() / "gemm-tutor" / "tuning.json";
  const std::string entry =
      R"({"settings": {"BM": 64}, "problem": {"m": 1, "n": 1, "k": 1}, "median_ms": 1,
          "date": "2026-11-21", "version": "0.1.0"})";
  write_file_atomically(
      path, R"({"version": 1, "gpus": {"NVIDIA H200": {"some": {"1": )" + entry + "}}}}");
  CHECK(contains(run_program("tune --forget --gpu h200", state).output, "is forgotten"));
  CHECK_FALSE(contains(read_file(path).value(), "H200"));
  write_file_atomically(path, "damaged");
  check_error(run_program("tune --forget --gpu h200", state), 3,
              {"nothing is removed", "is damaged", "delete it"});
}

TEST_CASE("tune: without a GPU the table is of estimates, and nothing is stored") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  const TemporaryDirectory directory;
  const std::string state = "XDG_STATE_HOME='" + directory.path().string() + "'";
  const ProgramResult text = run_program("tune --size 512 --gpu h200 --configurations 4", state);
  INFO(text.error);
  CHECK(text.status == 0);
  CHECK(text.error == "");
  CHECK(widest(text.output) <= 80);
  CHECK(contains(text.output, "4 of 4 configurations estimated for the NVIDIA"));
  CHECK_FALSE(std::filesystem::exists(directory.path() / "gemm-tutor" / "tuning.json"));
  const ProgramResult output =
      run_program("tune --size 512 --gpu h200 --configurations 4 --format json", state);
  const Json json = Json::parse(output.output);
  CHECK(json["measured"] == false);
  double before = 0;
  for (const Json& configuration : json["configurations"]) {
    const double now = configuration["estimate"]["median_ms"];
    CHECK(now >= before);
    before = now;
  }
}

TEST_CASE("tune: without machine code there is nothing to estimate from") {
  if (!clang_status().available) SKIP_BECAUSE(clang_status().problem);
  check_error(run_program("tune --size 64 --gpu a100", "GEMM_TUTOR_COMPILER=clang"), 3,
              {"nothing can be estimated", "no machine code", "NVRTC"});
}
