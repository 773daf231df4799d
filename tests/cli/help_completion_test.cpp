// The scripts by which bash, zsh and fish complete a command line, in those shells themselves.
#include <fmt/format.h>

#include <functional>

#include "catch.hpp"
#include "help_text.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

namespace {

const std::string share = PROJECT_BINARY_DIR "/share";
const std::string bash_file = share + "/bash-completion/completions/gemm-tutor";
const std::string zsh_file = share + "/zsh/site-functions/_gemm-tutor";
const std::string fish_file = share + "/fish/vendor_completions.d/gemm-tutor.fish";

bool is_installed(const std::string& shell) { return run_shell("command -v " + shell).status == 0; }

// A folder with a kernel, another file and a folder in it.
const TemporaryDirectory& folder() {
  static const TemporaryDirectory made;
  static const bool is_filled =
      run_shell(fmt::format("cd '{}' && mkdir start deeper && touch own.cu notes.txt page.html",
                            made.path().string()))
          .status == 0;
  REQUIRE(is_filled);
  return made;
}

// As bash has it in COMP_WORDS: "a=b" is three words.
std::string bash_words(const std::string& typed) {
  std::string words;
  for (std::string word : split(typed, ' ')) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos) {
      words += shell_word(word) + " ";
    } else {
      words += word.substr(0, equals) + " = ";
      if (equals + 1 < word.size()) words += word.substr(equals + 1);
    }
  }
  return words;
}

// These return what the shell offers for a line that was typed, as it prints it.
std::string bash_offers(const std::string& typed) {
  const std::string script = fmt::format(
      "source '{}'; COMP_WORDS=({}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _gemm_tutor; "
      "printf ' %s \\n' \"${{COMPREPLY[@]}}\"",
      bash_file, bash_words(typed));
  const ProgramResult result = run_shell(fmt::format("cd '{}' && bash --norc --noprofile -c {}",
                                                     folder().path().string(), shell_word(script)));
  CHECK(result.error == "");
  return result.output;
}

std::string fish_offers(const std::string& typed) {
  const std::string script =
      fmt::format("source '{}'; complete -C {}", fish_file, shell_word(typed));
  const ProgramResult result = run_shell(fmt::format("cd '{}' && fish --no-config -c {}",
                                                     folder().path().string(), shell_word(script)),
                                         fmt::format("HOME='{}'", folder().path().string()));
  CHECK(result.error == "");
  std::string offers;
  for (const std::string& line : split_lines(result.output)) {
    offers += fmt::format(" {} \n", line.substr(0, line.find('\t')));
  }
  return offers;
}

std::string zsh_offers(const std::string& typed) {
  const ProgramResult result = run_shell(fmt::format(
      "cd '{}' && zsh -f '{}/tests/cli/help_completion.zsh' '{}' '{}' {}", folder().path().string(),
      PROJECT_SOURCE_DIR, zsh_file, (folder().path() / "start").string(), shell_word(typed)));
  CHECK(result.error == "");
  CHECK(contains(result.output, "LINE<"));
  std::string offers = result.output;
  for (char& character : offers) {
    if (std::string_view("<>\r\n").find(character) != std::string_view::npos) character = ' ';
  }
  return offers;
}

struct Typed {
  std::string line;
  std::vector<std::string> offered, missing;
};

const std::vector<Typed> typed_lines = {
    {"gemm-tutor les", {"lesson"}, {"list", "own.cu"}},
    {"gemm-tutor lesson --back", {"--backend"}, {"--blocks"}},
    {"gemm-tutor lesson --backend ", {"auto", "gpu", "emulator"}, {"3", "own.cu"}},
    {"gemm-tutor check --backend ", {"gpu", "emulator"}, {"auto"}},
    {"gemm-tutor exercise start ", {"3", "small-k-only", "naive-coalesced"}, {"10", "own.cu"}},
    {"gemm-tutor exercise l", {"list"}, {"learn", "lesson"}},
    {"gemm-tutor --color never les", {"lesson"}, {"list"}},
    {"gemm-tutor lesson ", {"10", "shared-memory-tile"}, {"small-k-only", "list"}},
    {"gemm-tutor lesson --set B", {"BM=", "BK="}, {"TM=", "3"}},
    {"gemm-tutor lesson --size ", {}, {"3", "own.cu"}},
    {"gemm-tutor lesson --kernel vectorized_", {"vectorized_loads", "vectorized_b"}, {"cublas"}},
    {"gemm-tutor lesson --gpu ", {"h200", "a100"}, {"auto"}},
    {"gemm-tutor explain bank-", {"bank-conflict"}, {"warp"}},
    {"gemm-tutor completion ", {"bash", "zsh", "fish"}, {"text"}},
    {"gemm-tutor trace own", {"own.cu"}, {}},
    {"gemm-tutor grade dee", {"deeper"}, {}},
};

void check_offers(const std::function<std::string(const std::string&)>& offers_of) {
  for (const Typed& typed : typed_lines) {
    std::string offers = offers_of(typed.line);
    INFO(typed.line << "\n" << offers);
    std::ranges::replace(offers, '/', ' ');  // behind a folder
    for (const std::string& word : typed.offered) {
      INFO(word);
      // With "BM=" zsh shows the words below each other, or goes on behind it.
      CHECK(contains(offers, " " + word));
    }
    for (const std::string& word : typed.missing) {
      INFO(word);
      CHECK_FALSE(contains(offers, " " + word + " "));
    }
  }
}

}  // namespace

TEST_CASE("the scripts are what the program prints, and no course adds to them") {
  for (const auto& [shell, file] :
       {std::pair{"bash", bash_file}, {"zsh", zsh_file}, {"fish", fish_file}}) {
    INFO(shell);
    CHECK(read_file(file) == run_program(fmt::format("completion {}", shell)).output);
  }
  CHECK(run_program("completion tcsh").status == 2);
}

TEST_CASE("no command, option or choice that a help shows is missing in a script") {
  const std::string bash = read_file(bash_file).value(), zsh = read_file(zsh_file).value(),
                    fish = read_file(fish_file).value();
  for (const auto& [command, text] : help_texts()) {
    INFO("gemm-tutor " << command);
    std::string function = command.empty() ? "\n_gemm-tutor" : "\n_gemm_tutor_" + command;
    std::ranges::replace(function, ' ', '_');
    const std::size_t zsh_start = zsh.find(function + "() {");
    const std::size_t bash_start = bash.find(fmt::format("\n    '{}')\n", command));
    REQUIRE(zsh_start != zsh.npos);
    REQUIRE(bash_start != bash.npos);
    const std::string in_zsh = zsh.substr(zsh_start, zsh.find("\n}\n", zsh_start) - zsh_start);
    const std::string in_bash = bash.substr(bash_start, bash.find(";;", bash_start) - bash_start);
    const std::string at =
        command.empty() ? "'__gemm_tutor_at'" : fmt::format("'__gemm_tutor_at {}'", command);
    for (const ShownOption& option : shown_options(text)) {
      INFO(option.name);
      CHECK((contains(in_bash, " " + option.name + " ") || contains(in_bash, "'" + option.name) ||
             contains(in_bash, option.name + "'")));
      CHECK((contains(in_zsh, option.name + "[") || contains(in_zsh, option.name + "=[") ||
             contains(in_zsh, option.name + "}")));
      CHECK(contains(fish, fmt::format("-n {} ", at)));
      CHECK((contains(fish, fmt::format("-n {} -l {} ", at, option.name.substr(2))) ||
             contains(fish, fmt::format("-n {} -s h -l {} ", at, option.name.substr(2)))));
      if (!option.value.empty()) {
        CHECK(contains(bash, fmt::format("'{}:{}'", command, option.name)));
      }
    }
    for (const std::string& entry : help_entries(help_part(text, "Commands"))) {
      const std::string name = entry.substr(0, entry.find(' '));
      INFO(name);
      CHECK(contains(in_zsh, fmt::format("\n        {}) ", name)));
      CHECK(contains(fish, fmt::format("-n {} -a {} ", at, name)));
      CHECK(contains(in_bash, name));
    }
  }
}

TEST_CASE("bash completes commands, options, values, lessons, exercises, words and files") {
  if (!is_installed("bash")) SKIP_BECAUSE("bash is not installed");
  check_offers(bash_offers);
  CHECK(bash_offers("gemm-tutor lesson --backend=e") == " emulator \n");
  CHECK_FALSE(contains(bash_offers("gemm-tutor run "), "notes.txt"));
  CHECK(contains(bash_offers("gemm-tutor lesson --html "), " page.html \n"));
}

TEST_CASE("zsh completes commands, options, values, lessons, exercises, words and files") {
  if (!is_installed("zsh")) SKIP_BECAUSE("zsh is not installed");
  check_offers(zsh_offers);
  CHECK(contains(zsh_offers("gemm-tutor lesson --backend=e"), "--backend=emulator "));
  CHECK_FALSE(contains(zsh_offers("gemm-tutor run "), "notes.txt"));
}

TEST_CASE("fish completes commands, options, values, lessons, exercises, words and files") {
  if (!is_installed("fish")) SKIP_BECAUSE("fish is not installed");
  check_offers(fish_offers);
  CHECK(fish_offers("gemm-tutor lesson --backend=e") == " --backend=emulator \n");
}
