#include "view/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "support/text.hpp"
#include "support/utf8.hpp"
#include "view/compiler_message.hpp"

namespace gemm_tutor {
namespace {

// Otherwise a closed pipe would end the program by a signal, without its exit status.
void ignore_closed_pipes() {
#ifdef SIGPIPE
  std::signal(SIGPIPE, SIG_IGN);
#endif
}

bool is_longer_than_screen(const std::string& text) {
  winsize size{};
  const char* kind = std::getenv("TERM");
  return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 &&
         kind && std::string_view(kind) != "dumb" && std::ranges::count(text, '\n') >= size.ws_row;
}

// What a shell is to run; empty for no pager. The shell ends with 127 if there is no such program.
std::string pager() {
  const char* chosen = std::getenv("PAGER");
  if (!chosen) return "command -v less >/dev/null || exit 127; exec less -FRX";
  const std::string program(trimmed(chosen));
  return program == "cat" ? "" : program;
}

// The lines of what the compiler says are kept.
Line printable_message(std::string text, bool is_of_compiler, const Terminal& terminal) {
  text.resize(text.find_last_not_of('\n') + 1);
  if (!is_of_compiler) return {{printable(text) + "\n"}};
  Line result;
  for (const MessageLine& line : message_lines(text, terminal, quote_columns(terminal, 0))) {
    result = std::move(result) + place_linked(line.text, Style::plain) + Line{{"\n"}};
  }
  return result;
}

Error as_error(const std::exception& exception) {
  if (const auto* error = dynamic_cast<const Error*>(&exception)) return *error;
  if (dynamic_cast<const std::bad_alloc*>(&exception)) {
    return {ExitStatus::unavailable, "there is not enough memory for this",
            "Choose a smaller --size."};
  }
  return {ExitStatus::unavailable, fmt::format("internal error: {}", exception.what()),
          "This is a fault of gemm-tutor: please report it with the command you typed."};
}

}  // namespace

void write_all(std::FILE* file, const std::string& text) {
  ignore_closed_pipes();
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (written && std::fflush(file) == 0) return;
  if (errno == EPIPE) return;
  throw Error(ExitStatus::unavailable,
              fmt::format("the output cannot be written: {}", std::strerror(errno)),
              "Write it to a place that has room and may be written to.");
}

void write_paged(const std::string& text) {
  const std::string program = is_longer_than_screen(text) ? pager() : "";
  if (program.empty()) return write_all(stdout, text);
  // Others than less, whose columns of a line links must not change.
  const bool is_less = !std::getenv("PAGER") || program.find("less") != program.npos;
  const std::string shown = is_less ? text : without_addresses(text);
  // A pager that is named without options shows colours, too.
  setenv("LESS", "FRX", 0);
  setenv("LV", "-c", 0);
  std::FILE* pipe = popen(program.c_str(), "w");
  if (!pipe) return write_all(stdout, text);
  // Ctrl-C is for the pager, which restores the terminal.
  const auto on_interrupt = std::signal(SIGINT, SIG_IGN), on_quit = std::signal(SIGQUIT, SIG_IGN);
  write_all(pipe, shown);
  const int status = pclose(pipe);
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGQUIT, on_quit);
  constexpr int not_executable = 126, not_found = 127;  // of a shell
  const int end = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (end == not_executable || end == not_found) write_all(stdout, text);
}

DescribedError describe(const std::exception& exception, const Terminal& terminal) {
  const Error error = as_error(exception);
  const bool is_of_compiler = error.status() == ExitStatus::compile_error;
  const Line lines =
      Line{{"error: ", Style::bad}} + printable_message(error.what(), is_of_compiler, terminal) +
      Line{{"help: ", Style::heading}} + printable_message(error.help(), is_of_compiler, terminal);
  const std::string text = paint(lines, terminal);
  return {error.status(), terminal.unicode ? text : to_ascii(text)};
}

}  // namespace gemm_tutor
