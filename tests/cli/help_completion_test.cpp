// The scripts by which bash, zsh and fish complete a command line, in those shells themselves.
#include <fmt/format.h>

#include <functional>

#include "catch.hpp"
#include "help_text.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

namespace {

const std::string scripts = PROJECT_SOURCE_DIR "/src/cli/completion.";
const std::string bash_file = scripts + "bash", zsh_file = scripts + "zsh",
                  fish_file = scripts + "fish";

// The scripts call the program by its name.
const std::string path = "PATH='" PROJECT_BINARY_DIR "':\"$PATH\"";

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
                                                     folder().path().string(), shell_word(script)),
                                         path);
  CHECK(result.error == "");
  return result.output;
}

std::string fish_offers(const std::string& typed) {
  const std::string script =
      fmt::format("source '{}'; complete -C {}", fish_file, shell_word(typed));
  const ProgramResult result =
      run_shell(fmt::format("cd '{}' && fish --no-config -c {}", folder().path().string(),
                            shell_word(script)),
                fmt::format("{} HOME='{}'", path, folder().path().string()));
  CHECK(result.error == "");
  std::string offers;
  for (const std::string& line : split_lines(result.output)) {
    offers += fmt::format(" {} \n", line.substr(0, line.find('\t')));
  }
  return offers;
}

std::string zsh_offers(const std::string& typed) {
  const ProgramResult result =
      run_shell(fmt::format("cd '{}' && zsh -f '{}/tests/cli/help_completion.zsh' '{}' '{}' {}",
                            folder().path().string(), PROJECT_SOURCE_DIR, zsh_file,
                            (folder().path() / "start").string(), shell_word(typed)),
                path);
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
    {"gemm-tutor exercise start ", {"3", "small-k-only", "naive-coalesced"}, {"16", "own.cu"}},
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

TEST_CASE("the scripts are what the program prints") {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    INFO(shell);
    CHECK(read_file(scripts + shell) == run_program(fmt::format("completion {}", shell)).output);
  }
  CHECK(run_program("completion tcsh").status == 2);
}

TEST_CASE("every command, option and choice that a help shows is a completion") {
  for (const auto& [command, text] : help_texts()) {
    INFO("gemm-tutor " << command);
    const auto offered = [&, &path = command](const std::string& word) {
      return "\n" + run_program(fmt::format("complete {} {}", path, word)).output;
    };
    const std::string options = offered("-"), commands = offered("''");
    for (const ShownOption& option : shown_options(text)) {
      INFO(option.name);
      CHECK(contains(options, "\n" + option.name + "\t"));
      const std::string values = offered(option.name + " ''"),
                        after_equals = offered(option.name + "=");
      for (const std::string& value : split(option.value, '|')) {
        if (value.empty() || value.find_first_not_of("abcdefghijklmnopqrstuvwxyz") != value.npos)
          continue;
        INFO(value);
        CHECK(contains(values, fmt::format("\n{}\t", value)));
        CHECK(contains(after_equals, fmt::format("\n{}={}\t", option.name, value)));
      }
    }
    for (const std::string& entry : help_entries(help_part(text, "Commands"))) {
      const std::string name = entry.substr(0, entry.find(' '));
      INFO(name);
      CHECK(contains(commands, fmt::format("\n{}\t", name)));
    }
  }
}

TEST_CASE("words that make no command line have completions too, or none") {
  CHECK(run_program("complete").status == 0);
  CHECK(contains(run_program("complete --course /nowhere lesson ''").output, "\n13\t\n"));
  CHECK(run_program("complete --blok=").output == "");
  CHECK(run_program("complete lesson --set BM =").output == "");
  CHECK(run_program("complete lesson --backend = e").output == "emulator\t\n");
  CHECK(run_program("complete lesson --machine=").output == "--machine=all\t\n");
}

TEST_CASE("bash completes commands, options, values, lessons, exercises, words and files") {
  if (!is_installed("bash")) SKIP_BECAUSE("bash is not installed");
  check_offers(bash_offers);
  CHECK(bash_offers("gemm-tutor lesson --backend=e") == " emulator \n");
  CHECK_FALSE(contains(bash_offers("gemm-tutor run "), "notes.txt"));
  CHECK(contains(bash_offers("gemm-tutor lesson --html "), " page.html \n"));
  CHECK(contains(bash_offers("gemm-tutor lesson --html="), " page.html \n"));
  CHECK_FALSE(contains(bash_offers("gemm-tutor lesson --html="), "files:"));
}

TEST_CASE("zsh completes commands, options, values, lessons, exercises, words and files") {
  if (!is_installed("zsh")) SKIP_BECAUSE("zsh is not installed");
  check_offers(zsh_offers);
  CHECK(contains(zsh_offers("gemm-tutor lesson --backend=e"), "--backend=emulator "));
  CHECK(contains(zsh_offers("gemm-tutor lesson --html=p"), "--html=page.html "));
  CHECK_FALSE(contains(zsh_offers("gemm-tutor run "), "notes.txt"));
}

TEST_CASE("fish completes commands, options, values, lessons, exercises, words and files") {
  if (!is_installed("fish")) SKIP_BECAUSE("fish is not installed");
  check_offers(fish_offers);
  CHECK(fish_offers("gemm-tutor lesson --backend=e") == " --backend=emulator \n");
  CHECK(fish_offers("gemm-tutor lesson --html=p") == " --html=page.html \n");
}
