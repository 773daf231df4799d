// --help of the program and of each command, and that what it shows works as printed.
#include <fmt/format.h>

#include <fstream>
#include <map>

#include "catch.hpp"
#include "cli/command.hpp"
#include "help_text.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

namespace {

// That end with another status than 0, or are not run, and why.
const std::map<std::string, int> other_statuses = {
    {"gemm-tutor check", 1},  // what was handed out is not solved
    {"gemm-tutor check 03-shared-memory-tile.cu --format json", 1},
};
const std::map<std::string, std::string> not_run = {
    {"gemm-tutor watch", "it goes on until Ctrl-C"},
};

// A command's examples, one after the other in a folder and with a progress of their own: a line
// "STATUS COMMAND" for each.
std::string run_examples(const std::vector<std::string>& examples) {
  const TemporaryDirectory folder;
  std::ofstream script(folder.path() / "examples");
  for (const std::string& example : examples) {
    script << "{ " << example << "\n} > output 2> error\necho \"$? \"" << shell_word(example)
           << "\n";
  }
  script.close();
  return run_shell(fmt::format("cd '{}' && PATH=\"${{PROGRAM%/*}}:$PATH\" bash examples",
                               folder.path().string()))
      .output;
}

}  // namespace

TEST_CASE("every command has a help with all its parts, in 80 columns") {
  REQUIRE(help_texts().size() >= 19);
  for (const auto& [command, text] : help_texts()) {
    INFO("gemm-tutor " << command << "\n" << text);
    const std::vector<std::string> lines = split_lines(text);
    REQUIRE(lines.size() > 4);
    CHECK(lines[0].size() > 20);  // what it is for
    CHECK(lines[1] == "");
    CHECK(lines[2].starts_with("Usage: gemm-tutor" + (command.empty() ? "" : " " + command)));
    CHECK(help_entries(help_part(text, "Examples")).size() >= 2);
    CHECK(help_entries(help_part(text, "General")).size() >= 3);
    CHECK(widest(text) <= 80);
    CHECK(is_ascii(text));
  }
}

TEST_CASE("every option of a help says what it is, and its default where it takes a value") {
  for (const auto& [command, text] : help_texts()) {
    for (const ShownOption& option : shown_options(text)) {
      INFO("gemm-tutor " << command << " " << option.name << " " << option.value << ": "
                         << option.description);
      CHECK(option.description.size() > 5);
      const bool is_output = option.value.starts_with("FILE.");  // no file is written without it
      if (!option.value.empty() && !is_output) CHECK(contains(option.description, "default: "));
    }
  }
}

TEST_CASE("a help has the exit statuses that the command can end with") {
  const std::map<std::string, std::string> expected = {
      {"", "01234"},      {"lesson", "01234"}, {"run", "01234"}, {"list", "023"},
      {"check", "01234"}, {"trace", "01234"},  {"grade", "023"}, {"solution", "0123"}};
  for (const auto& [command, text] : help_texts()) {
    INFO("gemm-tutor " << command);
    std::string statuses;
    for (const std::string& entry : help_entries(help_part(text, "Exit status"))) {
      REQUIRE(entry.size() > 3);
      statuses += entry[0];
    }
    CHECK(contains(statuses, "2"));
    if (expected.contains(command)) CHECK(statuses == expected.at(command));
  }
}

TEST_CASE("the help and docs/commands.md say alike when this machine cannot do it") {
  std::string document = read_file(PROJECT_SOURCE_DIR "/docs/commands.md").value_or("");
  std::erase(document, '`');
  CHECK(contains(document, fmt::format("| 3 | {} |", cli::cannot_run)));
  std::string help;
  for (const std::string& line : help_part(help_texts().front().text, "Exit status")) {
    help += " " + std::string(trimmed(line));
  }
  CHECK(contains(help, cli::cannot_run));
}

TEST_CASE("the examples of every help work as printed", "[nightly]") {
  for (const auto& [command, text] : help_texts()) {
    std::vector<std::string> examples = help_entries(help_part(text, "Examples"));
    std::erase_if(examples, [](const std::string& example) { return not_run.contains(example); });
    std::string expected;
    for (const std::string& example : examples) {
      const auto other = other_statuses.find(example);
      expected +=
          fmt::format("{} {}\n", other == other_statuses.end() ? 0 : other->second, example);
    }
    INFO("gemm-tutor " << command << " --help");
    CHECK(run_examples(examples) == expected);
  }
}

TEST_CASE("what an argument's help calls optional may be left out, the others must be given") {
  for (const auto& [command, text] : help_texts()) {
    const std::string usage = split_lines(text)[2];
    const bool needs_argument = !help_part(text, "Arguments").empty() && !usage.ends_with(']');
    if (!needs_argument) continue;
    INFO(usage);
    CHECK(run_program(command).status == 2);
  }
  CHECK(contains(run_program("explain --help").output, "explain [OPTIONS] [WORD...]"));
  CHECK(contains(run_program("lesson --help").output, "lesson [OPTIONS] L|machine|profiler\n"));
}
