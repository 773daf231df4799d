// A subcommand: its options as CLI11 parses them, and what it does with them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "cli/options.hpp"
#include "support/error.hpp"

namespace gemm_tutor::cli {

struct Outcome {
  std::string report;
  ExitStatus status = ExitStatus::ok;
};

struct Command {
  CLI::App* app;  // owned by its parent
  std::function<Outcome()> run;
};

// One in each file of the same name. `color` is shared, and outlives the command.
Command add_list(CLI::App& parent, ColorOption& color);
Command add_lesson(CLI::App& parent, ColorOption& color);
Command add_compare(CLI::App& parent, ColorOption& color);
Command add_run(CLI::App& parent, ColorOption& color);
Command add_device(CLI::App& parent, ColorOption& color);

}  // namespace gemm_tutor::cli
