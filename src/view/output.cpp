#include "view/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
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

// What the compiler says, its lines kept.
std::string compiler_text(const std::string& text, const Terminal& terminal) {
  std::vector<std::string> lines;
  for (MessageLine& line : message_lines(text, terminal, quote_columns(terminal, 0))) {
    lines.push_back(std::move(line.text));
  }
  return join(lines, "\n");
}

std::string printable_message(std::string text, bool is_of_compiler, const Terminal& terminal) {
  text.resize(text.find_last_not_of('\n') + 1);
  return is_of_compiler ? compiler_text(text, terminal) : printable(text);
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

DescribedError describe(const std::exception& exception, const Terminal& terminal) {
  const Error error = as_error(exception);
  const bool is_of_compiler = error.status() == ExitStatus::compile_error;
  const Line lines = {{"error: ", Style::bad},
                      {printable_message(error.what(), is_of_compiler, terminal) + "\n"},
                      {"help: ", Style::heading},
                      {printable_message(error.help(), is_of_compiler, terminal) + "\n"}};
  const std::string text = paint(lines, terminal);
  return {error.status(), terminal.unicode ? text : to_ascii(text)};
}

}  // namespace gemm_tutor
