// gemm-tutor tune, good and bad, by running the program.
#include "errors.hpp"
#include "report/json.hpp"
#include "simt/compiler.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

TEST_CASE("tune: what is stored for a GPU is forgotten, unless it is damaged") {
  const TemporaryDirectory directory;
  const std::string state = "XDG_STATE_HOME='" + directory.path().string() + "'";
  const auto path = directory.path() / "gemm-tutor" / "tuning.json";
  const std::string entry =
      R"({"settings": {"BM": 64}, "problem": {"m": 1, "n": 1, "k": 1}, "median_ms": 1,
          "date": "2026-11-21", "version": "0.1.0"})";
  write_file_atomically(
      path, R"({"version": 1, "gpus": {"NVIDIA H200": {"some": {"1": )" + entry + "}}}}");
  CHECK(run_program("tune --forget --gpu h200", state).status == 0);
  CHECK_FALSE(contains(read_file(path).value(), "H200"));
  write_file_atomically(path, "damaged");
  check_error(run_program("tune --forget --gpu h200", state), 3, {});
}

TEST_CASE("tune: without a GPU the table is of estimates, and nothing is stored") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  const TemporaryDirectory directory;
  const std::string state = "XDG_STATE_HOME='" + directory.path().string() + "'";
  const ProgramResult output =
      run_program("tune --size 512 --gpu h200 --configurations 4 --format json", state);
  CHECK_FALSE(std::filesystem::exists(directory.path() / "gemm-tutor" / "tuning.json"));
  const Json json = Json::parse(output.output);
  CHECK(json["measured"] == false);
  double before = 0;
  for (const Json& configuration : json["configurations"]) {
    const double now = configuration["estimate"]["median_ms"];
    CHECK(now >= before);
    before = now;
  }
}
