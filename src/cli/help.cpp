#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/options.hpp"
#include "support/error.hpp"
#include "view/layout.hpp"

namespace gemm_tutor::cli {
namespace {

constexpr int page_columns = 80, name_columns = 24;

// Lines of at most `page_columns`, each `indent` spaces in.
std::string indented(const std::string& text, int indent) {
  std::string result;
  const int width = page_columns - indent;
  for (const Line& line : wrap({{text}}, width, width)) {
    result.append(indent, ' ');
    for (const Span& span : line) result += span.text;
    result += "\n";
  }
  return result;
}

// "  NAME   text", the text in a column of its own; below a name that leaves it no room.
std::string row(const std::string& name, const std::string& text, int columns = name_columns) {
  std::string label = "  " + name;
  const std::string column = indented(text, columns);
  if (static_cast<int>(label.size()) + 2 > columns) return label + "\n" + column;
  label.resize(columns, ' ');
  return label + column.substr(columns);
}

std::string heading(const std::string& name) { return fmt::format("\n{}:\n", name); }

// --- What an App has

std::vector<const CLI::Option*> arguments_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

struct OptionGroup {
  std::string name;
  std::vector<const CLI::Option*> options;
};

std::vector<OptionGroup> option_groups(const CLI::App& app) {
  std::vector<OptionGroup> groups;
  const auto options = app.get_options([](const CLI::Option* option) {
    return option->nonpositional() && !option->get_group().empty();
  });
  for (const CLI::Option* option : options) {
    auto group = std::ranges::find(groups, option->get_group(), &OptionGroup::name);
    if (group == groups.end()) group = groups.insert(group, {option->get_group(), {}});
    group->options.push_back(option);
  }
  const auto rank = [](const OptionGroup& group) {
    return group.name == own_group ? 0 : group.name == general_group ? 2 : 1;
  };
  std::ranges::stable_sort(groups, {}, rank);
  return groups;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// "--size S", "-h, --help", "L" for an argument.
std::string shown_name(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name();
  std::string name;
  for (const std::string& letter : option.get_snames()) name += fmt::format("-{}, ", letter);
  name += "--" + option.get_lnames().front();
  if (takes_value(option)) return name + " " + option.get_type_name();
  // A flag that may have a value.
  return option.get_type_name().empty() ? name
                                        : fmt::format("{}[={}]", name, option.get_type_name());
}

// More than one of them may be given.
bool may_be_several(const CLI::Option& option) {
  return option.get_expected_max() >= CLI::detail::expected_max_vector_size;
}

std::string argument_usage(const CLI::Option& option) {
  const std::string name = option.get_name() + (may_be_several(option) ? "..." : "");
  const bool has_default = option.get_description().find("default") != std::string::npos;
  return has_default ? fmt::format("[{}]", name) : name;
}

// "gemm-tutor lesson [OPTIONS] L". An argument is optional if its description has a default.
std::string usage_of(const CLI::App& app) {
  std::string usage = full_name(app) + " [OPTIONS]";
  for (const CLI::Option* argument : arguments_of(app)) usage += " " + argument_usage(*argument);
  return visible_commands(app).empty() ? usage : usage + " [COMMAND]";
}

// --- The parts of a help

std::string option_rows(const std::string& name, const std::vector<const CLI::Option*>& options) {
  std::string result = heading(name);
  for (const CLI::Option* option : options) {
    result += row(shown_name(*option), option->get_description());
  }
  return result;
}

std::string command_rows(const std::vector<const CLI::App*>& commands) {
  std::string result = heading("Commands");
  for (const CLI::App* command : commands) {
    result += row(command->get_name(), command->get_description());
  }
  return result;
}

std::string example_rows(const std::vector<Example>& examples) {
  std::string result = heading("Examples");
  for (const Example& example : examples) {
    result += fmt::format("  {}\n", example.command) + indented(example.purpose, 6);
  }
  return result;
}

std::string status_rows(const StatusMeanings& statuses) {
  std::string result = heading("Exit status");
  for (const auto& [status, words] : {std::pair{ExitStatus::ok, statuses.done},
                                      {ExitStatus::wrong_result, statuses.wrong},
                                      {ExitStatus::usage, "the command line is wrong"},
                                      {ExitStatus::unavailable, statuses.unavailable},
                                      {ExitStatus::compile_error, statuses.compile_error}}) {
    if (!words.empty()) result += row(std::to_string(static_cast<int>(status)), words, 5);
  }
  return result;
}

}  // namespace

std::string full_name(const CLI::App& app) {
  return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

std::vector<const CLI::App*> visible_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string /*name*/,
                                     CLI::AppFormatMode /*mode*/) const {
  std::string help = indented(app->get_description(), 0);
  help += "\nUsage: " + usage_of(*app) + "\n";
  help += "\n" + indented(guide_.about, 0);
  if (const auto commands = visible_commands(*app); !commands.empty()) {
    help += command_rows(commands);
  }
  if (const auto arguments = arguments_of(*app); !arguments.empty()) {
    help += option_rows("Arguments", arguments);
  }
  for (const auto& [name, options] : option_groups(*app)) help += option_rows(name, options);
  return help + example_rows(guide_.examples) + status_rows(guide_.statuses);
}

}  // namespace gemm_tutor::cli
