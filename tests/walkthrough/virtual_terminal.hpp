// A terminal in memory with a program on it: what it shows, and how the program leaves it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pseudo_terminal.hpp"

struct VTerm;
struct VTermScreen;

namespace gemm_tutor {

enum class Key {
  enter,
  tab,
  backspace,
  escape,
  up,
  down,
  left,
  right,
  home,
  end,
  page_up,
  page_down,
};

// The screen is as of the last wait: only what waits reads what the program writes. No program
// outlives its VirtualTerminal.
class VirtualTerminal {
 public:
  // So long that only what hangs reaches it, however busy the machine is.
  static constexpr std::chrono::milliseconds time_limit{240'000};

  // `arguments` begin with the program, which is looked for in PATH if it has no slash. Its
  // environment is the test's, but TERM=xterm-256color and LANG=C.UTF-8 are all that tells of the
  // terminal and the language; then "NAME=value" sets and "NAME" takes away. A program that cannot
  // be run ends with status 127.
  explicit VirtualTerminal(const std::vector<std::string>& arguments, TerminalSize size = {},
                           const std::vector<std::string>& environment = {});

  void send(std::string_view text);  // as typed; "\x03" is Ctrl-C, "\x04" Ctrl-D
  void send(Key key);
  void signal(int number);         // to the program alone
  void resize(TerminalSize size);  // the program gets SIGWINCH
  void hang_up();  // as when a window is closed: SIGHUP, and nothing to read from or write to

  // Until `is_so`. Throws std::runtime_error with `what`, which is waited for, and the screen when
  // it is not so within `limit`, or the program has ended and it is not so still.
  void wait_until(const std::function<bool()>& is_so, std::string_view what,
                  std::chrono::milliseconds limit = time_limit);
  void wait_for(std::string_view text, std::chrono::milliseconds limit = time_limit);
  // Waits until the program has ended and all its output has been read. Throws the same.
  ProgramEnd wait_for_end(std::chrono::milliseconds limit = time_limit);

  std::vector<std::string> screen() const;     // rows in UTF-8, without spaces at the end
  std::string row(int number) const;           // one of them, from 0
  bool contains(std::string_view text) const;  // in one row
  TerminalSize size() const { return size_; }
  bool shows_alternate_screen() const { return state_.alternate_screen; }
  // By what was received: libvterm's ESC 8 also restores whether the cursor shows, which no
  // terminal does.
  bool shows_cursor() const;
  const std::string& received() const { return received_; }  // every byte

  // How the terminal treats what is typed and written: before the program came, and now, or as the
  // program left it.
  const termios& settings_before() const { return program_.settings_before(); }
  termios settings() const { return program_.settings(); }

 private:
  struct State {
    bool alternate_screen = false;
    std::string to_program;  // keys, and answers to what it asks the terminal
  };
  struct Callbacks;

  void read(std::chrono::milliseconds wait);
  void flush();

  TerminalSize size_;
  State state_;
  std::string received_;
  std::unique_ptr<VTerm, void (*)(VTerm*)> terminal_;
  VTermScreen* screen_;
  PseudoTerminal program_;
};

// Whether a program would be served alike.
bool are_alike(const termios& one, const termios& other);

}  // namespace gemm_tutor
