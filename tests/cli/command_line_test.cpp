// The command line, good and bad, by running the program.
#include <fmt/format.h>

#include <filesystem>

#include "catch.hpp"
#include "errors.hpp"
#include "gemm/matrices.hpp"
#include "gpu/gpu.hpp"
#include "program.hpp"
#include "report/json.hpp"
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
}

TEST_CASE("list has the lessons by number and slug") {
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

// tests/golden has their words.
TEST_CASE("a wrong command line is said in two lines of standard error, by every command") {
  for (const char* arguments : {"lessons 3",
                                "--versoin",
                                "list everything",
                                "lesson",
                                "lesson 99",
                                "lesson 3 --size 0",
                                "lesson 3 --siz 64",
                                "lesson 3 --set BM=x",
                                "lesson 3 --html /",
                                "lesson 0 --size abc",
                                "learn 99",
                                "compare 99",
                                "compare 2 --size 64x",
                                "run",
                                "trace",
                                "trace 3 --warp x",
                                "trace 3 --thread 18 --tiles",
                                "tune --budget 0",
                                "exercise start 77",
                                "check missing.cu",
                                "hint 99",
                                "solution",
                                "watch",
                                "grade",
                                "grade /no/such/folder",
                                "grade-one 99 emulator",
                                "explain wrap",
                                "reset --ye",
                                "device --gpu h2000",
                                "list --course /no/such/course"}) {
    INFO(arguments);
    check_error(run_program(arguments), 2, {});
  }
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

TEST_CASE("the library's lesson counts nothing without a GPU") {
  const Json json =
      Json::parse(run_program("lesson 10 --size 64 --backend emulator --format json").output);
  for (const char* key : {"traffic", "counters", "verification", "timing", "launch"}) {
    CHECK_FALSE(json.contains(key));
  }
  CHECK(json["lesson"]["kernel"] == "cublas");
}
