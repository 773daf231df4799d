// Runs a program on a terminal in memory, and prints what its screen shows:
//
//     on_terminal [COLUMNSxROWS] ACTION... -- PROGRAM [ARGUMENT...]
//
// The terminal has 80×24 characters if nothing else is said. Actions, one after the other:
//   'wait TEXT'  until a row of the screen has the text
//   'type TEXT'  as typed; 'key NAME' for Enter, Escape, Up, Down, Left, Right, Home, End, PageUp,
//                PageDown, Tab or Backspace
//   show         prints the screen between two lines, once it does not change any more
//   end          until the program has ended
// The status is the program's after 'end', else 0. A wrong command line ends with 2, and what is
// waited for in vain with 1.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <stdexcept>

#include "support/text.hpp"
#include "walkthrough/virtual_terminal.hpp"

namespace gemm_tutor {
namespace {

using Clock = std::chrono::steady_clock;

const std::map<std::string, Key> keys = {
    {"Enter", Key::enter},
    {"Escape", Key::escape},
    {"Up", Key::up},
    {"Down", Key::down},
    {"Left", Key::left},
    {"Right", Key::right},
    {"Home", Key::home},
    {"End", Key::end},
    {"PageUp", Key::page_up},
    {"Tab", Key::tab},
    {"Backspace", Key::backspace},
    {"PageDown", Key::page_down},
};

struct CommandLine {
  TerminalSize size;
  std::vector<std::string> actions, program;
};

CommandLine command_line(std::vector<std::string> arguments) {
  CommandLine result;
  if (!arguments.empty()) {
    const std::vector<std::string> sides = split(arguments.front(), 'x');
    if (sides.size() == 2 && sides[0].find_first_not_of("0123456789") == std::string::npos) {
      result.size = {std::stoi(sides[0]), std::stoi(sides[1])};
      arguments.erase(arguments.begin());
    }
  }
  const auto separator = std::ranges::find(arguments, "--");
  result.actions.assign(arguments.begin(), separator);
  if (separator != arguments.end()) result.program.assign(std::next(separator), arguments.end());
  if (result.program.empty()) throw std::invalid_argument("a program after -- is missing");
  return result;
}

// A program writes a screen at once, but it may be read in pieces.
void wait_for_silence(VirtualTerminal& terminal) {
  constexpr std::chrono::milliseconds silence{400};
  std::size_t received = terminal.received().size();
  Clock::time_point since = Clock::now();
  terminal.wait_until(
      [&] {
        if (terminal.received().size() != received) since = Clock::now();
        received = terminal.received().size();
        return Clock::now() - since > silence;
      },
      "silence");
}

// Many empty rows, as on a high terminal, are only counted.
void print_screen(const VirtualTerminal& terminal) {
  constexpr std::size_t many = 10;
  std::string line;
  for (int i = 0; i < terminal.size().columns; ++i) line += "─";
  fmt::print("{}\n", line);
  std::size_t empty = 0;
  for (const std::string& row : terminal.screen()) {
    if (row.empty()) {
      ++empty;
      continue;
    }
    fmt::print("{}",
               empty < many ? std::string(empty, '\n') : fmt::format("({} empty rows)\n", empty));
    fmt::print("{}\n", row);
    empty = 0;
  }
  fmt::print("{}{}\n", std::string(empty, '\n'), line);
  std::fflush(stdout);  // also if what follows never ends
}

int run(const CommandLine& command) {
  VirtualTerminal terminal(command.program, command.size);
  int status = 0;
  for (const std::string& action : command.actions) {
    const std::string verb = action.substr(0, action.find(' '));
    const std::string text = verb.size() < action.size() ? action.substr(verb.size() + 1) : "";
    if (verb == "wait") {
      terminal.wait_for(text);
    } else if (verb == "type") {
      terminal.send(text);
    } else if (verb == "key" && keys.contains(text)) {
      terminal.send(keys.at(text));
    } else if (action == "show") {
      wait_for_silence(terminal);
      print_screen(terminal);
    } else if (action == "end") {
      const ProgramEnd end = terminal.wait_for_end();
      status = end.signal != 0 ? 128 + end.signal : end.status;
    } else {
      throw std::invalid_argument("there is no action '" + action + "'");
    }
  }
  return status;
}

}  // namespace
}  // namespace gemm_tutor

int main(int count, char** arguments) {
  try {
    return gemm_tutor::run(gemm_tutor::command_line({arguments + 1, arguments + count}));
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "error: {}\nhelp: on_terminal 'wait TEXT' 'type TEXT' show -- PROGRAM\n",
               error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
