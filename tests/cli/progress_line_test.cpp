// How far long work is, on a terminal and elsewhere.
#include "cli/progress_line.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "catch.hpp"
#include "no_terminal.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::cli;

namespace {

const std::string erased = "\r\033[K";

// A terminal without a screen: what is written to its `file`.
class PseudoTerminal {
 public:
  PseudoTerminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) {
      throw std::runtime_error("no pseudo terminal");
    }
    name_ = ptsname(master_);
    file_ = open(name_.c_str(), O_RDWR | O_NOCTTY);
  }
  ~PseudoTerminal() {
    close(file_);
    close(master_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;

  const std::string& name() const { return name_; }
  int file() const { return file_; }

  void type(char key) const {
    if (write(master_, &key, 1) != 1) throw std::runtime_error("cannot type");
  }

  // All that was written so far.
  const std::string& written() {
    while (wait_for_more(0)) read_more();
    return written_;
  }

  // Waits until it was written; false when that does not happen.
  bool shows(const std::string& text) {
    constexpr int patience_ms = 60'000;
    while (written().find(text) == written_.npos) {
      if (!wait_for_more(patience_ms)) return false;
      read_more();
    }
    return true;
  }

 private:
  bool wait_for_more(int milliseconds) const {
    pollfd poll_master{master_, POLLIN, 0};
    return poll(&poll_master, 1, milliseconds) == 1 && poll_master.revents & POLLIN;
  }
  void read_more() {
    char bytes[4096];
    const ssize_t count = read(master_, bytes, sizeof bytes);
    if (count > 0) written_.append(bytes, static_cast<std::size_t>(count));
  }

  int master_, file_ = -1;
  std::string name_, written_;
};

// gemm-tutor with `arguments` in the foreground of the terminal, after the shell command `first`;
// its report goes nowhere.
pid_t start_program(const PseudoTerminal& terminal, const std::string& arguments,
                    const std::string& first = "true") {
  const std::string command = fmt::format(
      "{2}; exec env TERM=xterm LC_ALL=C.UTF-8 XDG_CACHE_HOME='{0}/test-cache' '{0}/gemm-tutor' "
      "{1}",
      PROJECT_BINARY_DIR, arguments, first);
  const pid_t process = fork();
  if (process != 0) return process;
  setsid();
  const int file = open(terminal.name().c_str(), O_RDWR);
  ioctl(file, TIOCSCTTY, 0);
  dup2(file, STDIN_FILENO);
  dup2(file, STDERR_FILENO);
  dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
  execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  _exit(127);
}

int status_of(pid_t process) {
  int status = 0;
  waitpid(process, &status, 0);
  return status;
}

struct TerminalEnvironment {
  TerminalEnvironment() { setenv("TERM", "xterm", 1); }
};
const TerminalEnvironment terminal_environment;

}  // namespace

TEST_CASE("a progress line says what is done, how far that is, and what it is a part of") {
  CHECK(progress_text("", {"emulating", 37, 100}, 80, true) == "emulating: 37 %");
  CHECK(progress_text("", {"emulating", 1, 3}, 80, true) == "emulating: 33 %");
  CHECK(progress_text("", {"emulating", 3, 3}, 80, true) == "emulating: 100 %");
  CHECK(progress_text("", {"compiling", 0, 0}, 80, true) == "compiling …");
  CHECK(progress_text("", {"compiling", 0, 0}, 80, false) == "compiling ...");
  CHECK(progress_text("", {}, 80, true) == "");
  CHECK(progress_text("3 of 21", {}, 80, true) == "3 of 21 …");
  CHECK(progress_text("3 of 21", {"emulating", 1, 2}, 80, true) == "3 of 21 · emulating: 50 %");
  CHECK(progress_text("3 of 21", {"emulating", 1, 2}, 80, false) == "3 of 21 - emulating: 50 %");
}

TEST_CASE("a progress line is no wider than the terminal") {
  CHECK(progress_text("", {"emulating", 37, 100}, 15, true) == "emulating: 37 %");
  CHECK(progress_text("", {"emulating", 37, 100}, 14, true) == "emulating: 37 ");
  CHECK(progress_text("3 · 4", {}, 3, true) == "3 ·");
  CHECK(progress_text("3 · 4", {}, 0, true) == "");
}

TEST_CASE("a progress line is rewritten while the work goes on, and erased at its end") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  PseudoTerminal terminal;
  Activity activity;
  {
    ProgressLine line(activity, terminal.file());
    activity.begin("emulating", 4);
    activity.advance();
    CHECK(terminal.shows(erased + "emulating: 25 %"));
    activity.advance(2);
    CHECK(terminal.shows(erased + "emulating: 75 %"));
    line.set_where("2 of 3");
    activity.begin("compiling");
    CHECK(terminal.shows(erased + "2 of 3"));
    CHECK_FALSE(terminal.written().ends_with(erased));
  }
  CHECK(terminal.written().ends_with(erased));
  CHECK(terminal.written().find('\n') == std::string::npos);
}

TEST_CASE("work that is done soon draws no progress line") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  PseudoTerminal terminal;
  Activity activity;
  activity.begin("emulating", 4);
  { const ProgressLine line(activity, terminal.file()); }
  CHECK(terminal.written() == "");
}

TEST_CASE("work that throws leaves no progress line behind") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  PseudoTerminal terminal;
  Activity activity;
  const auto work = [&] {
    const ProgressLine line(activity, terminal.file());
    activity.begin("emulating", 4);
    if (terminal.shows("emulating: 0 %")) throw std::runtime_error("out of memory");
  };
  CHECK_THROWS_AS(work(), std::runtime_error);
  CHECK(terminal.written().ends_with(erased));
}

TEST_CASE("there is no progress line in a pipe") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  Activity activity;
  activity.begin("emulating", 4);
  {
    const ProgressLine line(activity, ends[1]);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // on a terminal, long enough
  }
  char byte = 0;
  CHECK(read(ends[0], &byte, 1) == -1);
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("Ctrl-C ends a command by its signal, on a clean line") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const std::string emulated = " --size 4096 --backend emulator --blocks all";
  const std::string file = std::string(PROJECT_SOURCE_DIR) + "/tests/benchmarks/float4_tile.cu";
  const std::vector<std::string> commands = {
      "lesson 3" + emulated, "run '" + file + "' --block 16x16 --tile 128x128" + emulated,
      "compare 2 3" + emulated};
  for (const std::string& command : commands) {
    INFO(command);
    PseudoTerminal terminal;
    const pid_t process = start_program(terminal, command);
    CHECK(terminal.shows("emulating: "));
    terminal.type('\x03');
    const int status = status_of(process);
    INFO(terminal.written());
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGINT);
    CHECK(terminal.written().ends_with(erased));
  }
}

TEST_CASE("Ctrl-C that is ignored stays ignored", "[long]") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  PseudoTerminal terminal;
  const pid_t process =
      start_program(terminal, "lesson 3 --size 768 --backend emulator --blocks all", "trap '' INT");
  CHECK(terminal.shows("emulating: "));
  terminal.type('\x03');
  CHECK(status_of(process) == 0);
  CHECK(terminal.written().ends_with(erased));
}
