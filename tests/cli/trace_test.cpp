// gemm-tutor trace, traceable and bad, by running the program.
#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "course/lesson.hpp"
#include "documents/json.hpp"
#include "errors.hpp"
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

// With one blank for all that separates words.
std::string as_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

Json json_of(const ProgramResult& result) {
  INFO(result.error);
  REQUIRE(result.status == 0);
  return Json::parse(result.output);
}

}  // namespace

TEST_CASE("trace: each memory line of a lesson, those that cost too much first") {
  const ProgramResult result = run_program("trace 1 --size 64 --gpu h200");
  CHECK(result.status == 0);
  CHECK(result.error == "");
  CHECK(result.output.starts_with("Trace of lesson 1 · "));
  CHECK(contains(result.output, "block 0,0 of 2×2 · warp 0 of 32 · step 0\n"));
  CHECK(contains(result.output, "sum += A[row * K + k] * B[k * N + column];"));
  CHECK(contains(result.output, "Each lane is in another row, 256 bytes apart"));
  CHECK(contains(result.output, "All 32 lanes want the same float"));
  CHECK(contains(result.output, "\nNext "));
  CHECK(widest(result.output) <= 80);
}

TEST_CASE("trace: the commands that come next are of the same kernel, size, settings and block") {
  const ProgramResult result = run_program(
      "trace 3 --size 64 --gpu h200 --set BM=16 --set BN=16 --set BK=16 --block 1,0 --line 17 "
      "--warp 2");
  INFO(result.output);
  CHECK(widest(result.output) <= 80);
  const std::string text = as_one_line(result.output);
  const std::string same = " 3 --size 64 --set BM=16 --set BN=16 --set BK=16";
  CHECK(contains(text, "gemm-tutor trace" + same + " --block 1,0 --line 17 --step 1 ·"));
  CHECK(contains(text, "gemm-tutor trace" + same + " --block 1,0 --line 17 --warp 3 ·"));
  CHECK(text.ends_with("gemm-tutor lesson" + same));
  const ProgramResult other = run_program("trace 7 --kernel vectorized_b --gpu h200");
  INFO(other.output);
  CHECK(contains(other.output, "gemm-tutor trace 7 --kernel vectorized_b --line "));
  CHECK(contains(other.output, "gemm-tutor lesson 7 --kernel vectorized_b\n"));
}

TEST_CASE("trace: of a block that begins along K where another ended, its first step is shown") {
  const std::string command =
      "trace 13 --size 512 --gpu h200 --set BM=128 --set BN=256 --set BK=4 --set WM=64 --set WN=64 "
      "--set TM=8 --set TN=16 --set STAGES=3 --set BLOCKS=132 --block 5,0 --format json ";
  const Json thread = json_of(run_program(command + "--thread 7"));
  CHECK(thread["step"] == 13);
  CHECK(thread["tile"] ==
        "The block's tile: of K it takes 156 to 179, and its sums go to partial.");
  const Json tiles = json_of(run_program(command + "--tiles"));
  CHECK(tiles["step"] == 13);
  CHECK(tiles["A"]["columns"] == Json({156, 168}));
}

TEST_CASE("trace: ASCII where the terminal shows no more") {
  const ProgramResult result =
      run_program("trace bank-conflicts --size 128 --gpu h200", "LC_ALL=C");
  CHECK(result.status == 0);
  CHECK(is_ascii(result.output));
  CHECK(contains(result.output,
                 "| pass 2     1   3   5   7   9  11  13  15  17  19  21  23  25  27  29  31\n"));
  CHECK(widest(result.output) <= 80);
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

TEST_CASE("trace: a kernel that fails says what it reached before") {
  const ProgramResult result = TracedFile(head +
                                          "  __shared__ float s[32];\n"
                                          "  s[threadIdx.x] = A[threadIdx.x];\n"
                                          "  if (threadIdx.x < 5) __syncthreads();\n"
                                          "  C[threadIdx.x] = s[31 - threadIdx.x];\n}\n")
                                   .trace("");
  CHECK(result.status == 1);
  CHECK(result.error == "");
  CHECK(contains(result.output, "✗ barrier, line 4: "));
  CHECK(contains(result.output, "warp 0 made 2 requests of memory"));
  CHECK(contains(result.output, "shared store from s[0] on"));
  CHECK_FALSE(contains(result.output, "from C["));
  CHECK(result.output.find("✗ barrier") < result.output.find("shared store"));
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
    CHECK(contains(result.output, "\nResult   ✗ bounds, line 4: "));
    CHECK(contains(result.output, "All the same, "));
    CHECK(contains(result.output, options == "--thread 40" ? "warp 1 made " : "the block made "));
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
    const ProgramResult result = file.trace(options);
    CHECK(contains(result.output, "Not drawn: atomic additions (line 3)"));
    CHECK_FALSE(contains(result.output, "nothing was accessed"));
    CHECK_FALSE(contains(result.output, "no element of C\n"));
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
  check_error(file.trace("--line 3"), 2, {"line 3 has atomic additions, and that is not drawn"});
  CHECK_FALSE(contains(TracedFile(traceable).trace("").output, "Not drawn"));
  CHECK(contains(TracedFile(head + "  float some[8];\n"
                                   "  for (int i = 0; i < 8; ++i) some[i * K % 8] = A[i];\n"
                                   "  C[threadIdx.x] = some[M % 8];\n}\n")
                     .trace("")
                     .output,
                 "Not drawn: local memory (lines 3, 4)"));
}

TEST_CASE("trace: a limit of instructions is checked where a loop turns, and the words say so") {
  const ProgramResult result = run_program("trace 3 --size 64 --gpu h200 --max-instructions 10");
  CHECK(result.status == 1);
  CHECK(contains(result.output, "after more than 10 instructions"));
  CHECK(contains(result.output, "The emulator stopped there; before, warp 0 made "));
}

TEST_CASE("trace: a kernel that does not compile is no trace") {
  CHECK(TracedFile(head + "  nonsense;\n}\n").trace("").status == 4);
}

TEST_CASE("trace: wrong command lines say which values there are") {
  const std::vector<BadCommand> commands = {
      {"trace", {"which lesson or file?", "gemm-tutor trace 3"}},
      {"trace 99",
       {"no lesson '99'",
        fmt::format("The nearest is {} ({})", lessons().back().number, lessons().back().slug)}},
      {"trace 0", {"lesson 0 has no warps"}},
      {"trace 3 --size 64 --warp 32", {"no warp 32 in a block of 1,024 threads", "0 to 31"}},
      {"trace 3 --size 64 --warp x", {"--warp 'x'"}},
      {"trace 3 --size 64 --line 18", {"no access to memory in line 18", "17, 21, 26, 30"}},
      {"trace 3 --size 64 --line 0", {"--line 0"}},
      {"trace 3 --size 64 --line 17 --step 2", {"no step 2 of line 17", "0 to 1"}},
      {"trace 3 --size 64 --block 2,0", {"no block (2, 0) in a grid of 2×2", "0,0 to 1,1"}},
      {"trace 3 --size 64 --block 2", {"--block '2'", "--block 1,2"}},
      {"trace 3 --size 64 --block 1,", {"--block '1,' has the wrong form", "--block 1,2"}},
      {"trace 3 --size 64 --block 0,1 --block 1,0", {"--block was given twice"}},
      {"trace 3 --size 64 --block=-1,0", {"--block -1,0: -1 is too small"}},
      {"trace 3 --size 64 --tile 32x32", {"--tile is not for a kernel of a lesson", "--set"}},
      {"trace own.cu", {"'own.cu' does not exist"}},
      {"trace own.cu --block 32 --tile 32x32", {"'own.cu' does not exist"}},
      {"trace own.cu --kernel k", {"--kernel is not for a kernel of your own", "--entry"}},
      {"trace own.cu --set BM=1", {"--set is not for a kernel of your own", "--entry"}},
      {"trace 3 --backend gpu", {"unknown option '--backend'"}},
  };
  for (const BadCommand& command : commands) {
    INFO(command.arguments);
    check_error(run_program(command.arguments), 2, command.named);
  }
}

TEST_CASE("trace: what is proposed for a lesson that there is not can be traced") {
  for (const char* name : {"x", "99", "cublass", "cpu"}) {
    INFO(name);
    const ProgramResult result = run_program(std::string("trace ") + name);
    check_error(result, 2, {"no lesson", "The nearest is "});
    CHECK_FALSE(contains(result.error, "(cublas)"));
    CHECK_FALSE(contains(result.error, "cpu-loop"));
  }
}

TEST_CASE("trace --thread tells one thread's story, by its number or its place") {
  const ProgramResult story = run_program("trace 7 --size 512 --thread 18 --block 1,2");
  INFO(story.output << story.error);
  CHECK(story.status == 0);
  CHECK(contains(story.output, "Thread 18 of block (1, 2)"));
  CHECK(contains(story.output, "256 + 72/8 = 265"));
  CHECK(contains(story.output, "128 + 72 % 128 = 200"));
  CHECK(contains(story.output, "writes a_tile[9][0…3]"));
  CHECK(widest(story.output) <= 80);
  CHECK(run_program("trace 7 --size 512 --thread 2,1 --block 1,2").output == story.output);
  CHECK(
      Json::parse(run_program("trace 7 --size 512 --thread 18 --format json").output).is_object());
}

TEST_CASE("trace --tiles draws who loads what") {
  const ProgramResult tiles = run_program("trace 7 --size 256 --tiles --step 1");
  INFO(tiles.output << tiles.error);
  CHECK(tiles.status == 0);
  CHECK(contains(tiles.output, "step 1 of 32 along K"));
  CHECK(widest(tiles.output) <= 80);
  CHECK(is_ascii(run_program("trace 7 --size 256 --tiles --warp 3", "LANG=C").output));
}

TEST_CASE("trace --tiles --step draws several steps, or all") {
  const ProgramResult all = run_program("trace 3 --size 64 --tiles --step all");
  INFO(all.output << all.error);
  CHECK(all.status == 0);
  CHECK(contains(all.output, "steps 0 to 1 of 2 along K"));
  CHECK(run_program("trace 3 --size 64 --tiles --step 0..1").output == all.output);
  const auto json =
      Json::parse(run_program("trace 3 --size 64 --tiles --step 1..1 --format json").output);
  CHECK(json["frames"].size() == 1);
  CHECK(json["frames"][0]["step"] == 1);
}

TEST_CASE("trace --help says that its result is not checked") {
  CHECK(contains(run_program("trace --help").output, "its result is not checked"));
}

TEST_CASE("trace: pictures that cannot go together, and threads that there are not") {
  const auto bad = GENERATE(values<BadCommand>({
      {"--thread 18 --tiles", {"--thread and --tiles"}},
      {"--thread 18 --warp 0", {"--thread and --warp"}},
      {"--tiles --line 3", {"--line and --tiles"}},
      {"--thread 1,2,3", {"--thread '1,2,3'"}},
      {"--thread x", {"--thread 'x'"}},
      {"--thread 5000", {"5000"}},
      {"--thread 0 --step 99", {"99"}},
      {"--thread 0 --step 0..1", {"--step 0..1 is for --tiles alone"}},
      {"--step all", {"--step all is for --tiles alone"}},
      {"--tiles --step 0..16", {"--step 0..16", "at most 16 steps"}},
      {"--tiles --step 2..1", {"--step 2..1"}},
      {"--tiles --step 2..9", {"no step 2 along K"}},
      {"--tiles --step 1..", {"--step 1..: ''"}},
      {"--tiles --warp 40", {"no warp 40 in a block of 1,024 threads", "0 to 31"}},
      {"--tiles --step all --warp 32", {"no warp 32"}},
      {"--tiles --step 9 --html /tmp/never.html", {"no step 9 along K"}},
  }));
  INFO(bad.arguments);
  check_error(run_program("trace 3 --size 64 " + bad.arguments), 2, bad.named);
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

TEST_CASE("trace --svg draws one step, and says so where several are asked for") {
  const TemporaryDirectory directory;
  const std::string svg = (directory.path() / "trace.svg").string();
  for (const std::string steps : {"all", "0..3"}) {
    check_error(run_program("trace 7 --size 64 --tiles --step " + steps + " --svg '" + svg + "'"),
                2, {"--step " + steps, "--svg", "--step 0"});
    CHECK_FALSE(read_file(svg));
  }
}

TEST_CASE("trace --svg: a bad name of a file says so before anything runs") {
  check_error(run_program("trace 1 --size 64 --svg ''"), 2, {"--svg ''", "trace.svg"});
  check_error(run_program("trace 1 --size 64 --svg /"), 2, {"--svg '/'"});
  check_error(run_program("trace 1 --size 64 --svg /proc/none/trace.svg"), 3, {"/proc/none"});
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

TEST_CASE("trace --html writes no page of a step or a thread that there is not") {
  const TemporaryDirectory directory;
  const std::string html = (directory.path() / "trace.html").string();
  for (const std::string choice : {"--tiles --step 99", "--thread 9999", "--step 99"}) {
    INFO(choice);
    check_error(run_program("trace 7 --size 64 " + choice + " --html '" + html + "'"), 2, {});
    CHECK_FALSE(read_file(html));
  }
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

TEST_CASE("trace --html: a bad name of a file says so before anything runs") {
  check_error(run_program("trace 1 --size 64 --html ''"), 2, {"--html ''", "trace.html"});
  check_error(run_program("trace 1 --size 64 --html a.svg --svg a.svg"), 2, {"--html", "--svg"});
}
