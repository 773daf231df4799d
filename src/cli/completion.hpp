// What a shell can complete of a command line, and the scripts that tell it to bash, zsh and fish.
// A script is text alone: the shell asks the program nothing while someone types.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gemm_tutor::cli {

// What may stand in a place: any of these.
struct Candidates {
  std::vector<std::string> words;  // without blanks and quotes; "BM=" is to be gone on with
  std::string ending;              // ".cu": files that end so; empty for none
  bool folders = false;

  bool empty() const { return words.empty() && ending.empty() && !folders; }
};

struct CompletedOption {
  std::vector<std::string> names;  // "-h", "--help"
  std::string summary;             // a short line
  std::string value;               // "auto|gpu|emulator"; empty for a flag
  Candidates candidates;           // of the value
  bool repeats = false;
};

struct CompletedCommand {
  std::string path;  // behind "gemm-tutor": "exercise start"; empty for the program
  std::string summary;
  std::vector<CompletedOption> options;
  std::string argument;  // "L"; empty for none
  Candidates candidates;
  bool many_arguments = false;
  std::vector<std::string> commands;  // paths of those behind it
};

// The program first, each command before those behind it. Lessons, exercises, words and GPUs are
// those that there are now.
std::vector<CompletedCommand> completed_commands(const CLI::App& program);

std::string bash_script(const std::vector<CompletedCommand>& commands);
std::string zsh_script(const std::vector<CompletedCommand>& commands);
std::string fish_script(const std::vector<CompletedCommand>& commands);

// "start" of "exercise start".
std::string last_word(const std::string& path);

// As one word in single quotes, whatever is in it.
std::string single_quoted(const std::string& text);

}  // namespace gemm_tutor::cli
