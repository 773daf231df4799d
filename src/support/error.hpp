// The error that the program reports. It has a line that names the wrong value, a line that says
// what to do, and an exit status.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace gemm_tutor {

enum class ExitStatus : int {
  ok = 0,             // done and right
  wrong_result = 1,   // the kernel's result is wrong, a check failed, an exercise is not solved
  usage = 2,          // the command line is wrong
  unavailable = 3,    // this machine cannot do it: no GPU, no NVRTC, not enough memory
  compile_error = 4,  // the kernel does not compile
};

class Error : public std::runtime_error {
 public:
  // `message` completes "error: …"; `help` is a sentence that says what to do. One line each,
  // except that a compile error's message also has the compiler's lines.
  Error(ExitStatus status, const std::string& message, std::string help)
      : std::runtime_error(message), status_(status), help_(std::move(help)) {}

  ExitStatus status() const { return status_; }
  const std::string& help() const { return help_; }

 private:
  ExitStatus status_;
  std::string help_;
};

}  // namespace gemm_tutor
