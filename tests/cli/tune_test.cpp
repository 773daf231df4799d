// gemm-tutor tune, good and bad, by running the program.
#include "documents/json.hpp"
#include "errors.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

TEST_CASE("tune: a wrong command line says so") {
  check_error(run_program("tune --budget 0"), 2, {"--budget 0"});
  check_error(run_program("tune --budget 1e3"), 2, {"--budget '1e3'"});
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

TEST_CASE("tune: without a GPU the table is a model's, and nothing is stored") {
  const TemporaryDirectory directory;
  const std::string state = "XDG_STATE_HOME='" + directory.path().string() + "'";
  const ProgramResult text = run_program("tune --size 256 --gpu a100", state);
  INFO(text.error);
  CHECK(text.status == 0);
  CHECK(text.error == "");
  CHECK(widest(text.output) <= 80);
  CHECK(contains(text.output, "A model only"));
  CHECK_FALSE(std::filesystem::exists(directory.path() / "gemm-tutor" / "tuning.json"));
  const ProgramResult json = run_program("tune --size 256 --gpu a100 --format json", state);
  CHECK(Json::parse(json.output)["measured"] == false);
}
