// Writes the help of the program and of each command from its options and its guide. The manual
// page (cmake/write-manual) and the shells' completions (share) are made of what it prints.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"

namespace gemm_tutor::cli {

// "gemm-tutor exercise list".
std::string full_name(const CLI::App& app);

// The commands that are not hidden, in order.
std::vector<const CLI::App*> visible_commands(const CLI::App& app);

// Writes the whole text, 80 columns wide.
class HelpFormatter : public CLI::FormatterBase {
 public:
  explicit HelpFormatter(Guide guide) : guide_(std::move(guide)) {}
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;

 private:
  Guide guide_;
};

}  // namespace gemm_tutor::cli
