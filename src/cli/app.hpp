// The command line, from arguments to exit status.
#pragma once

namespace gemm_tutor::cli {

// Parses, runs the subcommand, writes its report in one piece; an error goes to standard error as
// one line that says what is wrong and one that says what to do. Returns the exit status; never
// throws.
int run(int argc, const char* const* argv) noexcept;

}  // namespace gemm_tutor::cli
