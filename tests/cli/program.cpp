#include "program.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "support/file.hpp"

namespace gemm_tutor {
namespace {

// A directory of this process's own, gone with it.
class Scratch {
 public:
  Scratch()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("gemm-tutor-test-{}", getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;

  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string contents(const std::string& path) {
  if (const auto text = read_file(path)) return *text;
  throw std::runtime_error("cannot read " + path);
}

}  // namespace

ProgramResult run_shell(const std::string& command, const std::string& environment) {
  const Scratch scratch;
  const std::string script = fmt::format(
      "cd / && PROGRAM='{0}/gemm-tutor' && unset NO_COLOR LC_ALL LC_CTYPE && "
      "export LANG=C.UTF-8 XDG_CACHE_HOME='{0}/test-cache' XDG_DATA_HOME='{0}/test-data' "
      "XDG_STATE_HOME='{5}' {1} && "
      "( {2} ) > '{3}' 2> '{4}' < /dev/null",
      PROJECT_BINARY_DIR, environment, command, scratch.file("output"), scratch.file("error"),
      scratch.file("state"));
  const int status = std::system(script.c_str());
  if (!WIFEXITED(status)) throw std::runtime_error("ended by a signal: " + command);
  return {WEXITSTATUS(status), contents(scratch.file("output")), contents(scratch.file("error"))};
}

bool is_installed(const std::string& program) {
  return run_shell("command -v " + program).status == 0;
}

ProgramResult run_program(const std::string& arguments, const std::string& environment) {
  return run_shell("\"$PROGRAM\" " + arguments, environment);
}

std::string completions(const std::string& words, const std::string& environment) {
  const ProgramResult result = run_shell(
      fmt::format("bash '{}/share/bash-completion/completions/gemm-tutor' \"$PROGRAM\" {}",
                  PROJECT_SOURCE_DIR, words),
      environment);
  if (result.status != 0) throw std::runtime_error("no completions of " + words);
  return result.output + result.error;
}

}  // namespace gemm_tutor
