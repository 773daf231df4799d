// gemm-tutor run, good and bad, by running the program.
#include <fmt/format.h>

#include "errors.hpp"
#include "report/json.hpp"
#include "simt/compiler.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

namespace {

const std::string parameters = "(const float* A, const float* B, float* C, int M, int N, int K)";

const std::string good = "#include <stdio.h>\n__global__ void mine" + parameters + R"( {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
int main() { printf("hello"); }
)";

const std::string out_of_bounds =
    "__global__ void k" + parameters + " {\n  C[threadIdx.y * N + threadIdx.x] = 1;\n}\n";

// A file of this test's own, and the program run on it in blocks and tiles of 16×16.
class File {
 public:
  explicit File(const std::string& contents, const std::string& name = "kernel.cu")
      : path_((directory_.path() / name).string()) {
    REQUIRE(write_file_atomically(path_, contents));
  }
  const std::string& path() const { return path_; }

  ProgramResult run(const std::string& options, const std::string& environment = "") const {
    return run_program(fmt::format("run '{}' {}", path_, options), environment);
  }
  ProgramResult run_tiles(const std::string& options) const {
    return run("--block 16x16 --tile 16x16 --size 40 --backend emulator " + options);
  }

 private:
  TemporaryDirectory directory_;
  std::string path_;
};

std::vector<std::string> keys(const Json& json) {
  std::vector<std::string> result;
  for (const auto& [key, value] : json.items()) result.push_back(key);
  return result;
}

const std::string on_emulator = " --size 64 --backend emulator --gpu h200 ";

// Of the machine code of all lines and of none; of all instructions where no text is given.
std::uint64_t executions_of(const Json& json, const std::string& text = "") {
  std::uint64_t sum = 0;
  const auto add = [&](const Json& counters) {
    for (const Json& machine : counters.value("machine_code", Json::array())) {
      const bool is_asked = text.empty() || machine["text"] == text;
      if (is_asked) sum += machine["executions"].get<std::uint64_t>();
    }
  };
  add(json["counters"]);
  for (const Json& line : json["counters"]["lines"]) add(line);
  return sum;
}

}  // namespace

TEST_CASE("run: what the lines ask of memory is drawn below them, as far as the kernel comes") {
  const ProgramResult ascii =
      File(good).run("--block 16x16 --tile 16x16 --size 40 --backend emulator", "LANG=C LC_ALL=C");
  CHECK(contains(ascii.output, "     | ^ "));
  CHECK_FALSE(contains(ascii.output, "█"));

  const ProgramResult faulty = File(out_of_bounds).run_tiles("");
  CHECK(faulty.status == 1);
  CHECK(contains(faulty.output, "\nResult   "));
  const ProgramResult endless = File(good).run_tiles("--max-instructions 20");
  INFO(endless.output);
  CHECK(endless.status == 1);
  CHECK(contains(endless.output, "endless"));
  CHECK_FALSE(contains(endless.output, "Below a line"));
}

TEST_CASE("run: the same as JSON, with the keys of a lesson's but the lesson") {
  const ProgramResult result = File(good).run_tiles("--format json --entry mine --seed 3");
  REQUIRE(result.status == 0);
  const Json json = Json::parse(result.output);
  std::vector<std::string> expected = {
      "problem",   "backend",  "device", "compiler",     "launch",  "traffic", "counters",
      "emulation", "estimate", "speed",  "verification", "verdict", "sizes",   "findings"};
  if (simt::compiler_status().has_assembler) {
    CHECK(json["estimate"]["median_ms"] > 0);
  } else {  // there is none without machine code
    std::erase(expected, "estimate");
    std::erase(expected, "speed");
  }
  CHECK(keys(json) == expected);
  CHECK(keys(json["traffic"]) == std::vector<std::string>{"counted"});
  CHECK(json["traffic"]["counted"]["load_floats"] == 2 * 40 * 40 * 40);
  CHECK(json["launch"]["grid"] == Json::array({3, 3, 1}));
  CHECK(json["counters"]["ffma"] == 40 * 40 * 40);
  CHECK(json["verification"]["passed"] == true);
  CHECK(json["verdict"]["right"] == true);
  CHECK(json["verdict"]["text"] == "right at 40, 64×96×160 and 97×130×65");
  CHECK(json["sizes"].size() == 2);
  CHECK(json["sizes"][1] ==
        Json({{"m", 97}, {"n", 130}, {"k", 65}, {"right", true}, {"text", "right at 97×130×65"}}));
  CHECK(json["findings"].empty());
}

TEST_CASE("run: the sizes of --sizes decide about the exit status, and the usual ones do not") {
  std::string unguarded = good;
  unguarded.replace(unguarded.find("if (row"),
                    unguarded.find("return;") + 7 - unguarded.find("if (row"), "");
  const File file(unguarded);
  const std::string options = "--block 16x16 --tile 16x16 --size 64 --backend emulator ";
  const ProgramResult usual = file.run(options);
  INFO(usual.output);
  CHECK(usual.status == 0);
  CHECK(contains(usual.output, "whole tiles only: at 97×130×65"));
  CHECK(file.run(options + "--sizes 32x48x5,16").status == 0);
  CHECK(file.run(options + "--sizes 32x48x5,17").status == 1);
  for (const char* wrong : {"''", "5x", "5,", "0", "3x4"}) {
    const ProgramResult result = file.run(options + "--sizes " + wrong);
    INFO(wrong);
    CHECK(result.status == 2);
    CHECK(result.output == "");
    CHECK(contains(result.error, "error: --sizes"));
    CHECK(contains(result.error, "help: "));
  }
}

TEST_CASE("run: what a wrong result is, and the arguments that are right") {
  const File file(good);
  const ProgramResult result = file.run_tiles("--args B,A,C,M,N,K --format json");
  CHECK(result.status == 1);
  const Json json = Json::parse(result.output);
  CHECK(json["verdict"]["right"] == false);
  CHECK(json["wrong_result"]["right_options"] == "--args A,B,C,M,N,K");

  std::string transposed = good;
  transposed.replace(transposed.find("B[k * N + column]"), 17, "B[column * K + k]");
  const ProgramResult other = File(transposed).run_tiles("");
  INFO(other.output);
  CHECK(other.status == 1);
  const std::string verdict = "Found    ✗ wrong: C is A·Bᵀ: B is read at index column·K + k";
  CHECK(other.output.find(verdict) < other.output.find("\nResult"));
  CHECK(other.output.find("\nResult") < other.output.find("\nSource"));
  CHECK(contains(other.output, "--transposed b"));
}

TEST_CASE("run: other tiles, grids and arguments") {
  const ProgramResult flat =
      File(
          "__global__ void k(unsigned N, float* C, const float* B, const float* A) {\n"
          "  const unsigned row = blockIdx.x;\n"
          "  for (unsigned column = threadIdx.x; column < N; column += 64) {\n"
          "    float sum = 0;\n"
          "    for (unsigned k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + column];\n"
          "    C[row * N + column] = sum;\n  }\n}\n")
          .run("--block 64 --tile 1x100 --grid-x m --args N,C,B,A --size 100 --shared 16");
  INFO(flat.error);
  CHECK(flat.status == 0);
  CHECK(contains(flat.output, "k<<<dim3(100, 1), dim3(64, 1), 16>>>(N, C, B, A)"));
}

TEST_CASE("run: a kernel with alpha and beta, as it is copied from the web") {
  const File file(R"(
__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B,
                            float beta, float *C) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < N && y < M) {
    float tmp = 0.0;
    for (int i = 0; i < K; ++i) tmp += A[y * K + i] * B[i * N + x];
    C[y * N + x] = alpha * tmp + beta * C[y * N + x];
  }
}
)");
  CHECK(file.run_tiles("--args M,N,K,2.0,A,B,0.5,C").status == 0);
  CHECK(file.run_tiles("--c zero --beta 7").status == 0);

  const ProgramResult scaled = file.run_tiles("--alpha 0.5 --beta 3 --format json");
  CHECK(scaled.status == 0);
  const Json problem = Json::parse(scaled.output)["problem"];
  CHECK(keys(problem) == std::vector<std::string>{"m", "n", "k", "c", "alpha", "beta"});
  CHECK(problem["c"] == "random");
  CHECK(problem["alpha"] == 0.5);
  CHECK(problem["beta"] == 3);
}

TEST_CASE("run: blocks that split K add to C") {
  const std::string adds = "__global__ void k" + parameters + R"( {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = blockIdx.z; k < K; k += gridDim.z) sum += A[row * K + k] * B[k * N + column];
  atomicAdd(&C[row * N + column], sum);
}
)";
  const File file(adds);
  CHECK(contains(file.run_tiles("--grid-z 4 --c random").output, "error bound of A·B + C"));
  CHECK(file.run_tiles("--grid-z 4 --c zero --blocks 1 --size 200").status == 2);  // --size twice

  const ProgramResult overwrites = File(good).run_tiles("--c random");
  CHECK(overwrites.status == 1);
  CHECK(contains(overwrites.output, "C is A·B, not A·B + C: the kernel overwrites what C held"));
  CHECK(widest(overwrites.output) <= 80);
  CHECK(File(good).run_tiles("--c zero").status == 0);
}

TEST_CASE("run: what is found is reported with its line, and is exit status 1") {
  const ProgramResult text = File(out_of_bounds).run_tiles("--m 8 --n 8 --k 8 --tile 8x8");
  CHECK(text.status == 2);  // --size and --m

  const File file(out_of_bounds);
  const std::string options = "--block 16x16 --tile 8x8 --m 8 --n 8 --k 8 --backend emulator";
  const ProgramResult found = file.run(options);
  CHECK(found.status == 1);
  CHECK(found.error == "");

  const ProgramResult json = file.run(options + " --format json");
  CHECK(json.status == 1);
  const Json finding = Json::parse(json.output)["findings"][0];
  CHECK(keys(finding) == std::vector<std::string>{"kind", "line", "message", "count"});
  CHECK(finding["kind"] == "bounds");
  CHECK(finding["line"] == 2);
}

TEST_CASE("run: without the checks, C may be read before it is written") {
  const File reads_c("__global__ void k" + parameters +
                     " {\n  float* c = &C[threadIdx.y * N + threadIdx.x];\n  *c = *c + 1;\n}\n");
  const std::string options = "--block 8x8 --tile 8x8 --size 8 --backend emulator ";
  CHECK(contains(reads_c.run(options).output, "✗ uninitialised, line 3: "));
  CHECK_FALSE(contains(reads_c.run(options + "--no-check").output, "✗ uninitialised"));
}

TEST_CASE("a lesson takes --no-check and --max-instructions too") {
  CHECK(run_program("lesson 3 --size 64 --no-check").status == 0);
  const ProgramResult result =
      run_program("lesson 3 --size 64 --backend emulator --max-instructions 5");
  CHECK(result.status == 1);
  CHECK(contains(result.output, "✗ endless, line "));
}

TEST_CASE("run: what a kernel prints is shown with its place, and is in the JSON") {
  const File file("#include <cstdio>\n__global__ void mine" + parameters + R"( {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  if (row == 20 && column == 3) printf("row %d\033[1m of %s\n\n", row, "C");
  C[row * N + column] = sum;
})");
  CHECK(contains(file.run_tiles("").output, "thread (3, 4, 0): row 20 [1m of C\n"));
  const Json json = Json::parse(file.run_tiles("--format json").output);
  REQUIRE(json.at("printed").size() == 1);
  const Json& printed = json["printed"][0];
  CHECK(printed.at("text") == "row 20\033[1m of C\n\n");
  CHECK(printed.at("line") == 7);
  CHECK(printed.at("block") == Json::array({0, 1, 0}));
  CHECK(printed.at("thread") == Json::array({3, 4, 0}));
}

TEST_CASE("run: files that cannot be run") {
  if (std::filesystem::exists("/dev/zero")) {
    check_error(run_program("run /dev/zero"), 2, {"'/dev/zero' is not an ordinary file"});
  }
  check_error(File(" \n\n").run_tiles(""), 2, {"is empty"});
  check_error(File(std::string("\x7f"
                               "ELF\0\1",
                               6))
                  .run_tiles(""),
              2, {"is not text"});
  check_error(File(good + std::string(1 << 20, '\n')).run_tiles(""), 2,
              {"bytes, more than the 1,048,576"});
}

TEST_CASE("run: a kernel of one size is for square matrices") {
  const File file(R"(__global__ void k(const float* A, const float* B, float* C, int n) {
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + column];
  C[row * n + column] = sum;
}
)");
  check_error(file.run("--size 64x96x48"), 2,
              {"k takes one size, and so it multiplies square matrices, not 64×48 by 48×96",
               "Give it one: --size 96."});
  CHECK(file.run("--size 96").status == 0);
}

TEST_CASE("run: of several kernels, the only one that may be a product") {
  const std::string other = "template <int N> __global__ void other(float* C) { C[N] = 1; }\n";
  // Only one of these may be a product.
  const ProgramResult only = File(good + other).run("--size 40 --backend emulator");
  CHECK(only.status == 0);
  CHECK(contains(only.output, "--entry mine"));
  CHECK(contains(only.output, "Of the file's 2 kernels, only mine has three matrices."));
}

TEST_CASE("run: what does not compile is shown as the compiler says it") {
  const bool is_nvrtc = simt::compiler_status().has_assembler;
  const auto check_compile_error = [](const File& file, const std::string& message) {
    const ProgramResult result = file.run_tiles("");
    CHECK(result.status == 4);
    CHECK(result.output == "");
    CHECK(contains(result.error, fmt::format("error: {} does not compile\n", file.path())));
    CHECK(contains(result.error, file.path() + message));
    CHECK(contains(result.error, "\nhelp: "));
  };
  check_compile_error(File("\n__global__ void k(float* C) { C[0] = nope; }\n"),
                      is_nvrtc ? "(2): error: identifier \"nope\" is undefined"
                               : "(2): error: use of undeclared identifier 'nope'");
  check_compile_error(File("#include \"nope.h\"\n__global__ void k(float* C) { C[0] = NOPE; }\n"),
                      is_nvrtc ? "(1): catastrophic error: cannot open source file \"nope.h\""
                               : "(1): fatal error: 'nope.h' file not found");
  check_compile_error(File("__global__ void child() {}\n__global__ void k(float* C) {\n"
                           "  child<<<1, 1>>>();\n}\n"),
                      "(3): error: ");  // dynamic parallelism
}

TEST_CASE("run and trace show the warning about a helper without its return once") {
  std::string source = good;
  source.replace(source.find("C[row"), 0, "sum = kept(sum);\n  ");
  source = "__device__ float kept(float x) { if (x < 1e30f) return x; }\n" + source;
  const File file(source);
  const std::string launch = "--block 16x16 --tile 16x16 --size 40";
  for (const std::string compiler : {"nvrtc", "clang"}) {
    const std::string chosen = "GEMM_TUTOR_COMPILER=" + compiler;
    const std::string plain = fmt::format("run {} {}", file.path(), launch);
    if (run_program(plain, chosen).status == 3) continue;  // it is not there
    INFO(compiler);
    for (const std::string command : {"run", "trace"}) {
      const std::string words = fmt::format("{} '{}' {}", command, file.path(), launch);
      for (int i = 0; i < 2; ++i) {  // the second time from the cache
        const ProgramResult result = run_program(words, chosen);
        INFO(result.output << result.error);
        CHECK(contains(result.output, "\nWarnings ! "));
        CHECK(occurrences(result.output, "kernel.cu(1): warning") == 1);
        CHECK(contains(result.output, "return x; }\n"));
      }
      const Json json = Json::parse(run_program(words + " --format json", chosen).output);
      REQUIRE(json["warnings"].size() == 1);
      CHECK(json["warnings"][0]["line"] == 1);
      CHECK_FALSE(json["warnings"][0]["message"].get<std::string>().empty());
    }
    for (const std::string view : {"--thread 0", "--tiles", "--tiles --step 0..1"}) {
      const std::string words = fmt::format("trace '{}' {} {}", file.path(), launch, view);
      INFO(words);
      CHECK(contains(run_program(words, chosen).output, "\nWarnings ! "));
      CHECK(Json::parse(run_program(words + " --format json", chosen).output)["warnings"].size() ==
            1);
    }
  }
}

TEST_CASE("run: a file may have any name behind --, and the mark of UTF-8 before its text") {
  const TemporaryDirectory directory;
  REQUIRE(write_file_atomically(directory.path() / "-k.cu", "\xef\xbb\xbf" + good));
  const ProgramResult result =
      run_shell("cd '" + directory.path().string() +
                "' && \"$PROGRAM\" run --block 16x16 --tile 16x16 --size 40 --backend emulator -- "
                "-k.cu");
  INFO(result.error);
  CHECK(result.status == 0);
  CHECK(contains(result.output, "./-k.cu"));
  CHECK(contains(result.output, "1 │ #include <stdio.h>"));
}

TEST_CASE("run: numbers for parameters that are no matrix and no size") {
  std::string sgemm = good;
  const std::string usual = "(const float* A, const float* B, float* C, int M, int N, int K)";
  sgemm.replace(sgemm.find(usual), usual.size(),
                "(int M, int N, int K, float alpha, const float* A, const float* B, float beta, "
                "float* C)");
  sgemm.replace(sgemm.find("= sum;"), 6, "= alpha * sum;");
  const ProgramResult result = File(sgemm).run_tiles("--args 'M, N, K, 1.0, A, B, 0.0, C'");
  INFO(result.error);
  CHECK(result.status == 0);
  CHECK(contains(result.output, ">>>(M, N, K, 1.0, A, B, 0.0, C)"));
}

TEST_CASE("run: a kernel for newer GPUs than the one chosen") {
  check_error(
      File("__global__ void k(float* C) { asm volatile(\"cp.async.commit_group;\"); C[0] = 1; }\n")
          .run_tiles("--args C --gpu t4"),
      2, {"compute capability 8.0 or newer", "NVIDIA T4", "--gpu a100"});
}

TEST_CASE("a suggestion is near what was written, or there is none") {
  const ProgramResult backend = run_program("lesson 3 --backend cpu");
  check_error(backend, 2, {"--backend 'cpu' is not one of auto, gpu, emulator", "--backend auto"});
  const ProgramResult option = run_program("lesson 3 --bogus");
  check_error(option, 2, {"unknown option '--bogus'", "--help"});
  for (const ProgramResult& result : {backend, option}) {
    CHECK_FALSE(contains(result.error, "Did you mean"));
  }
  check_error(run_program("lesson 3 --backend emulatro"), 2, {"Did you mean --backend emulator?"});
}

// The kernel in its third line has a name that is not there.
std::string with_error(std::string text) {
  return text.replace(text.find("blockIdx.y"), 10, "NO_ROW(y) ");
}

TEST_CASE("run and trace know a file's lines by whatever bytes its path has") {
  const std::string launch = " --block 16x16 --tile 16x16 --size 40 --gpu h200";
  for (const char* name : {"\u00e9.cu", "\u6f22\u5b57.cu", "jos\u00e9/own.cu", "\xff.cu"}) {
    INFO(name);
    const File file(good, name), wrong(with_error(good), name);
    const auto in_text = [&](const ProgramResult& result, const char* text) {
      INFO(result.output << result.error);
      CHECK(contains(result.output + result.error, text));
    };
    const ProgramResult run = file.run("--format json --backend emulator" + launch);
    INFO(run.error);
    REQUIRE(run.status == 0);
    CHECK(Json::parse(run.output)["counters"]["lines"].size() > 2);
    const std::string quoted = '\'' + file.path() + '\'';
    in_text(run_program("trace " + quoted + launch), "\n   6 │ ");
    in_text(run_program("trace " + quoted + launch + " --thread 17"), "\n   6 │ ");
    in_text(wrong.run("--backend emulator" + launch), ".cu(3): error: ");
  }
}

TEST_CASE("run: bad options name the value and say how it is done") {
  const File file(good);
  const BadCommand commands[] = {
      {"--tile 16x16 --grid N", {"--tile and --grid cannot go together"}},
      {"--grid N,M --grid-x m", {"--grid and --grid-x cannot go together"}},
      {"--grid N,Q", {"--grid 'N,Q' has the wrong form", "--grid '(N + 63) / 64"}},
      {"--grid 1,2,3,4", {"--grid '1,2,3,4' has the wrong form"}},
      {"--block 16x16 --grid N/2048", {"'N/2048' is 0 blocks along x for 1024×1024×1024"}},
      {"--transposed c", {"--transposed 'c'", "a, b"}},
      {"--block 0 --tile 16x16", {"--block 0 is too small"}},
      {"--block 16x0 --tile 16x16", {"--block 16x0: 0 is too small"}},
      {"--block 2048 --tile 16x16", {"--block 2048 is too large", "1024"}},
      {"--block 64x32 --tile 16x16", {"64×32 = 2,048 threads", "1,024"}},
      {"--block x16 --tile 16x16", {"--block 'x16'", "--block 32x8"}},
      {"--block 16x --tile 16x16", {"--block '16x'", "--block 32x8"}},
      {"--block 16x16 --tile 16x", {"--tile '16x'", "--tile 64x64"}},
      {"--block 16X16 --tile 16x16", {"--block '16X16'"}},
      {"--block 8x8x8x8 --tile 16x16", {"--block '8x8x8x8'", "--block 32x8"}},
      {"--block 16x16 --tile 0x16", {"--tile 0x16: 0 is too small"}},
      {"--block 16x16 --tile 16", {"--tile '16'", "--tile 64x64"}},
      {"--block 16x16 --tile 16x16x2", {"--tile '16x16x2'"}},
      {"--block 16x16 --tile 16xa", {"--tile 16xa: 'a'"}},
      {"--block 16x16 --tile 16x16 --grid-x k", {"--grid-x 'k'", "n, m"}},
      {"--block 16x16 --tile 16x16 --args A,B,C,X", {"'X' is neither one of A, B, C, M, N, K"}},
      {"--block 16x16 --tile 16x16 --args A,B,C,N", {"6 parameters", "A, B, C, N", "--args"}},
      {"--block 16x16 --tile 16x16 --args M,N,K,A,B,C",
       {"parameter 1 of mine is of type 'const float*', which M does not fit", "--args"}},
      {"--block 16x16 --tile 16x16 --args A,B,C,M,N,1.5",
       {"parameter 6 of mine is of type 'int', which 1.5 does not fit", "whole number"}},
      {"--block 16x16 --tile 16x16 --args a,b,c", {"'a' is neither", "--args A,B,C."}},
      {"--block 16x16 --tile 16x16 --args A,B,C,gamma", {"'gamma' is neither", "such as 1.0"}},
      {"--block 16x16 --tile 16x16 --alpha 2", {"mine has no parameter named alpha", "--args"}},
      {"--block 16x16 --tile 16x16 --beta x", {"--beta 'x' is not a number", "--beta 0.5"}},
      {"--block 16x16 --tile 16x16 --c ones", {"--c 'ones'", "poison, zero, random"}},
      {"--block 16x16 --tile 16x16 --grid-z 0", {"--grid-z 0 is too small"}},
      {"--block 16x16 --tile 16x16 --gpu ''", {"no GPU named ''", "h200"}},
      {"--block 16x16 --tile 16x16 --entry ''", {"--entry names no kernel", "--entry v2"}},
      {"--block 16x16 --tile 16x16 --no-check=3", {"--no-check takes no value"}},
      {"--block 16x16 --tile 16x16 -- --size 3", {"--size"}},
      {"--block 16x16 --tile 16x16 --shared x", {"--shared 'x'"}},
      {"--block 16x16 --tile 16x16 --shared 300000", {"293.0 KiB", "227 KiB"}},
      {"--block 16x16 --tile 16x16 --max-instructions 0", {"--max-instructions 0"}},
      {"--block 16x16 --tile 16x16 --size 0", {"--size 0"}},
      {"--block 16x16 --tile 16x16 --gpu h2000", {"h2000", "h200"}},
      {"--block 16x16 --tile 16x16 --format xml", {"xml"}},
      {"--block 16x16 --tile 16x16 --blok 3", {"--blok", "--block"}},
      {"--block 16x16 --tile 16x16 another.cu", {"another.cu"}},
  };
  for (const BadCommand& bad : commands) {
    INFO(bad.arguments);
    check_error(file.run(bad.arguments), 2, bad.named);
  }
}

TEST_CASE("lesson 5 --machine shows why it executes fewer loads than are written") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  const ProgramResult text = run_program("lesson 5 --machine" + on_emulator);
  INFO(text.error);
  REQUIRE(text.status == 0);
  CHECK(contains(text.output, "LDS.64 ×16  LDS.128 ×8  FFMA ×64"));
  CHECK(contains(text.output, "Unrolling put 16 steps along K for each of a thread's 4 elements"));
  CHECK(contains(text.output, "joined neighbours"));
  CHECK_FALSE(contains(text.output, "hot loop: "));
  CHECK(widest(text.output) <= 80);
  CHECK(contains(run_program("lesson 5 --machine=all" + on_emulator).output, "│ hot loop: "));

  const ProgramResult result = run_program("lesson 5 --machine --format json" + on_emulator);
  REQUIRE(result.status == 0);
  const Json json = Json::parse(result.output);
  const auto written = json["counters"]["ptx"]["shared_load_requests"].get<std::uint64_t>();
  CHECK(executions_of(json, "LDS.128") > 0);
  CHECK(executions_of(json, "LDS.128") + executions_of(json, "LDS.64") +
            executions_of(json, "LDS") <
        written);
  CHECK(32 * executions_of(json, "FFMA") == 64 * 64 * 64);
  for (const std::string blocks : {"all", "1"}) {
    const ProgramResult some =
        run_program("lesson 5 --machine --format json --blocks " + blocks + on_emulator);
    const Json counters = Json::parse(some.output);
    CHECK(executions_of(counters) == counters["counters"]["machine_instructions"]);
    CHECK(executions_of(counters) == executions_of(json));
  }
}

TEST_CASE("run --machine shows that a kernel of one's own spills registers") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "spilling.cu").string();
  REQUIRE(write_file_atomically(path, R"(
__global__ void __launch_bounds__(1024, 2)
spilling(const float* A, const float* B, float* C, int M, int N, int K) {
  float sum[64] = {};
  for (int k = 0; k < K; ++k) {
    for (int i = 0; i < 64; ++i) sum[i] += A[i * K + k] * B[k * N + threadIdx.x % 64];
  }
  for (int i = 0; i < 64; ++i) if (threadIdx.x < 64) C[i * N + threadIdx.x] = sum[i];
}
)"));
  const ProgramResult result =
      run_program("run '" + path + "' --machine --block 1024 --tile 64x64" + on_emulator);
  INFO(result.error << result.output);
  CHECK(contains(result.output, "Registers were spilled to local memory: "));
  CHECK(contains(result.output, "LDL "));
  CHECK(widest(result.output) <= 80);
}

TEST_CASE("lesson --machine is refused where there is no machine code") {
  check_error(run_program("lesson 0 --machine"), 2, {"lesson 0", "CPU", "lesson 5 --machine"});
  check_error(run_program("lesson 10 --machine"), 2, {"lesson 10", "library"});
  check_error(run_program("lesson 5 --machine=some"), 2, {"--machine 'some'", "all"});
  check_error(run_program("lesson 5 --machine some"), 2, {"'some' is one argument too many"});
  if (!simt::clang_status().available) SKIP_BECAUSE("there is no clang");
  for (const std::string format : {"text", "json"}) {
    check_error(run_program("lesson 5 --machine --format " + format + on_emulator,
                            "GEMM_TUTOR_COMPILER=clang"),
                3, {"clang", "no machine code", "NVRTC", "gemm-tutor device"});
  }
}

TEST_CASE("run: what the emulator leaves to a GPU is refused with what to do instead") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("clang does not know these");
  struct Refused {
    const char *code, *what, *instead;
  };
  for (const Refused& refused :
       {Refused{"C[0] = tex1Dfetch<float>((cudaTextureObject_t)A, 0);",
                "the emulator does not know textures ('tex.", "through its pointer"},
        Refused{"surf1Dwrite(1.0f, (cudaSurfaceObject_t)C, 0);",
                "the emulator does not know surfaces ('sust.", "through its pointer"},
        Refused{"cooperative_groups::this_grid().sync();",
                "barriers of the whole grid, as this_grid().sync()", "atomicAdd"},
        Refused{"cooperative_groups::this_cluster().sync();",
                "the emulator does not know clusters of blocks ('barrier.cluster", "own shared"},
        Refused{"float* p = (float*)malloc(4 * K); p[K - 1] = A[0]; C[0] = p[M]; free(p);",
                "memory that a kernel allocates with malloc or new", "fixed size"},
        Refused{"float* p = new float[K]; p[K - 1] = A[0]; C[0] = p[M]; delete[] p;",
                "memory that a kernel allocates with malloc or new", "fixed size"}}) {
    INFO(refused.code);
    const File file("#include <cooperative_groups.h>\n__global__ void k" + parameters + " { " +
                    refused.code + " }\n");
    check_error(file.run_tiles(""), 3, {"line 2: ", refused.what, refused.instead});
  }
  const File nested("__global__ void child(float* C) {}\n__global__ void k" + parameters +
                    " { child<<<1, 32>>>(C); }\n");
  const ProgramResult result = nested.run_tiles("--entry k");
  CHECK(result.status == 4);
  CHECK(contains(result.error, "help: A kernel cannot launch kernels here (dynamic parallelism)"));
}

TEST_CASE("run: a header that clang does not have names NVRTC as the way") {
  if (!simt::clang_status().available) SKIP_BECAUSE("there is no clang");
  for (const std::string header :
       {"cuda_fp8.h", "mma.h", "cooperative_groups.h", "cooperative_groups/reduce.h", "cuda/atomic",
        "cuda/pipeline", "cuda/semaphore", "cuda/std/array"}) {
    INFO(header);
    const File file("#include <" + header + ">\n" + good);
    const ProgramResult result =
        file.run("--block 16x16 --tile 16x16 --backend emulator", "GEMM_TUTOR_COMPILER=clang");
    check_error(result, 3, {header, "NVRTC", "CUDA Toolkit"});
    CHECK_FALSE(contains(result.error, "file not found"));
  }
  const ProgramResult own =
      File("#include \"cuda_helpers.h\"\n" + with_error(good))
          .run("--block 16x16 --tile 16x16 --backend emulator", "GEMM_TUTOR_COMPILER=clang");
  CHECK(own.status == 4);
  CHECK(contains(own.error, "'cuda_helpers.h' file not found"));
}

TEST_CASE("run: a function that clang does not have names its line, and NVRTC as the way") {
  if (!simt::clang_status().available) SKIP_BECAUSE("there is no clang");
  const auto stored = [](const std::string& value) {
    return File("__global__ void k" + parameters + " {\n  C[0] = " + value + ";\n}\n")
        .run("--block 16x16 --tile 16x16 --backend emulator", "GEMM_TUTOR_COMPILER=clang");
  };
  for (const auto& [value, name] : {std::pair("erff(A[0])", "erff"),
                                    {"std::erf(A[0])", "erf"},
                                    {"sinpi(A[0])", "sinpi"},
                                    {"exp(2.0 * A[0])", "exp"},
                                    {"pow(2.0, M)", "pow"}}) {
    INFO(value);
    const ProgramResult result = stored(value);
    check_error(result, 3, {fmt::format("(2) calls {}", name), "NVRTC", "CUDA Toolkit"});
    CHECK_FALSE(contains(result.error, "does not compile"));
  }
  CHECK(contains(stored("tanh(1.0 * A[0])").error, "tanh of a double (tanhf is there)"));
  CHECK(contains(stored("atomicAdd_system(C, A[0])").error, "NVRTC"));
  // With these there is only the wrong result.
  for (const char* value : {"tanh(A[0]) + std::exp(A[1]) + pow(A[2], 3) + log(A[3])",
                            "sqrt(2.0 * A[0]) + fmaxf(A[0], 0) + round(A[1]) + rsqrt(A[2])"}) {
    INFO(value);
    CHECK(stored(value).status == 1);
  }
}

TEST_CASE("GEMM_TUTOR_BLOCKS says how many blocks are emulated where --blocks does not") {
  const auto emulated = [](const std::string& options, const std::string& blocks) {
    const ProgramResult result = run_program("lesson 3 --format json --backend emulator " + options,
                                             "GEMM_TUTOR_BLOCKS=" + blocks);
    INFO(result.error);
    REQUIRE(result.status == 0);
    return Json::parse(result.output)["counters"]["blocks_emulated"].get<int>();
  };
  CHECK(emulated("--size 512", "4") == 4);
  CHECK(emulated("--size 128 --blocks all", "4") == 16);
  check_error(run_program("lesson 3 --size 64", "GEMM_TUTOR_BLOCKS=few"), 2, {"--blocks 'few'"});
}
