#include "report/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <vector>

#include "support/text.hpp"
#include "support/utf8.hpp"

namespace gemm_tutor {
namespace {

// Without this a closed pipe would end the program before it could say its exit status.
void ignore_closed_pipes() {
#ifdef SIGPIPE
  std::signal(SIGPIPE, SIG_IGN);
#endif
}

std::vector<std::string> printable_lines(const std::string& text) {
  std::vector<std::string> lines = split_lines(text);
  for (std::string& line : lines) line = printable(line);
  return lines;
}

std::string printable_message(std::string text, bool keep_lines) {
  text.resize(text.find_last_not_of('\n') + 1);
  return keep_lines ? join(printable_lines(text), "\n") : printable(text);
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

Failure describe(const std::exception& exception, const Terminal& terminal) {
  const Error error = as_error(exception);
  const bool keep_lines = error.status() == ExitStatus::compile_error;
  const Line lines = {{"error: ", Style::bad},
                      {printable_message(error.what(), keep_lines) + "\n"},
                      {"help: ", Style::heading},
                      {printable_message(error.help(), keep_lines) + "\n"}};
  const std::string text = paint(lines, terminal);
  return {error.status(), terminal.unicode ? text : to_ascii(text)};
}

}  // namespace gemm_tutor
