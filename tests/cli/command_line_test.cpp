// The command line, good and bad, by running the program.
#include <fmt/format.h>

#include <filesystem>

#include "catch.hpp"
#include "documents/json.hpp"
#include "errors.hpp"
#include "gemm/matrices.hpp"
#include "gpu/gpu.hpp"
#include "program.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

// The bytes of three square matrices of this size.
double matrices_bytes(double size) { return 3 * 4 * size * size; }

}  // namespace

TEST_CASE("help and version are for everybody, and fit a terminal") {
  for (const char* arguments : {"--help", "-h", "list --help", "lesson --help", "lesson 3 -h",
                                "run --help", "compare --help", "device --help", "explain --help",
                                "reset --help", "learn --help", "", "--version"}) {
    INFO(arguments);
    const ProgramResult result = run_program(arguments);
    CHECK(result.status == 0);
    CHECK(result.error == "");
    CHECK(contains(result.output, "gemm-tutor"));
    CHECK(widest(result.output) <= 80);
  }
  CHECK(contains(run_program("--help").output,
                 "\n  0  done, and what was run or checked is right\n"));
  CHECK(contains(run_program("").output, "\nNext     gemm-tutor learn"));
}

TEST_CASE("list has the lessons by number and slug") {
  const ProgramResult text = run_program("list");
  CHECK(text.status == 0);
  CHECK(contains(text.output, "shared-memory-tile"));

  const ProgramResult result = run_program("list --format json");
  REQUIRE(result.status == 0);
  const Json lessons = Json::parse(result.output)["lessons"];
  REQUIRE(lessons.size() >= 4);
  const char* slugs[] = {"cpu-loop", "naive-uncoalesced", "naive-coalesced", "shared-memory-tile"};
  for (int number = 0; number < 4; ++number) {
    CHECK(lessons[number]["number"] == number);
    CHECK(lessons[number]["slug"] == slugs[number]);
    CHECK_FALSE(lessons[number]["kernels"].empty());
  }
}

TEST_CASE("list loads neither the driver nor NVRTC nor cuBLAS") {
  // Only the GNU loader tells which libraries it looks for.
  const ProgramResult result = run_program("list", "LD_DEBUG=libs");
  if (!contains(result.error, "find library=libc.so")) SKIP_BECAUSE("this loader has no LD_DEBUG");
  for (const char* library : {"libcuda", "libnvrtc", "libcublas"}) {
    CHECK_FALSE(contains(result.error, library));
  }
}

TEST_CASE("device says what this machine can do") {
  const ProgramResult text = run_program("device");
  CHECK(text.status == 0);
  CHECK(contains(text.output, "\nCompiler "));
  CHECK(widest(text.output) <= 80);
  const ProgramResult result = run_program("device --format json");
  REQUIRE(result.status == 0);
  const Json json = Json::parse(result.output);
  CHECK(json["gpu"]["available"] == gpu::status().available);
  CHECK(json["cpu"]["cores"].get<int>() >= 1);
}

TEST_CASE("lesson 0 as JSON") {
  const ProgramResult result = run_program("lesson 0 --size 64 --format json");
  REQUIRE(result.status == 0);
  CHECK(result.error == "");
  const Json json = Json::parse(result.output);
  CHECK(json["lesson"]["slug"] == "cpu-loop");
  CHECK(json["problem"] == Json({{"m", 64}, {"n", 64}, {"k", 64}}));
  CHECK(json["backend"] == "cpu");
  CHECK(json["timing"]["where"] == "cpu");
  CHECK(json["verification"]["passed"] == true);
  CHECK_FALSE(json.contains("launch"));
  CHECK_FALSE(json.contains("counters"));
}

TEST_CASE("lesson 3 as text: every section, no colour in a pipe, no line too wide") {
  const ProgramResult result = run_program("lesson 3 --size 64");
  INFO(result.error);
  REQUIRE(result.status == 0);
  CHECK(result.error == "");
  for (const char* section :
       {"Idea ", "Source ", "Launch ", "Traffic ", "Timing ", "Result ", "Next "}) {
    CHECK(contains(result.output, std::string("\n") + section));
  }
  CHECK(contains(result.output, "✓ all 4,096 elements within the error bound"));
  CHECK_FALSE(contains(result.output, "\033"));
  CHECK(widest(result.output) <= 80);
}

TEST_CASE("a lesson by its slug, a size by its three sides, and counts that meet the formula") {
  const ProgramResult result = run_program(
      "lesson shared-memory-tile --m 32 --n=64 --k 96 --backend emulator --blocks all "
      "--gpu H200 --seed 7 --format json");
  INFO(result.error);
  REQUIRE(result.status == 0);
  const Json json = Json::parse(result.output);
  CHECK(json["lesson"]["number"] == 3);
  CHECK(json["problem"] == Json({{"m", 32}, {"n", 64}, {"k", 96}}));
  CHECK(json["backend"] == "emulator");
  CHECK(json["counters"]["exact"] == true);
  CHECK(json["traffic"]["counted"] == json["traffic"]["predicted"]);
}

TEST_CASE("sides that are left out are 1024") {
  const ProgramResult result = run_program("lesson 0 --m 2 --format json");
  REQUIRE(result.status == 0);
  CHECK(Json::parse(result.output)["problem"] == Json({{"m", 2}, {"n", 1024}, {"k", 1024}}));
}

TEST_CASE("colour when it is asked for, and plain symbols in a plain locale") {
  CHECK(contains(run_program("list --color always").output, "\033["));
  CHECK_FALSE(contains(run_program("list --color never").output, "\033["));
  CHECK_FALSE(contains(run_program("list", "NO_COLOR=1").output, "\033["));
  for (const char* command : {"lesson 3 --size 64", "list", "device", ""}) {
    CHECK(is_ascii(run_program(command, "LANG=C").output));
  }
}

TEST_CASE("bad sizes name the value") {
  const BadCommand commands[] = {
      {"--size 0", {"--size 0", "too small"}},
      {"--size -5", {"--size -5", "too small"}},
      {"--size abc", {"--size 'abc'", "not a whole number"}},
      {"--size 1e9", {"--size '1e9'", "not a whole number"}},
      {"--size 1.5", {"--size '1.5'"}},
      {"--size ''", {"--size ''"}},
      {"--size ' 64'", {"--size ' 64'"}},
      {"--size 99999999999", {"--size 99999999999", "too large"}},
      {"--size 99999999999999999999999", {"99999999999999999999999", "too large"}},
      {"--size -99999999999999999999999", {"-99999999999999999999999", "too small"}},
      {"--m 0", {"--m 0"}},
      {"--k x", {"--k 'x'"}},
      {"--size 64 --m 32", {"--size 64", "--m 32"}},
      {"--n 32 --size 64", {"--size 64", "--n 32"}},
      {"--size", {"--size"}},
      {"--size 1 --size 2", {"--size"}},
  };
  for (const char* lesson : {"0", "3"}) {
    for (const BadCommand& bad : commands) {
      INFO(lesson << " " << bad.arguments);
      check_error(run_program(fmt::format("lesson {} {}", lesson, bad.arguments)), 2, bad.named);
    }
  }
}

TEST_CASE("bad names say which there are, or the nearest") {
  const BadCommand commands[] = {
      {"lesson", {"gemm-tutor lesson 3"}},
      {"lesson 99", {"99"}},
      {"lesson -1", {"-1"}},
      {"lesson shared-memory-tlie", {"shared-memory-tlie", "shared-memory-tile"}},
      {"lesson ''", {"lesson"}},
      {"lesson 3 --kernel nope", {"nope", "shared_memory_tile"}},
      {"lesson 3 --set NOPE=1", {"NOPE", "BM"}},
      {"lesson 3 --set BM", {"BM", "NAME=VALUE"}},
      {"lesson 3 --set BM=x", {"BM=x", "'x' is not a whole number"}},
      {"lesson 3 --set BM=0", {"BM=0", "less than 1"}},
      {"lesson 3 --set BM=", {"BM=", "'' is not a whole number"}},
      {"lesson 0 --set BM=1", {"BM=1", "no settings"}},
      {"lesson 3 --backend nvidia", {"nvidia", "emulator"}},
      {"lesson 3 --gpu h2000", {"h2000", "h200"}},
      {"lesson 0 --gpu h2000", {"h2000", "h200"}},
      {"lesson 3 --blocks 0", {"--blocks 0"}},
      {"lesson 3 --blocks some", {"--blocks 'some'"}},
      {"lesson 3 --seed -1", {"--seed -1"}},
      {"lesson 3 --format xml", {"xml", "json"}},
      {"list --color purple", {"purple", "always"}},
      {"lesson 3 --siz 64", {"--siz", "--size"}},
      {"lesson 3 --kernal=x", {"--kernal", "--kernel"}},
      {"lesson 3 4", {"'4'"}},
      {"lessons 3", {"lessons", "gemm-tutor lesson"}},
      {"--versoin", {"--versoin", "--version"}},
      {"list everything", {"everything"}},
      {"--what list", {"--what"}},
      {"'li\nst'", {"li\ufffdst"}},
  };
  for (const BadCommand& bad : commands) {
    INFO(bad.arguments);
    check_error(run_program(bad.arguments), 2, bad.named);
  }
}

TEST_CASE("a setting that makes no valid launch") {
  check_error(run_program("lesson 3 --size 64 --set BM=64 --set BN=64 --set BK=64"), 2, {"1,024"});
}

TEST_CASE("a matrix that the kernels cannot index") {
  constexpr double bytes_of_c = 4.0 * 50000 * 50000;
  if (static_cast<double>(available_memory()) < 1.1 * bytes_of_c) {
    SKIP_BECAUSE("too little memory is the first error here");
  }
  for (const char* lesson : {"0", "3"}) {
    check_error(run_program(fmt::format("lesson {} --m 50000 --n 50000 --k 1", lesson)), 2,
                {"50,000", "matrix C"});
  }
}

TEST_CASE("matrices that do not fit: how much is needed and how much there is") {
  constexpr int size = 46340;  // the largest square whose elements an int can index
  if (static_cast<double>(available_memory()) > 0.97 * matrices_bytes(size)) {
    SKIP_BECAUSE("this machine has the memory for it");
  }
  for (const char* lesson : {"0", "3"}) {
    const ProgramResult result =
        run_program(fmt::format("lesson {} --size {} --backend emulator", lesson, size));
    check_error(result, 3, {human_bytes(matrices_bytes(size)), "GiB"});
  }
}

TEST_CASE("the GPU backend without a GPU") {
  if (gpu::status().available) SKIP_BECAUSE("this machine has a GPU");
  check_error(run_program("lesson 3 --size 64 --backend gpu"), 3, {"GPU"});
  // At the start, before the first step: none of the lesson is printed.
  check_error(run_program("learn 3 --plain --backend gpu </dev/null"), 3, {"GPU"});
}

TEST_CASE("output that cannot be written is an error, a reader that has gone is none") {
  if (!std::filesystem::exists("/dev/full")) SKIP_BECAUSE("there is no /dev/full here");
  const ProgramResult full = run_shell("\"$PROGRAM\" list > /dev/full");
  check_error(full, 3, {"cannot be written"});

  const ProgramResult gone =
      run_shell("( sleep 0.3; \"$PROGRAM\" list; echo status $? >&2 ) | true");
  CHECK(gone.error == "status 0\n");
}

TEST_CASE("the library's lesson needs no GPU to explain itself") {
  const ProgramResult result = run_program("lesson cublas --size 2048 --backend emulator");
  CHECK(result.status == 0);
  CHECK(widest(result.output) <= 80);
  CHECK(contains(result.output, "cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K,"));
  CHECK(contains(result.output, "NVIDIA H200, recorded "));
  CHECK(contains(result.output, "not computed: it takes an NVIDIA GPU"));
  CHECK(contains(result.output, "it computes B·A"));
  const Json json =
      Json::parse(run_program("lesson 10 --size 64 --backend emulator --format json").output);
  for (const char* key : {"traffic", "counters", "verification", "timing", "launch"}) {
    CHECK_FALSE(json.contains(key));
  }
  CHECK(json["lesson"]["kernel"] == "cublas");
}
