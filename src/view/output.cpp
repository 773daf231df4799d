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
#include "view/layout.hpp"

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

namespace {

constexpr int longest_quote = 200;           // columns, where no terminal says how many there are
constexpr std::size_t longest_words = 1000;  // characters: a name may be of any length
constexpr std::string_view quote_indent = "  ";

// "    ^", or "  ~~^~~".
bool is_caret_line(std::string_view line) {
  return line.find('^') != line.npos && line.find_first_not_of(" \t^~") == line.npos;
}

// The columns from `begin` to `end`; the half of a wide character is a space.
std::string between(std::string_view text, int begin, int end) {
  std::string result;
  int column = 0;
  for (const CodePoint& point : code_points(text)) {
    const int next = column + columns_of(point.value);
    if (column >= begin && next <= end) {
      result += point.bytes;
    } else {
      const int inside = std::min(next, end) - std::max(column, begin);
      result.append(static_cast<std::size_t>(std::max(inside, 0)), ' ');
    }
    column = next;
  }
  return result;
}

// A line of the source, and the carets below it.
struct QuotedLine {
  std::string source, carets;
  int cut = 0;  // columns that are missing at the left
};

// Both begin with the compiler's indentation, which is kept.
QuotedLine fitted(const QuotedLine& quote, int width, const std::string& ellipsis) {
  const int length = std::max(columns(quote.source), columns(quote.carets));
  if (length <= width) return quote;
  const int indent = columns(quote_indent), room = width - indent;
  // A third of the room after the caret: more of what is wrong is before it.
  const int caret = columns(quote.carets.substr(0, quote.carets.find('^')));
  const int begin = std::clamp(caret - 2 * room / 3, indent, length - room), end = begin + room;
  const int mark = columns(ellipsis);
  const bool cut_before = begin > indent, cut_behind = end < columns(quote.source);
  std::string source =
      between(quote.source, begin + (cut_before ? mark : 0), end - (cut_behind ? mark : 0));
  if (cut_before) source = ellipsis + source;
  if (cut_behind) source += ellipsis;
  return {std::string(quote_indent) + source,
          std::string(quote_indent) + between(quote.carets, begin, end), begin - indent};
}

}  // namespace

int quote_columns(const Terminal& terminal, int indent) {
  return (terminal.has_width ? terminal.width : longest_quote) - indent;
}

Line place_linked(const std::string& text, Style style) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t mark = text.find_first_of("(: ", begin);
  if (mark == text.npos || text[mark] == ' ') return {{text, style}};
  const std::string path = text.substr(begin, mark - begin);
  const int line = std::atoi(text.c_str() + mark + 1);
  if (path.empty() || line <= 0) return {{text, style}};
  return {{text.substr(0, begin), style},
          {path, style, file_address(path, line)},
          {text.substr(mark), style}};
}

std::vector<MessageLine> message_lines(std::string_view message, const Terminal& terminal,
                                       int width) {
  const std::string ellipsis = shown("…", terminal);
  std::vector<MessageLine> result;
  int cut = 0;  // of the quote above
  const std::vector<std::string> lines = split_lines(message);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i + 1 < lines.size() && is_caret_line(lines[i + 1])) {
      const QuotedLine quote =
          fitted({shown(lines[i], terminal), shown(lines[i + 1], terminal)}, width, ellipsis);
      result.push_back({quote.source, true});
      result.push_back({quote.carets, true});
      cut = quote.cut;
      ++i;
      continue;
    }
    std::string text = shown(shortened(lines[i], longest_words), terminal);
    // Clang's correction is below the caret.
    if (cut > 0 && indentation({{text}}) > cut) text.erase(0, static_cast<std::size_t>(cut));
    if (!text.starts_with(' ')) cut = 0;
    result.push_back({std::move(text)});
  }
  return result;
}

}  // namespace gemm_tutor
