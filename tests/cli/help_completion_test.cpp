// The scripts by which bash, zsh and fish complete a command line, in those shells themselves.
#include <fmt/format.h>

#include <functional>
#include <set>

#include "catch.hpp"
#include "course/lesson.hpp"
#include "help_text.hpp"
#include "simt/gpu_spec.hpp"
#include "simt/gpus/gpu_details.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

namespace {

const std::string share = PROJECT_SOURCE_DIR "/share/";
const std::string bash_file = share + "bash-completion/completions/gemm-tutor",
                  zsh_file = share + "zsh/site-functions/_gemm-tutor",
                  fish_file = share + "fish/vendor_completions.d/gemm-tutor.fish";

// The scripts call the program by its name.
const std::string with_program = "PATH='" PROJECT_BINARY_DIR "':\"$PATH\"";

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
                                         with_program);
  CHECK(result.error == "");
  return result.output;
}

std::string fish_offers(const std::string& typed) {
  const std::string script =
      fmt::format("source '{}'; complete -C {}", fish_file, shell_word(typed));
  const ProgramResult result =
      run_shell(fmt::format("cd '{}' && fish --no-config -c {}", folder().path().string(),
                            shell_word(script)),
                fmt::format("{} HOME='{}'", with_program, folder().path().string()));
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
                with_program);
  CHECK(result.error == "");
  CHECK(contains(result.output, "LINE<"));
  std::string offers = result.output;
  for (char& character : offers) {
    if (std::string_view("<>\r\n").find(character) != std::string_view::npos) character = ' ';
  }
  return offers;
}

// Of lines of words and summaries.
std::vector<std::string> first_words(const std::string& lines) {
  std::vector<std::string> words;
  for (const std::string& line : split_lines(lines))
    words.push_back(line.substr(0, line.find('\t')));
  return words;
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
    {"gemm-tutor exercise start ", {"3", "small-k-only", "naive-coalesced"}, {"26", "own.cu"}},
    {"gemm-tutor exercise l", {"list"}, {"learn", "lesson"}},
    {"gemm-tutor --color never les", {"lesson"}, {"list"}},
    {"gemm-tutor lesson ", {"10", "shared-memory-tile"}, {"small-k-only", "list"}},
    {"gemm-tutor lesson --set B", {"BM=", "BK="}, {"TM=", "3"}},
    {"gemm-tutor lesson --size ", {}, {"3", "own.cu"}},
    {"gemm-tutor lesson --kernel vectorized_", {"vectorized_loads", "vectorized_b"}, {"cublas"}},
    {"gemm-tutor lesson --gpu ", {"h200", "a100"}, {"auto"}},
    {"gemm-tutor explain bank-", {"bank-conflict"}, {"warp"}},
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

TEST_CASE("the options and commands that a help shows are the completions") {
  for (const auto& [command, text] : help_texts()) {
    INFO("gemm-tutor " << command);
    std::vector<std::string> shown;
    for (const ShownOption& option : shown_options(text)) shown.push_back(option.name);
    CHECK(first_words(completions(command + " --")) == shown);
    shown.clear();
    for (const std::string& entry : help_entries(help_part(text, "Commands"))) {
      shown.push_back(entry.substr(0, entry.find(' ')));
    }
    if (!shown.empty()) CHECK(first_words(completions(command + " ''")) == shown);
  }
  CHECK(contains(completions("les"), "lesson\tOne lesson: idea, kernel"));
  CHECK(
      contains(completions("run --in"), "--include\ta folder with headers that the file includes"));
  CHECK(contains(completions("run -"), "\n-I\t"));
}

TEST_CASE("every choice that a help shows is a completion") {
  std::set<std::string> checked;  // many options are those of several commands
  for (const auto& [command, text] : help_texts()) {
    for (const ShownOption& option : shown_options(text)) {
      std::vector<std::string> choices;
      for (const std::string& value : split(option.value, '|')) {
        if (value.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == value.npos) {
          choices.push_back(value);
        }
      }
      if (option.value.empty() || choices.empty()) continue;
      if (!checked.insert(option.name + option.value).second) continue;
      INFO("gemm-tutor " << command << " " << option.name << " " << option.value);
      CHECK(first_words(completions(fmt::format("{} {} ''", command, option.name))) == choices);
      for (std::string& choice : choices) choice.insert(0, option.name + "=");
      CHECK(first_words(completions(fmt::format("{} {}=", command, option.name))) == choices);
    }
  }
  CHECK(checked.size() > 5);
}

TEST_CASE("the GPUs and template parameters that are completed are those that there are") {
  std::vector<std::string> gpus;
  for (const simt::GpuSpec& gpu : simt::known_gpus()) gpus.push_back(gpu.name + "\t");
  std::ranges::sort(gpus);
  CHECK(split_lines(completions("lesson --gpu ''")) == gpus);

  std::string settings = "\n";
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      for (const Setting& setting : kernel.settings) {
        const std::string word = setting.name + "=\t\n";
        if (!contains(settings, "\n" + word)) settings += word;
      }
    }
  }
  CHECK("\n" + completions("lesson --set ''") == settings);
}

TEST_CASE("words that make no command line have completions too, or none") {
  CHECK(contains(completions("''"), "lesson\t"));
  CHECK(contains(completions("--course /nowhere les"), "lesson\t"));
  CHECK(completions("--blok=") == "");
  CHECK(completions("lesson --machine=") == "--machine=all\t\n");
}

TEST_CASE("bash completes commands, options, values, lessons, exercises, words and files") {
  if (!is_installed("bash")) SKIP_BECAUSE("bash is not installed");
  check_offers(bash_offers);
  CHECK(bash_offers("gemm-tutor lesson --backend=e") == " emulator \n");
  CHECK(bash_offers("gemm-tutor lesson --set BM =") == "  \n");
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
