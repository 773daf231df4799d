// The manual page that the build has help2man make, where there is one.
#include <fmt/format.h>

#include <filesystem>
#include <regex>

#include "catch.hpp"
#include "help_text.hpp"
#include "support/file.hpp"

using namespace gemm_tutor;

namespace {

const std::string page_file = PROJECT_BINARY_DIR "/share/man/man1/gemm-tutor.1";

bool has_page() { return std::filesystem::exists(page_file); }
constexpr const char* no_page = "the build found no help2man";

// The page as its reader sees it, without the bold and the breaks of lines.
std::string shown_page() {
  const std::string text =
      run_shell(fmt::format("groff -man -Tascii -P-cbou -rLL=1000n '{}'", page_file)).output;
  return std::regex_replace(text, std::regex("[ \n]+"), " ");
}

// "exercise check" is "check", and has no section of its own.
bool has_short_form(const std::string& command, const std::string& text) {
  return std::ranges::any_of(help_texts(), [&](const HelpText& other) {
    return command == "exercise " + other.command &&
           split_lines(text).front() == split_lines(other.text).front();
  });
}

}  // namespace

TEST_CASE("groff has nothing to say against the manual page, which has no date") {
  if (!has_page()) SKIP_BECAUSE(no_page);
  CHECK(contains(read_file(page_file).value_or(""), "\n.TH GEMM\\-TUTOR 1 \"\" \"gemm\\-tutor "));
  if (!is_installed("groff")) SKIP_BECAUSE("groff is not installed");
  const ProgramResult groff = run_shell(fmt::format("groff -man -ww -z '{}'", page_file));
  CHECK(groff.error == "");
  CHECK(groff.status == 0);
}

TEST_CASE("man has nothing to say against the manual page") {
  if (!has_page()) SKIP_BECAUSE(no_page);
  if (!is_installed("man")) SKIP_BECAUSE("man is not installed");
  const ProgramResult man = run_shell(fmt::format("man --warnings -l '{}' > /dev/null", page_file));
  if (contains(man.error, "minimized")) SKIP_BECAUSE("man is a stand-in here");
  CHECK(man.error == "");
  CHECK(man.status == 0);
}

TEST_CASE("mandoc has little to say against the manual page") {
  if (!has_page()) SKIP_BECAUSE(no_page);
  if (!is_installed("mandoc")) SKIP_BECAUSE("mandoc is not installed");
  const ProgramResult lint = run_shell(fmt::format("mandoc -Tlint '{}'", page_file));
  for (const std::string& line : split_lines(lint.output)) {
    INFO(line);
    CHECK((contains(line, "missing date") || contains(line, "referenced manual not found") ||
           contains(line, "longer than 80 bytes")));  // with what makes a word bold
  }
}

TEST_CASE("the manual page has every command, option, example and exit status of the helps") {
  if (!has_page()) SKIP_BECAUSE(no_page);
  if (!is_installed("groff")) SKIP_BECAUSE("groff is not installed");
  const std::string page = shown_page();
  for (const auto& [command, text] : help_texts()) {
    if (has_short_form(command, text)) continue;
    INFO("gemm-tutor " << command);
    CHECK(contains(page, "gemm-tutor" + (command.empty() ? "" : " " + command) + " [OPTIONS]"));
    for (const ShownOption& option : shown_options(text)) {
      INFO(option.name);
      const bool is_apart = !option.value.empty() && !option.value.starts_with('[');
      const std::string separator = is_apart ? " " : "";
      CHECK(contains(page, option.name + separator + option.value + " " + option.description));
    }
    for (const std::string& example : help_entries(help_part(text, "Examples"))) {
      INFO(example);
      CHECK(contains(page, example));
    }
  }
  for (const char* name : {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXIT STATUS",
                           "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"}) {
    CHECK(contains(page, fmt::format(" {} ", name)));
  }
}

TEST_CASE("the manual page names each variable of the environment that the program asks for") {
  const std::string page = read_file(PROJECT_SOURCE_DIR "/cmake/manual.h2m").value_or("");
  const std::regex asked(
      R"((?:getenv|environment|envname|base_directory|from_environment)\("([A-Z_]+)\")");
  int variables = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(PROJECT_SOURCE_DIR "/src")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string source = read_file(entry.path()).value_or("");
    for (std::sregex_iterator found(source.begin(), source.end(), asked), end; found != end;
         ++found, ++variables) {
      INFO(entry.path() << ": " << (*found)[1]);
      CHECK(contains(page, "\\fB" + (*found)[1].str() + "\\fR"));
    }
  }
  CHECK(variables >= 6);
}
