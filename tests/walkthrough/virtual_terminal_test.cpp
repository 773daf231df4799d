#include "virtual_terminal.hpp"

#include <signal.h>

#include <stdexcept>

#include "catch.hpp"
#include "checks.hpp"
#include "no_terminal.hpp"

using namespace gemm_tutor;

namespace {

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

// Of an exception.
std::string message_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the screen holds what a program wrote, by rows and in UTF-8") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  VirtualTerminal terminal({"printf", "one \\n  ✓ 漢字 e\u0301\\033[5;10Hthere\\033[31mred"},
                           {40, 6});
  CHECK(terminal.wait_for_end() == ProgramEnd{});
  CHECK(terminal.screen() ==
        std::vector<std::string>{"one", "  ✓ 漢字 e\u0301", "", "", "         therered", ""});
  CHECK(terminal.row(4) == "         therered");
  CHECK(terminal.contains("✓ 漢字"));
  CHECK_FALSE(terminal.contains("two"));
  CHECK(contains(terminal.received(), "\033[31mred"));
}

TEST_CASE("all that a program wrote is there when it has ended") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  VirtualTerminal terminal({"seq", "30000"});
  CHECK(terminal.wait_for_end() == ProgramEnd{});
  CHECK(terminal.received().ends_with("29999\r\n30000\r\n"));
  CHECK(terminal.row(22) == "30000");
}

TEST_CASE("a program reads what is typed, and ends with its own status") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  VirtualTerminal terminal(shell("cat && exit 3"));
  terminal.send("hello");
  terminal.send(Key::enter);
  terminal.wait_until([&] { return terminal.row(0) == "hello" && terminal.row(1) == "hello"; },
                      "the line and its echo");
  terminal.send("\x04");
  CHECK(terminal.wait_for_end() == ProgramEnd{3, 0});
}

TEST_CASE("more can be typed than a program takes at once") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  VirtualTerminal terminal(shell("stty raw -echo; echo ready; sleep 0.1; head -c 100000 | wc -c"));
  terminal.wait_for("ready");
  terminal.send(std::string(100000, 'x'));
  terminal.wait_for("100000");
}

TEST_CASE("Ctrl-C and signals reach the program, and the end says which did") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  for (const int number : {SIGTERM, SIGHUP, SIGKILL}) {
    VirtualTerminal terminal(shell("echo ready; exec cat"));
    terminal.wait_for("ready");
    terminal.signal(number);
    CHECK(terminal.wait_for_end() == ProgramEnd{0, number});
  }
  VirtualTerminal terminal(shell("echo ready; exec cat"));
  terminal.wait_for("ready");
  terminal.send("\x03");
  CHECK(terminal.wait_for_end() == ProgramEnd{0, SIGINT});
}

TEST_CASE("a program learns that its terminal has gone, by a signal and by reading") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  VirtualTerminal terminal(shell("echo ready; exec sleep 1000"));
  terminal.wait_for("ready");
  terminal.hang_up();
  CHECK(terminal.wait_for_end() == ProgramEnd{0, SIGHUP});
  CHECK(terminal.row(0) == "ready");
  CHECK_THROWS_AS(terminal.settings(), std::runtime_error);

  VirtualTerminal other(shell("trap '' HUP; echo ready; cat; exit 5"));
  other.wait_for("ready");
  other.hang_up();
  CHECK(other.wait_for_end() == ProgramEnd{5, 0});
}

TEST_CASE("a program sees the terminal's size, and when it changes") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  VirtualTerminal terminal(
      shell("trap 'stty size; exit' WINCH; stty size; while :; do sleep 0.05; done"), {100, 30});
  terminal.wait_for("30 100");
  terminal.resize({60, 20});
  CHECK(terminal.wait_for_end() == ProgramEnd{});
  CHECK(terminal.contains("20 60"));
  CHECK(terminal.screen().size() == 20);
}

TEST_CASE("the terminal's settings are as the program left them") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  VirtualTerminal careful(
      shell("saved=$(stty -g); stty raw -echo; echo raw; head -c 1; stty $saved"));
  careful.wait_for("raw");
  CHECK_FALSE(are_alike(careful.settings(), careful.settings_before()));
  careful.send("x");
  CHECK(careful.wait_for_end() == ProgramEnd{});
  CHECK(are_alike(careful.settings(), careful.settings_before()));

  VirtualTerminal careless(shell("stty -echo"));
  CHECK(careless.wait_for_end() == ProgramEnd{});
  CHECK_FALSE(are_alike(careless.settings(), careless.settings_before()));
}

TEST_CASE("the alternate screen and the cursor come and go") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  VirtualTerminal terminal(
      shell("echo first; printf '\\033[?1049h\\033[?25l\\033[H\\033[2J'; echo second; read line; "
            "printf '\\033[?25h\\033[?1049l'"));
  terminal.wait_for("second");
  CHECK(terminal.shows_alternate_screen());
  CHECK_FALSE(terminal.shows_cursor());
  CHECK_FALSE(terminal.contains("first"));
  terminal.send(Key::enter);
  CHECK(terminal.wait_for_end() == ProgramEnd{});
  CHECK_FALSE(terminal.shows_alternate_screen());
  CHECK(terminal.shows_cursor());
  CHECK(terminal.row(0) == "first");
}

TEST_CASE("keys are what the program has asked for, and its questions are answered") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const std::string quiet = "stty -icanon -echo; ";
  VirtualTerminal plain(shell(quiet + "echo ready; head -c 3 | od -An -c"));
  plain.wait_for("ready");
  plain.send(Key::up);
  plain.wait_for("033   [   A");

  VirtualTerminal application(
      shell(quiet + "printf '\\033[?1h'; echo ready; head -c 3 | od -An -c"));
  application.wait_for("ready");
  application.send(Key::up);
  application.wait_for("033   O   A");

  VirtualTerminal asked(shell(quiet + "printf '\\033[6n'; head -c 6 | od -An -c"));
  asked.wait_for("033   [   1   ;   1   R");
}

TEST_CASE("the environment is the test's, with what was asked for") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  const auto variable = [](const std::string& name, const std::vector<std::string>& environment) {
    VirtualTerminal terminal(shell("echo \"<$" + name + ">\""), {4000, 2}, environment);
    terminal.wait_for_end();
    return terminal.row(0);
  };
  CHECK(variable("TERM", {}) == "<xterm-256color>");
  CHECK(variable("TERM", {"TERM=dumb"}) == "<dumb>");
  CHECK(variable("TERM", {"TERM"}) == "<>");
  CHECK(variable("LANG", {"LANG=C"}) == "<C>");
  CHECK(variable("PATH", {}) == "<" + std::string(getenv("PATH")) + ">");
}

TEST_CASE("what does not come is told with the screen, in time or when the program has ended") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  VirtualTerminal waiting(shell("echo this; exec cat"));
  waiting.wait_for("this");
  constexpr std::chrono::milliseconds moment{100};
  const std::string late = message_of([&] { waiting.wait_for("that", moment); });
  CHECK(contains(late, "no 'that' in 100 ms"));
  CHECK(contains(late, "\nthis\n"));
  CHECK(contains(message_of([&] { waiting.wait_for_end(moment); }), "no end in 100 ms"));

  VirtualTerminal ended(shell("echo this"));
  const std::string gone = message_of([&] { ended.wait_for("that"); });
  CHECK(contains(gone, "ended without 'that'"));
  CHECK(contains(gone, "\nthis\n"));
}

TEST_CASE("a program that is not there is told so") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  VirtualTerminal terminal({"/no/such/program"});
  CHECK(terminal.wait_for_end() == ProgramEnd{127, 0});
  CHECK(terminal.row(0) == "the program cannot be run");
}

TEST_CASE("no program outlives its terminal, not even one that ignores all it can") {
  if (!no_terminal().empty()) SKIP_BECAUSE(no_terminal());
  pid_t process = 0;
  {
    VirtualTerminal before(shell("exec cat"));  // whose descriptors the next one inherits
    VirtualTerminal terminal(
        shell("trap '' HUP INT TERM; echo pid $$.; while :; do sleep 1; done"));
    const auto has_pid = [&] { return terminal.row(0).ends_with('.'); };
    terminal.wait_until(has_pid, "process id");
    process = std::stoi(terminal.row(0).substr(4));
    CHECK(kill(process, 0) == 0);
  }
  CHECK(kill(process, 0) != 0);
}
