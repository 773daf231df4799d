#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "support/text.hpp"
#include "view/output.hpp"
#include "view/terminal_text.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {
namespace {

// "Enter next, p back, q quit"; where a line is an answer ":p back, :q quit".
std::string keys_text(const View& view) {
  std::string text = view.enter.empty() ? "" : "Enter " + view.enter;
  for (const KeyHelp& key : view.keys) {
    if (view.is_enter(key)) continue;
    const std::string words =
        fmt::format("{}{} {}", view.prompt.empty() ? "" : ":", key.key, key.meaning);
    text += (text.empty() ? "" : ", ") + unbreakable(std::string(trimmed(words)));
  }
  return text;
}

// The source of lines. A terminal is opened again for non-blocking reads: Ctrl-C discards typed
// text, and could do so between select() and read().
int open_input() {
  const char* terminal = isatty(STDIN_FILENO) ? ttyname(STDIN_FILENO) : nullptr;
  const int file = terminal ? ::open(terminal, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
  return file >= 0 ? file : STDIN_FILENO;
}

class PlainScreen : public Screen {
 public:
  explicit PlainScreen(const Terminal& terminal)
      : terminal_(terminal), echoes_(isatty(STDIN_FILENO) == 0), input_(open_input()) {}
  ~PlainScreen() override {
    if (input_ != STDIN_FILENO) ::close(input_);
  }

  Input show(const View& view) override {
    write_all(stdout, text_of(view));
    for (;;) {
      const std::optional<std::string> line = read_line(view.prompt);
      if (!line) return {};
      const Input input = meaning_of(*line, view);
      if (input.kind != Input::Kind::end) return input;
      const std::string typed(trimmed(*line));
      std::string about = typed.size() == 1 && view.about ? view.about(typed.front()) : "";
      if (about.empty()) {
        about = fmt::format("'{}' is not one of the keys: {}", shortened(*line, most_shown),
                            keys_text(view));
      }
      write_all(stdout, paragraph({{about}}));
    }
  }

  bool wait(BackgroundJob& background) override {
    using namespace std::chrono_literals;
    const auto begin = std::chrono::steady_clock::now();
    std::string written;  // each kind of work once: nothing is written over
    while (!background.wait_for(50ms)) {
      if (signals_.take_interrupted() || signals_.ending()) background.activity().stop();
      const std::string what = background.activity().state().what;
      if (what == written || std::chrono::steady_clock::now() - begin < unnoticed) continue;
      write_all(stdout, shown("(" + what + " …)", terminal_) + "\n");
      written = what;
    }
    return background.finish();
  }

 private:
  std::string text_of(const View& view) const {
    Document head{.title = view.title, .right = {{view.place, Style::dim}}};
    std::string text = "\n" + terminal_text(head, terminal_) + "\n";
    for (const Line& row : rows_of(view, terminal_)) text += paint(row, terminal_) + "\n";
    if (!view.typed.empty()) {  // and a mark below the place
      text += fmt::format("\n{}\n{:>{}}\n", view.typed, '^', view.typed_at + 1);
    }
    return text + "\n" + paragraph({{keys_text(view), Style::dim}});
  }

  std::string paragraph(const Line& line) const {
    return terminal_text({.parts = {Paragraph{line}}}, terminal_);
  }

  // Returns nothing at the end of the input, or if a signal has arrived.
  std::optional<std::string> read_line(const std::string& prompt) {
    write_all(stdout, shown(prompt, terminal_) + "> ");
    while (unread_.find('\n') == unread_.npos && unread_.size() < most_unread && read_more()) {
    }
    const bool interrupted = signals_.take_interrupted() || signals_.ending();
    if (unread_.empty() || interrupted) {
      write_all(stdout, "\n");
      return {};
    }
    const std::size_t end = std::min(unread_.find('\n'), unread_.size());
    const std::string line = unread_.substr(0, std::min(end, longest_line));
    unread_.erase(0, end + 1);
    if (echoes_) write_all(stdout, shown(shortened(line, most_shown), terminal_) + "\n");
    return line;
  }

  // False at the end, or if a signal has arrived.
  bool read_more() {
    if (!signals_.wait_to_read(input_)) return false;
    std::array<char, 4096> part;
    const ssize_t size = ::read(input_, part.data(), part.size());
    if (size < 0 && errno == EAGAIN) return true;
    if (size > 0) unread_.append(part.data(), static_cast<std::size_t>(size));
    return size > 0;
  }

  static constexpr std::size_t longest_line = 1000, most_shown = 50, most_unread = 1 << 20;

  Terminal terminal_;
  bool echoes_;  // what is typed does not show by itself
  int input_;
  std::string unread_;  // of it
  SignalWatch signals_;
};

}  // namespace

std::unique_ptr<Screen> plain_screen(const Terminal& terminal) {
  return std::make_unique<PlainScreen>(terminal);
}

}  // namespace gemm_tutor
