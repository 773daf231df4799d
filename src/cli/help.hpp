// Writes the help of the program and of each command from its options and its guide.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/guide.hpp"

namespace gemm_tutor::cli {

// "gemm-tutor exercise list".
std::string full_name(const CLI::App& app);

// The commands that are not hidden, in order.
std::vector<const CLI::App*> visible_commands(const CLI::App& app);
std::vector<const CLI::Option*> arguments_of(const CLI::App& app);

struct OptionGroup {
  std::string name;
  std::vector<const CLI::Option*> options;
};
std::vector<OptionGroup> option_groups(const CLI::App& app);

bool takes_value(const CLI::Option& option);

// "--size S", "-h, --help", "L" for an argument.
std::string shown_name(const CLI::Option& option);

// "gemm-tutor lesson [OPTIONS] L". An argument is optional if its description has a default.
std::string usage_of(const CLI::App& app);

// Writes the whole text, 80 columns wide, with the footer after the options.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

// Returns a help's footer: the guide's examples and exit statuses.
std::string footer_text(const Guide& guide);

}  // namespace gemm_tutor::cli
