// What the help and the manual page say of a command beside its options. Plain ASCII text, without
// line breaks: whoever prints it wraps it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gemm_tutor::cli {

struct Example {
  std::string command;  // as typed in a shell; those of one command work in their order
  std::string purpose;  // what one sees by it: "lesson 3 at M = N = K = 512"
};

// What each exit status means for one command; empty for one that it cannot end with. Any command
// can end with 2: the command line is wrong.
struct StatusMeanings {
  std::string done = "done";                                 // 0
  std::string wrong = {};                                    // 1
  std::string unavailable = "the output cannot be written";  // 3
  std::string compile_error = {};                            // 4
};

// 3 for a command that runs kernels on the GPU or the emulator.
inline constexpr const char* cannot_run =
    "this machine cannot do it: no GPU for --backend gpu, no CUDA compiler, too little memory, a "
    "file that cannot be written, or an instruction that the emulator does not know";

struct Guide {
  std::string about;  // a paragraph for the manual page
  std::vector<Example> examples;
  StatusMeanings statuses = {};
};

// In their order: {0, "done"}, {2, "the command line is wrong"}, …
std::vector<std::pair<int, std::string>> listed(const StatusMeanings& statuses);

}  // namespace gemm_tutor::cli
