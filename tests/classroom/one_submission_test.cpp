#include "classroom/one_submission.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>

#include <functional>

#include "catch.hpp"
#include "simt/compiler.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;
namespace fs = std::filesystem;

namespace {

enum Answer : int { yes, no, cannot_confine };

// In a process of its own, in `directory`, confined as one that grades.
Answer ask_confined(const fs::path& directory, const std::function<bool()>& question) {
  const pid_t process = fork();
  if (process == 0) {
    fs::current_path(directory);
    setenv("TMPDIR", directory.c_str(), 1);
    simt::require_compiler();  // found while everything can be opened
    _exit(!confine_to(files_of_grading(Backend::emulator)) ? cannot_confine
          : question()                                     ? yes
                                                           : no);
  }
  int how = 0;
  waitpid(process, &how, 0);
  return static_cast<Answer>(WEXITSTATUS(how));
}

// NVRTC's message for a source that was not screened.
std::string compiler_says(const std::string& source) {
  try {
    simt::compile({source, "k.cu", "sm_90", "", {}}, "");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE(
    "a confined process compiles with the toolkit's headers, and reads nothing of anybody's") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  const TemporaryDirectory own, others;
  const fs::path canary = others.path() / "canary.h";
  REQUIRE(write_file_atomically(canary, "CANARYWORD is here\n"));
  if (ask_confined(own.path(), [] { return true; }) == cannot_confine) {
    SKIP_BECAUSE("this system has no Landlock");
  }
  const std::string include = "#include \"" + canary.string() + "\"\n";
  CHECK(contains(compiler_says(include), "CANARYWORD"));  // what the walls are for
  CHECK(ask_confined(own.path(), [&] {
          const std::string said = compiler_says(include);
          return said != "" && !contains(said, "CANARYWORD");
        }) == yes);
  const std::string toolkit =
      simt::compiler_status().has_assembler ? "#include <cuda/std/array>\n" : "";
  CHECK(ask_confined(own.path(), [&] {
          return compiler_says("#include <cuda_runtime.h>\n" + toolkit +
                               "#include <stdint.h>\n"
                               "__global__ void k(float* C) { C[0] = 1; }\n") == "";
        }) == yes);
  const auto can_read = [&](const char* path) {
    return ask_confined(own.path(), [&] { return read_file(path).has_value(); }) == yes;
  };
  for (const char* path : {"/etc/passwd", "/etc/hostname", "/proc/1/environ"}) {
    INFO(path);
    CHECK_FALSE(can_read(path));
  }
  CHECK_FALSE(can_read(PROJECT_SOURCE_DIR "/README.md"));
  CHECK(ask_confined(own.path(), [&] {
          return !write_file_atomically(others.path() / "new", "text") &&
                 !write_file_atomically("/tmp/gemm-tutor-test-new", "text") &&
                 write_file_atomically(own.path() / "new", "text");
        }) == yes);
}

TEST_CASE("a submission's mark is its check's, and what is refused is never compiled") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  const Exercise& exercise = find_exercise("shared-memory-tile");
  const auto mark = [&](const std::string& source) { return mark_of_source(exercise, source); };
  const Mark solved = mark(exercise.solution);
  CHECK(solved.points == most_points);
  CHECK(solved.solved());
  CHECK(solved.warp_instructions > 0);
  CHECK(mark(exercise.solution).warp_instructions == solved.warp_instructions);
  CHECK(mark(exercise.handout).points.total() < 50);
  CHECK(mark("#include \"x.h\"\n" + exercise.solution).failed == "submission");
  std::string text = exercise.solution;
  const std::size_t body = text.find("{\n", text.find("__global__")) + 1;
  text.insert(body, " nope = 0;");
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(body), '\n');
  const Mark broken = mark(text);
  CHECK(broken.failed == "compile");
  CHECK(broken.reason == "line " + std::to_string(line) +
                             (simt::compiler_status().has_assembler
                                  ? ": identifier \"nope\" is undefined"
                                  : ": use of undeclared identifier 'nope'"));
}
