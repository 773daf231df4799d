// The help of every command, by running the program, and its parts.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "program.hpp"
#include "support/text.hpp"
#include "view/text_checks.hpp"

namespace gemm_tutor {

struct HelpText {
  std::string command;  // "exercise start"; empty for the program
  std::string text;
};

// The lines of a part, such as "Examples", up to the empty line behind it.
inline std::vector<std::string> help_part(const std::string& help, const std::string& name) {
  std::vector<std::string> part;
  bool is_inside = false;
  for (const std::string& line : split_lines(help)) {
    if (line.empty()) is_inside = false;
    if (is_inside) part.push_back(line);
    if (line == name + ":") is_inside = true;
  }
  return part;
}

// What a part has in its first column: commands, options, examples.
inline std::vector<std::string> help_entries(const std::vector<std::string>& part) {
  std::vector<std::string> entries;
  for (const std::string& line : part) {
    if (line.starts_with("  ") && !line.starts_with("   ")) entries.push_back(line.substr(2));
  }
  return entries;
}

inline void add_help_texts(std::vector<HelpText>& texts, const std::string& command) {
  const std::string text = run_program(command + " --help").output;
  texts.push_back({command, text});
  for (const std::string& entry : help_entries(help_part(text, "Commands"))) {
    add_help_texts(texts,
                   (command.empty() ? "" : command + " ") + entry.substr(0, entry.find(' ')));
  }
}

// The program's first. Read once.
inline const std::vector<HelpText>& help_texts() {
  static const std::vector<HelpText> texts = [] {
    std::vector<HelpText> all;
    add_help_texts(all, "");
    return all;
  }();
  return texts;
}

// An option as it is shown: "--size S" and its description in one line.
struct ShownOption {
  std::string name;   // "--size"
  std::string value;  // "S"; "[=all]" of a flag that may have one
  std::string description;
};

inline std::vector<ShownOption> shown_options(const std::string& help) {
  std::vector<ShownOption> options;
  bool is_option = false;
  for (const std::string& line : split_lines(help)) {
    const std::size_t text = line.find_first_not_of(' ');
    if (line.starts_with("  -")) {
      is_option = true;
      const std::size_t name = line.find("--"), end = std::min(line.find("  ", name), line.size());
      const std::string shown = line.substr(name, end - name);
      const std::size_t value = std::min(shown.find_first_of(" ["), shown.size());
      options.push_back({shown.substr(0, value), std::string(trimmed(shown.substr(value))),
                         std::string(trimmed(line.substr(end)))});
    } else if (text == line.npos || text < 24) {
      is_option = false;
    } else if (is_option) {
      std::string& description = options.back().description;
      description += (description.empty() ? "" : " ") + std::string(trimmed(line));
    }
  }
  return options;
}

}  // namespace gemm_tutor
