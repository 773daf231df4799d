#include "pseudo_terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __APPLE__
#include <util.h>
#else
#include <pty.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

extern char** environ;

namespace gemm_tutor {
namespace {

// The leader writes it to the terminal when the program has ended: the text before it is all
// that the program wrote.
constexpr std::string_view end_mark = "\033]the program has ended\a";

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

struct Pipe {
  Descriptor out, in;
};

void close_in_programs(int descriptor) { fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

Pipe make_pipe() {
  std::array<int, 2> ends{};
  checked(pipe(ends.data()), "pipe");
  std::ranges::for_each(ends, close_in_programs);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

void set(std::vector<std::string>& variables, const std::string& variable) {
  std::erase_if(variables, [&](const std::string& v) { return name_of(v) == name_of(variable); });
  if (variable.find('=') != variable.npos) variables.push_back(variable);
}

std::vector<std::string> with_environment(const std::vector<std::string>& changes) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  for (const char* variable : {"NO_COLOR", "COLORTERM", "COLUMNS", "LINES", "LC_ALL", "LC_CTYPE",
                               "LANG=C.UTF-8", "TERM=xterm-256color"}) {
    set(variables, variable);
  }
  for (const std::string& variable : changes) set(variables, variable);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

winsize as_winsize(TerminalSize size) {
  winsize result{};
  result.ws_col = static_cast<unsigned short>(size.columns);
  result.ws_row = static_cast<unsigned short>(size.rows);
  return result;
}

bool is_readable(int descriptor, int wait_ms) {
  pollfd watched{descriptor, POLLIN, 0};
  return poll(&watched, 1, wait_ms) > 0;
}

// From here to "Back in the test": what runs in the new processes, where only calls that are safe
// in a signal handler may be made.

constexpr std::array handled = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTTOU};

void handle_signals(void (*handler)(int)) {
  for (const int number : handled) ::signal(number, handler);
}

struct Program {
  char** arguments;
  char** environment;
};

[[noreturn]] void become(const Program& program) {
  setpgid(0, 0);
  tcsetpgrp(STDIN_FILENO, getpid());
  handle_signals(SIG_DFL);
  environ = program.environment;
  execvp(program.arguments[0], program.arguments);
  constexpr std::string_view message = "the program cannot be run\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  _exit(127);
}

// The program has to go when the test does, even if that is killed.
int end_of(pid_t program, int control) {
  for (int status = 0;;) {
    if (waitpid(program, &status, WNOHANG) == program) return status;
    constexpr int look_again_ms = 10;
    if (is_readable(control, look_again_ms)) {
      kill(-program, SIGKILL);
      waitpid(program, &status, 0);
      return status;
    }
  }
}

template <typename Value>
void report(int descriptor, const Value& value) {
  [[maybe_unused]] const ssize_t written = ::write(descriptor, &value, sizeof value);
}

void await(int control) {
  char byte = 0;
  [[maybe_unused]] const ssize_t count = ::read(control, &byte, 1);
}

// This process has copies of all that the test has open, and some of that others wait to see
// closed.
void close_all_but(int reports, int control) {
  constexpr int most_open = 1024;
  for (int descriptor = STDERR_FILENO + 1; descriptor < most_open; ++descriptor) {
    if (descriptor != reports && descriptor != control) close(descriptor);
  }
}

[[noreturn]] void lead_session(const Program& program, int reports, int control) {
  close_all_but(reports, control);
  handle_signals(SIG_IGN);
  await(control);
  const pid_t id = fork();
  if (id < 0) _exit(1);
  if (id == 0) become(program);
  setpgid(id, id);
  report(reports, id);
  report(reports, end_of(id, control));
  tcflow(STDOUT_FILENO, TCOON);  // lest Ctrl-S has stopped it
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, end_mark.data(), end_mark.size());
  await(control);
  kill(-id, SIGKILL);  // what the program started and left
  _exit(0);
}

// Back in the test.

template <typename Value>
Value reported(int descriptor) {
  Value value{};
  if (::read(descriptor, &value, sizeof value) != sizeof value) {
    throw std::runtime_error("the terminal's session has gone");
  }
  return value;
}

ProgramEnd as_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {0, WTERMSIG(wait_status)};
  return {WEXITSTATUS(wait_status), 0};
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const ProgramEnd& end) {
  return stream << (end.signal ? "signal " : "status ") << (end.signal ? end.signal : end.status);
}

void Descriptor::close() {
  if (is_open()) ::close(std::exchange(number_, -1));
}

PseudoTerminal::PseudoTerminal(const std::vector<std::string>& arguments, TerminalSize size,
                               const std::vector<std::string>& environment) {
  std::vector<std::string> words = arguments, variables = with_environment(environment);
  std::vector<char*> word_list = pointers(words), variable_list = pointers(variables);
  const Program program{word_list.data(), variable_list.data()};
  Pipe reports = make_pipe(), control = make_pipe();
  winsize dimensions = as_winsize(size);
  int terminal = -1;
  leader_ = checked(forkpty(&terminal, nullptr, nullptr, &dimensions), "forkpty");
  if (leader_ == 0) lead_session(program, reports.in.number(), control.out.number());
  terminal_ = Descriptor(terminal);
  close_in_programs(terminal);
  checked(fcntl(terminal, F_SETFL, O_NONBLOCK), "fcntl");
  reports_ = std::move(reports.out);
  control_ = std::move(control.in);
  checked(tcgetattr(terminal, &settings_before_), "tcgetattr");
  report(control_.number(), 'x');
  program_ = reported<pid_t>(reports_.number());
}

PseudoTerminal::~PseudoTerminal() {
  control_.close();
  terminal_.close();
  waitpid(leader_, nullptr, 0);
}

std::string PseudoTerminal::read(std::chrono::milliseconds wait) {
  std::array<pollfd, 2> watched = {
      {{terminal_.number(), POLLIN, 0}, {end_ ? -1 : reports_.number(), POLLIN, 0}}};
  poll(watched.data(), watched.size(), static_cast<int>(wait.count()));
  std::string text = available();
  // Asked after the read: where that has some of the mark, the report is there.
  if (end_ || !is_readable(reports_.number(), 0)) return text;
  end_ = as_end(reported<int>(reports_.number()));
  text = up_to_mark(std::move(text));
  if (terminal_.is_open()) settings_after_ = settings();
  return text;
}

std::string PseudoTerminal::available() {
  if (!terminal_.is_open()) return "";
  std::string text(1 << 16, '\0');
  const ssize_t count = ::read(terminal_.number(), text.data(), text.size());
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) terminal_.close();
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

std::string PseudoTerminal::up_to_mark(std::string text) {
  constexpr int patience_ms = 10'000;
  while (text.find(end_mark) == text.npos && terminal_.is_open() &&
         is_readable(terminal_.number(), patience_ms)) {
    text += available();
  }
  return text.substr(0, text.find(end_mark));
}

std::size_t PseudoTerminal::write(std::string_view bytes) {
  const ssize_t count = ::write(terminal_.number(), bytes.data(), bytes.size());
  if (count < 0 && errno == EAGAIN) return 0;
  return static_cast<std::size_t>(checked(static_cast<int>(count), "write"));
}

void PseudoTerminal::signal(int number) {
  if (!end_) kill(program_, number);
}

void PseudoTerminal::resize(TerminalSize size) {
  const winsize dimensions = as_winsize(size);
  checked(ioctl(terminal_.number(), TIOCSWINSZ, &dimensions), "ioctl");
}

void PseudoTerminal::hang_up() {
  terminal_.close();
  signal(SIGHUP);  // as a shell does to its jobs
}

termios PseudoTerminal::settings() const {
  if (settings_after_) return *settings_after_;
  termios settings{};
  checked(tcgetattr(terminal_.number(), &settings), "tcgetattr");
  return settings;
}

}  // namespace gemm_tutor
