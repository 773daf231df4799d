// gemm-tutor trace, traceable and bad, by running the program.
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "errors.hpp"
#include "report/json.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

namespace {

namespace fs = std::filesystem;

const std::string head =
    "__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {\n";

// Line 3 is a broadcast and a row, line 4 a row.
const std::string traceable = head +
                              "  const int t = threadIdx.y * 32 + threadIdx.x;\n"
                              "  const float sum = A[blockIdx.y * K] + B[t];\n"
                              "  C[t] = sum;\n}\n";

class TracedFile {
 public:
  explicit TracedFile(const std::string& contents)
      : path_((directory_.path() / "own.cu").string()) {
    REQUIRE(write_file_atomically(path_, contents));
  }
  ProgramResult trace(const std::string& options) const {
    return run_program(fmt::format("trace '{}' --block 32x2 --tile 32x32 --size 64 --gpu h200 {}",
                                   path_, options));
  }

 private:
  TemporaryDirectory directory_;
  std::string path_;
};

Json json_of(const ProgramResult& result) {
  INFO(result.error);
  REQUIRE(result.status == 0);
  return Json::parse(result.output);
}

}  // namespace

TEST_CASE("trace: of a block that begins along K where another ended, its first step is shown") {
  const std::string command =
      "trace 14 --size 512 --gpu h200 --set BM=128 --set BN=256 --set BK=4 --set WM=64 --set WN=64 "
      "--set TM=8 --set TN=16 --set STAGES=3 --set BLOCKS=132 --block 5,0 --format json ";
  const Json thread = json_of(run_program(command + "--thread 7"));
  CHECK(thread["step"] == 13);
  CHECK(thread["tile"] ==
        "The block's tile: of K it takes 156 to 179, and its sums go to partial.");
  const Json tiles = json_of(run_program(command + "--tiles"));
  CHECK(tiles["step"] == 13);
  CHECK(tiles["A"]["columns"] == Json({156, 168}));
}

TEST_CASE("trace: another block, warp, line and step, and settings") {
  const Json json = json_of(
      run_program("trace 3 --size 64 --gpu h200 --set BM=16 --set BN=16 --set BK=16 --block 1,2 "
                  "--warp 3 --line 17 --step 1 --format json"));
  CHECK(json["lesson"]["number"] == 3);
  CHECK(json["name"] == "shared_memory_tile<16, 16, 16>");
  CHECK(json["block"] == Json::array({1, 2, 0}));
  CHECK(json["warp"] == 3);
  CHECK(json["step"] == 1);
  REQUIRE(json["lines"].size() == 1);
  CHECK(json["lines"][0]["line"] == 17);
  for (const Json& access : json["lines"][0]["accesses"]) {
    if (access["space"] == "global") {  // row 2·16 + 3·2, column 16 of the second step
      CHECK(access["first"] == Json{{"array", "A"}, {"indices", {38, 16}}});
    } else {
      CHECK(access["first"] == Json{{"array", "a_tile"}, {"indices", {6, 0}}});
    }
  }
}

TEST_CASE("trace: another kernel of the lesson") {
  const Json json =
      json_of(run_program("trace 7 --kernel vectorized_b --size 64 --gpu h200 --format json"));
  CHECK(json["lesson"]["kernel"] == "vectorized_b");
}

TEST_CASE("trace: a file, with its launch and the block of it") {
  const TracedFile file(traceable);
  const Json json = json_of(file.trace("--block 1,1 --warp 1 --format json"));
  CHECK_FALSE(json.contains("lesson"));
  CHECK(json["block"] == Json::array({1, 1, 0}));
  REQUIRE(json["lines"].size() == 2);
  CHECK(json["lines"][0]["line"] == 3);
  CHECK(json["lines"][0]["accesses"].size() == 2);
  CHECK(json["lines"][1]["accesses"][0]["first"]["indices"] == Json::array({0, 32}));
  CHECK(file.trace("").status == 0);
}

TEST_CASE("trace: a kernel with its sizes in constants is traced at these") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "own.cu").string();
  REQUIRE(write_file_atomically(path, R"(
constexpr int M = 64, N = 96, K = 32;
__global__ void product(const float* A, const float* B, float* C) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
void go(float* a, float* b, float* c) { product<<<dim3(6, 4), dim3(16, 16)>>>(a, b, c); }
)"));
  const Json problem =
      json_of(run_program(fmt::format("trace '{}' --format json", path)))["problem"];
  CHECK(problem == Json({{"m", 64}, {"n", 96}, {"k", 32}}));
}

TEST_CASE("trace --thread and --tiles of a kernel that fails say why, and how far it had come") {
  const TemporaryDirectory directory;
  const std::string svg = (directory.path() / "trace.svg").string();
  const TracedFile file(head +
                        "  const int t = threadIdx.y * 32 + threadIdx.x;\n"
                        "  const float sum = A[t] + B[t];\n"
                        "  C[M * N + t] = sum;\n}\n");
  for (const std::string options :
       {"--thread 40", "--tiles", "--tiles --warp 1", "--tiles --step all"}) {
    INFO(options);
    const ProgramResult result = file.trace(options);
    CHECK(result.status == 1);
    const Json json = Json::parse(file.trace(options + " --format json").output);
    REQUIRE(json["findings"].size() == 1);
    CHECK(json["findings"][0]["kind"] == "bounds");
    if (contains(options, "all")) continue;
    CHECK(file.trace(options + " --svg '" + svg + "'").status == 1);
    CHECK(contains(read_file(svg).value(), "✗ bounds, line 4: "));
  }
  CHECK(
      Json::parse(TracedFile(traceable).trace("--tiles --format json").output)["findings"].empty());
  CHECK_FALSE(contains(TracedFile(traceable).trace("--thread 0").output, "Result"));
}

TEST_CASE("trace: what is not recorded is named, not denied") {
  const TemporaryDirectory directory;
  const std::string page = (directory.path() / "page").string();
  const TracedFile file(head +
                        "  const int t = threadIdx.y * 32 + threadIdx.x;\n"
                        "  atomicAdd(&C[t], 1.0f);\n}\n");
  for (const std::string options : {"", "--thread 0", "--tiles", "--tiles --step all"}) {
    INFO(options);
    CHECK(Json::parse(file.trace(options + " --format json").output)["not_drawn"] ==
          "atomic additions (line 3)");
    if (contains(options, "all")) continue;
    for (const std::string option : {" --svg '", " --html '"}) {
      file.trace(options + option + page + '\'');
      CHECK(contains(read_file(page).value(), "Not drawn: atomic additions (line 3)"));
      CHECK_FALSE(contains(read_file(page).value(), "Nothing was accessed"));
      CHECK_FALSE(contains(read_file(page).value(), "accessed no memory.<"));
    }
  }
}

TEST_CASE("trace --tiles --step draws several steps, or all") {
  const ProgramResult all = run_program("trace 3 --size 64 --tiles --step all");
  INFO(all.output << all.error);
  CHECK(all.status == 0);
  CHECK(run_program("trace 3 --size 64 --tiles --step 0..1").output == all.output);
  const auto json =
      Json::parse(run_program("trace 3 --size 64 --tiles --step 1..1 --format json").output);
  CHECK(json["frames"].size() == 1);
  CHECK(json["frames"][0]["step"] == 1);
}

TEST_CASE("trace --svg writes what is shown as a drawing, besides the text") {
  const TemporaryDirectory directory;
  const std::string svg = (directory.path() / "trace.svg").string();
  const ProgramResult result = run_program("trace 1 --size 64 --gpu h200 --svg '" + svg + "'");
  INFO(result.error);
  REQUIRE(result.status == 0);
  CHECK(result.output == run_program("trace 1 --size 64 --gpu h200").output);
  const std::string drawing = read_file(svg).value();
  CHECK(drawing.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(contains(drawing, "Trace of lesson 1 · "));
  CHECK(contains(drawing, "data-lanes=\"31\""));

  REQUIRE(run_program("trace 7 --size 256 --tiles --step 1 --svg '" + svg + "'").status == 0);
  CHECK(contains(read_file(svg).value(), "step 1 of 32 along K"));
  CHECK(contains(read_file(svg).value(), "data-warp=\"7\""));
  REQUIRE(run_program("trace 7 --size 256 --tiles --warp 3 --svg '" + svg + "'").status == 0);
  CHECK(contains(read_file(svg).value(), "data-thread=\"127\""));
  REQUIRE(run_program("trace 7 --size 256 --thread 18 --block 1,1 --svg '" + svg + "'").status ==
          0);
  CHECK(contains(read_file(svg).value(), "<title>Thread 18 of block (1, 1)</title>"));
}

TEST_CASE("trace --svg tells nothing of where a kernel of one's own lies") {
  const TemporaryDirectory directory;
  const std::string svg = (directory.path() / "trace.svg").string();
  REQUIRE(TracedFile(traceable).trace("--svg '" + svg + "'").status == 0);
  const std::string drawing = read_file(svg).value();
  CHECK(contains(drawing, "Trace of own.cu"));
  CHECK_FALSE(contains(drawing, directory.path().parent_path().string() + "/"));
}

TEST_CASE("trace --html writes a page besides the text, of a lesson and of a kernel of one's own") {
  const TemporaryDirectory directory;
  const std::string html = (directory.path() / "trace.html").string();
  const std::string options = "trace 8 --size 256 --gpu h200 --line 63 --warp 1 --step 2";
  const ProgramResult result = run_program(options + " --html '" + html + "'");
  INFO(result.error);
  REQUIRE(result.status == 0);
  CHECK(result.output == run_program(options).output);
  CHECK(contains(read_file(html).value(), "{\"line\":63,\"warp\":1,\"step\":2,\"tile\":0}"));

  REQUIRE(run_program("trace 8 --size 256 --thread 1,2 --step 1 --html '" + html + "'").status ==
          0);
  CHECK(contains(read_file(html).value(), "Thread 33's own story"));
  CHECK(contains(read_file(html).value(), "step 1 of 32 along K"));

  // The sliders begin at the step along K that was asked for.
  for (const std::string view :
       {"--tiles --step 3", "--thread 40 --step 3", "--tiles --step 3..5"}) {
    INFO(view);
    REQUIRE(run_program("trace 8 --size 256 " + view + " --html '" + html + "'").status == 0);
    CHECK(contains(read_file(html).value(), ",\"tile\":3}"));
    CHECK(contains(read_file(html).value(), "rows 0 to 127, columns 24 to 31</span>"));
    CHECK(contains(read_file(html).value(), "rows 24 to 31, columns 0 to 127</span>"));
  }

  REQUIRE(TracedFile(traceable).trace("--html '" + html + "'").status == 0);
  CHECK(contains(read_file(html).value(), "<title>Trace of own.cu</title>"));
  CHECK_FALSE(contains(read_file(html).value(), directory.path().parent_path().string() + "/"));
}

TEST_CASE("trace: the kernel is not written over, by whatever name") {
  const TemporaryDirectory directory;
  const fs::path own = directory.path() / "own.cu";
  REQUIRE(write_file_atomically(own, traceable));
  fs::create_symlink("own.cu", directory.path() / "symbolic.svg");
  fs::create_hard_link(own, directory.path() / "hard.svg");
  for (const char* option : {"--svg", "--html"}) {
    for (const char* name : {"own.cu", "./own.cu", "symbolic.svg", "hard.svg"}) {
      INFO(option << ' ' << name);
      check_error(
          run_shell(fmt::format("cd '{}' && \"$PROGRAM\" trace own.cu --block 32x2 --tile 32x32 "
                                "--size 64 --gpu h200 {} {}",
                                directory.path().string(), option, name)),
          2, {option, name, "a file that is read", "a file of its own"});
      CHECK(read_file(directory.path() / name).value() == traceable);
    }
  }
  CHECK(fs::is_symlink(directory.path() / "symbolic.svg"));
}
