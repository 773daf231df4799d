// No output holds a control character but the line break and the tab, whatever a learner's file
// holds, by running the program.
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "errors.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

namespace {

// U+FFFD takes the place of what cannot be shown: the program's own texts have nothing of the kind.
void check_own_text(const std::string& text) {
  CHECK_FALSE(text.empty());
  CHECK(control_character(text) == "");
  CHECK_FALSE(contains(text, "\ufffd"));
}

void check_own_output(const std::string& arguments) {
  INFO(arguments);
  const ProgramResult plain = run_program(arguments);
  check_own_text(plain.output + plain.error);
  const ProgramResult ascii = run_program(arguments, "LC_ALL=C");
  check_own_text(ascii.output + ascii.error);
  const ProgramResult colored = run_program(arguments + " --color always");
  const std::regex escape("\x1b\\[[0-9;]*m");
  check_own_text(std::regex_replace(colored.output + colored.error, escape, ""));
}

// Of all files in the folder, which is emptied.
void check_own_files(const std::filesystem::path& folder, std::size_t expected) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    INFO(entry.path());
    check_own_text(read_file(entry.path()).value());
    std::filesystem::remove(entry.path());
    ++files;
  }
  CHECK(files == expected);
}

// In a comment of the kernel's, in a string and between words.
constexpr const char* hostile_kernel =
    "__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {\n"
    "  const int row = blockIdx.y, column = threadIdx.x;  // a\x1b[31mb\x07 c\x1f d \xc2\x9b e\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];  /* \x1f\x7f */\n"
    "  C[row * N + column] = sum;\n"
    "}\n";

}  // namespace

TEST_CASE("no control character is in what the commands print and write") {
  const TemporaryDirectory directory;
  const auto file = [&](const char* name) {
    return " '" + (directory.path() / name).string() + "'";
  };
  const std::string size = " --size 70 --backend emulator";
  check_own_output("lesson 3 --html" + file("a.html") + size);
  check_own_output("lesson 8 --html" + file("b.html") + size);
  check_own_output("lesson 8 --format json" + size);
  check_own_output("lesson 14 --html" + file("c.html") + size);
  // 1024 has recorded times.
  check_own_output("compare 3 8 --size 70,1024 --blocks 4 --backend emulator --html" +
                   file("d.html") + " --csv" + file("d.csv"));
  check_own_output("compare 3 --format json" + size);
  check_own_output("trace 8 --size 70 --html" + file("e.html") + " --svg" + file("e.svg"));
  check_own_output("trace 8 --size 70 --thread 3 --svg" + file("f.svg"));
  check_own_output("trace 8 --size 70 --tiles --svg" + file("g.svg"));
  check_own_files(directory.path(), 9);
  for (const char* arguments : {"list", "device", "explain warp", "exercise list", "--help"}) {
    check_own_output(arguments);
  }
}

TEST_CASE("no control character of a learner's file reaches a text, a page or a drawing") {
  const TemporaryDirectory directory;
  const std::string kernel = (directory.path() / "kernel.cu").string();
  write_file_atomically(kernel, hostile_kernel);
  const std::string launch = " '" + kernel + "' --size 32 --block 32 --tile 1x32";
  const std::string page = (directory.path() / "page.html").string();
  const std::string drawing = (directory.path() / "drawing.svg").string();
  for (const std::string& arguments :
       {"run" + launch + " --backend emulator",
        "run --format json" + launch + " --backend emulator",
        "trace" + launch + " --html '" + page + "' --svg '" + drawing + "'",
        "trace" + launch + " --thread 3", "trace" + launch + " --tiles"}) {
    INFO(arguments);
    const ProgramResult result = run_program(arguments);
    CHECK(result.status == 0);
    CHECK(control_character(result.output + result.error) == "");
  }
  CHECK(control_character(read_file(page).value()) == "");
  CHECK(control_character(read_file(drawing).value()) == "");
}

TEST_CASE("no control character is in the tables of a class, whatever its folders are called") {
  const TemporaryDirectory directory, tables;
  const auto file = [&](const char* name) { return (tables.path() / name).string(); };
  const std::filesystem::path student = directory.path() / "a\x1b[31mb\x1f";
  std::filesystem::create_directory(student);
  write_file_atomically(student / "03-shared-memory-tile.cu", hostile_kernel);
  const ProgramResult result = run_program(
      "grade '" + directory.path().string() + "' --exercises 3 --csv '" + file("a.csv") +
      "' --json '" + file("a.json") + "' --html '" + file("a.html") + "'");
  CHECK(result.status == 0);
  CHECK(control_character(result.output + result.error) == "");
  for (const char* name : {"a.csv", "a.json", "a.html"}) {
    INFO(name);
    CHECK(control_character(read_file(file(name)).value()) == "");
  }
}
