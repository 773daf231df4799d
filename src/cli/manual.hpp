// The manual page: the program's and its commands' options, with what their guides say.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace gemm_tutor::cli {

// In roff, with the `man` macros, in ASCII. `guide` is the program's own.
std::string manual_page(const CLI::App& program, const Guide& guide,
                        const std::vector<Command>& commands);

}  // namespace gemm_tutor::cli
