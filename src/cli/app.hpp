// The command line, from arguments to exit status.
#pragma once

namespace gemm_tutor::cli {

// Parses the command line, runs the subcommand and writes its report. An error is written to
// standard error: a line that says what is wrong, and a line that says what to do. Returns the exit
// status. Never throws.
int run(int argc, const char* const* argv) noexcept;

}  // namespace gemm_tutor::cli
