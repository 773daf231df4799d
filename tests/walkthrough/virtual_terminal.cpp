#include "virtual_terminal.hpp"

#include <fmt/format.h>
#include <vterm.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

namespace gemm_tutor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds look_again{50};

VTermKey as_vterm(Key key) {
  switch (key) {
    case Key::enter:
      return VTERM_KEY_ENTER;
    case Key::tab:
      return VTERM_KEY_TAB;
    case Key::backspace:
      return VTERM_KEY_BACKSPACE;
    case Key::escape:
      return VTERM_KEY_ESCAPE;
    case Key::up:
      return VTERM_KEY_UP;
    case Key::down:
      return VTERM_KEY_DOWN;
    case Key::left:
      return VTERM_KEY_LEFT;
    case Key::right:
      return VTERM_KEY_RIGHT;
    case Key::home:
      return VTERM_KEY_HOME;
    case Key::end:
      return VTERM_KEY_END;
    case Key::page_up:
      return VTERM_KEY_PAGEUP;
    case Key::page_down:
      return VTERM_KEY_PAGEDOWN;
  }
  return VTERM_KEY_NONE;
}

std::runtime_error failure(const std::string& what, const VirtualTerminal& terminal) {
  return std::runtime_error(
      fmt::format("{}; the screen:\n{}\n", what, fmt::join(terminal.screen(), "\n")));
}

}  // namespace

struct VirtualTerminal::Callbacks {
  static int property(VTermProp property, VTermValue* value, void* state) {
    State& changed = *static_cast<State*>(state);
    if (property == VTERM_PROP_ALTSCREEN) changed.alternate_screen = value->boolean;
    return 1;
  }

  static void output(const char* bytes, std::size_t count, void* state) {
    static_cast<State*>(state)->to_program.append(bytes, count);
  }
};

VirtualTerminal::VirtualTerminal(const std::vector<std::string>& arguments, TerminalSize size,
                                 const std::vector<std::string>& environment)
    : size_(size),
      terminal_(vterm_new(size.rows, size.columns), vterm_free),
      screen_(vterm_obtain_screen(terminal_.get())),
      program_(arguments, size, environment) {
  static const VTermScreenCallbacks callbacks = [] {
    VTermScreenCallbacks result{};
    result.settermprop = Callbacks::property;
    return result;
  }();
  vterm_set_utf8(terminal_.get(), true);
  vterm_output_set_callback(terminal_.get(), Callbacks::output, &state_);
  vterm_screen_set_callbacks(screen_, &callbacks, &state_);
  vterm_screen_enable_altscreen(screen_, true);
  vterm_screen_reset(screen_, true);
}

void VirtualTerminal::send(std::string_view text) {
  state_.to_program += text;
  flush();
}

void VirtualTerminal::send(Key key) {
  vterm_keyboard_key(terminal_.get(), as_vterm(key), VTERM_MOD_NONE);
  flush();
}

void VirtualTerminal::signal(int number) { program_.signal(number); }

void VirtualTerminal::resize(TerminalSize size) {
  size_ = size;
  vterm_set_size(terminal_.get(), size.rows, size.columns);
  program_.resize(size);
}

void VirtualTerminal::hang_up() { program_.hang_up(); }

void VirtualTerminal::wait_until(const std::function<bool()>& is_so, std::string_view what,
                                 std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  while (!is_so()) {
    if (program_.end()) throw failure(fmt::format("the program ended without {}", what), *this);
    if (Clock::now() > deadline)
      throw failure(fmt::format("no {} in {} ms", what, limit.count()), *this);
    read(look_again);
  }
}

void VirtualTerminal::wait_for(std::string_view text, std::chrono::milliseconds limit) {
  wait_until([&] { return contains(text); }, fmt::format("'{}'", text), limit);
}

ProgramEnd VirtualTerminal::wait_for_end(std::chrono::milliseconds limit) {
  wait_until([&] { return program_.end().has_value(); }, "end", limit);
  return *program_.end();
}

std::vector<std::string> VirtualTerminal::screen() const {
  std::vector<std::string> rows;
  for (int number = 0; number < size_.rows; ++number) rows.push_back(row(number));
  return rows;
}

std::string VirtualTerminal::row(int number) const {
  constexpr std::size_t most_bytes = 4 * VTERM_MAX_CHARS_PER_CELL;  // of a cell
  std::string text(size_.columns * most_bytes, '\0');
  const VTermRect cells{number, number + 1, 0, size_.columns};
  text.resize(vterm_screen_get_text(screen_, text.data(), text.size(), cells));
  text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

bool VirtualTerminal::contains(std::string_view text) const {
  return std::ranges::any_of(screen(),
                             [text](const std::string& row) { return row.find(text) != row.npos; });
}

bool VirtualTerminal::shows_cursor() const {
  const auto last = [this](char end) {
    const std::size_t plain = received_.rfind(std::string("\033[?25") + end);
    const std::size_t steady = received_.rfind(std::string("\033[?12;25") + end);
    if (plain == received_.npos || steady == received_.npos) return std::min(plain, steady);
    return std::max(plain, steady);
  };
  const std::size_t shown = last('h'), hidden = last('l');
  return hidden == received_.npos || (shown != received_.npos && shown > hidden);
}

void VirtualTerminal::read(std::chrono::milliseconds wait) {
  flush();
  const std::string bytes = program_.read(wait);
  received_ += bytes;
  vterm_input_write(terminal_.get(), bytes.data(), bytes.size());
}

// What the program does not take now goes with a later read.
void VirtualTerminal::flush() {
  if (!state_.to_program.empty()) state_.to_program.erase(0, program_.write(state_.to_program));
}

bool are_alike(const termios& one, const termios& other) {
  return one.c_iflag == other.c_iflag && one.c_oflag == other.c_oflag &&
         one.c_cflag == other.c_cflag && one.c_lflag == other.c_lflag &&
         std::equal(std::begin(one.c_cc), std::end(one.c_cc), std::begin(other.c_cc));
}

}  // namespace gemm_tutor
