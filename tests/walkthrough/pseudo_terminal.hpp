// A program as a shell runs it on a terminal: the foreground job of a session that outlives it. (A
// program that leads its session takes the terminal's settings with it when it ends.)
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gemm_tutor {

struct TerminalSize {
  int columns = 80, rows = 24;
};

// How a program ended.
struct ProgramEnd {
  int status = 0;
  int signal = 0;  // that ended it; 0 for none

  bool operator==(const ProgramEnd&) const = default;
};

std::ostream& operator<<(std::ostream& stream, const ProgramEnd& end);

// Closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  void close();
  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

class PseudoTerminal {
 public:
  // See VirtualTerminal. Throws std::system_error where there is no terminal to be had.
  PseudoTerminal(const std::vector<std::string>& arguments, TerminalSize size,
                 const std::vector<std::string>& environment);
  ~PseudoTerminal();  // kills the program if it still runs
  PseudoTerminal(const PseudoTerminal&) = delete;

  // What the program has written; waits for some, or its end, no longer than `wait`. With the
  // program's end comes all that is left.
  std::string read(std::chrono::milliseconds wait);
  // How many bytes the terminal took: none where the program does not read what it has.
  std::size_t write(std::string_view bytes);

  void signal(int number);
  void resize(TerminalSize size);
  void hang_up();

  // Nothing as long as it runs, as far as has been read.
  const std::optional<ProgramEnd>& end() const { return end_; }
  // Those at the end, when it has ended. Throws std::system_error once hung up.
  termios settings() const;
  const termios& settings_before() const { return settings_before_; }

 private:
  std::string available();
  std::string up_to_mark(std::string text);

  Descriptor terminal_;
  Descriptor reports_;  // from the session's leader: the program's id, later how it ended
  Descriptor control_;  // to it: a byte starts the program, the end of the file kills it
  pid_t leader_ = 0, program_ = 0;
  termios settings_before_{};
  std::optional<termios> settings_after_;
  std::optional<ProgramEnd> end_;
};

}  // namespace gemm_tutor
