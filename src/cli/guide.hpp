// Texts of the help, in addition to a command's options. They are plain ASCII without line breaks,
// and are wrapped when printed.
#pragma once

#include <string>
#include <vector>

namespace gemm_tutor::cli {

struct Example {
  std::string command;  // as typed in a shell; a command's examples work in this order
  std::string purpose;  // what it shows: "lesson 3 at M = N = K = 512"
};

// The meanings of a command's exit statuses; empty if it does not have that status. Any command can
// end with 2: the command line is wrong.
struct StatusMeanings {
  std::string done = "done";                                 // 0
  std::string wrong = {};                                    // 1
  std::string unavailable = "the output cannot be written";  // 3
  std::string compile_error = {};                            // 4
};

// Status 3 of a command that runs kernels on the GPU or the emulator.
inline constexpr const char* cannot_run =
    "this machine cannot do it: no GPU for --backend gpu, no CUDA compiler, too little memory, a "
    "file that cannot be written, or an instruction that the emulator does not know";

struct Guide {
  std::string about;  // what it does, a paragraph
  std::vector<Example> examples;
  StatusMeanings statuses = {};
};

}  // namespace gemm_tutor::cli
