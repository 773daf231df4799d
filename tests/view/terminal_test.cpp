#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "checks.hpp"
#include "view/output.hpp"
#include "view/style.hpp"

using namespace gemm_tutor;

namespace {

constexpr int closed = 1000;  // no such descriptor, so no terminal

}  // namespace

TEST_CASE("what is no terminal has no colour and 80 columns, unless colour is asked for") {
  CHECK_FALSE(detect_terminal(closed, ColorChoice::automatic).color);
  CHECK(detect_terminal(closed, ColorChoice::automatic).width == 80);
  const EnvironmentVariable no_color("NO_COLOR", "1");
  CHECK(detect_terminal(closed, ColorChoice::always).color);
  CHECK_FALSE(detect_terminal(closed, ColorChoice::never).color);
}

TEST_CASE("UTF-8 is what the first locale variable that is set says") {
  const EnvironmentVariable all("LC_ALL", "");
  const EnvironmentVariable ctype("LC_CTYPE", "");
  const EnvironmentVariable lang("LANG", "de_DE.UTF-8");
  CHECK(detect_terminal(closed, ColorChoice::never).unicode);
  {
    const EnvironmentVariable override("LC_ALL", "C");
    CHECK_FALSE(detect_terminal(closed, ColorChoice::never).unicode);
  }
  {
    const EnvironmentVariable override("LC_CTYPE", "en_US.utf8");
    CHECK(detect_terminal(closed, ColorChoice::never).unicode);
  }
  const EnvironmentVariable none("LANG", "");
  CHECK_FALSE(detect_terminal(closed, ColorChoice::never).unicode);
}

namespace {

// Only the terminal that a test names.
struct NoTerminal {
  EnvironmentVariable force{"FORCE_HYPERLINK", ""}, vte{"VTE_VERSION", ""},
      kitty{"KITTY_WINDOW_ID", ""}, windows{"WT_SESSION", ""}, konsole{"KONSOLE_VERSION", ""},
      domterm{"DOMTERM", ""}, program{"TERM_PROGRAM", ""}, remote{"VSCODE_IPC_HOOK_CLI", ""},
      kind{"TERM", "xterm"};
};

}  // namespace

TEST_CASE("links are for terminals that are known to show them, and FORCE_HYPERLINK decides") {
  const NoTerminal none;
  CHECK(detect_links(true) == Links::none);
  {
    const EnvironmentVariable vte("VTE_VERSION", "7200");
    CHECK(detect_links(true) == Links::file);
    CHECK(detect_links(false) == Links::none);
    const EnvironmentVariable dumb("TERM", "dumb");
    CHECK(detect_links(true) == Links::none);
  }
  {
    const EnvironmentVariable vte("VTE_VERSION", "4999");
    CHECK(detect_links(true) == Links::none);
    const EnvironmentVariable force("FORCE_HYPERLINK", "1");
    CHECK(detect_links(false) == Links::file);
  }
  const EnvironmentVariable code("TERM_PROGRAM", "vscode");
  CHECK(detect_links(true) == Links::vscode);
  {
    const EnvironmentVariable remote("VSCODE_IPC_HOOK_CLI", "/tmp/socket");
    CHECK(detect_links(true) == Links::file);
  }
  const EnvironmentVariable forbidden("FORCE_HYPERLINK", "0");
  CHECK(detect_links(true) == Links::none);
}

TEST_CASE("a file that exists is a link to its line, which takes no columns") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "a folder of links";
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "mine.cu").string();
  std::ofstream(file) << "line\n";
  const std::string encoded =
      (std::filesystem::canonical(folder.parent_path()) / "a%20folder%20of%20links/mine.cu")
          .string();
  const Line line = {{"12", Style::plain, file_address(file, 12)}, {" │"}};
  CHECK(columns(line) == 4);
  Terminal terminal;
  CHECK(paint(line, terminal) == "12 │");
  terminal.links = Links::vscode;
  CHECK(paint(line, terminal) == "\033]8;;vscode://file" + encoded + ":12\033\\12\033]8;;\033\\ │");
  terminal.links = Links::file;
  const std::string text = paint(line, terminal);
  CHECK(text.starts_with("\033]8;;file://"));
  CHECK(text.ends_with(encoded + "#12\033\\12\033]8;;\033\\ │"));
  CHECK(without_addresses(text) == "12 │");
  CHECK(paint({file_span(file + ".gone", Style::plain)}, terminal) == file + ".gone");
  std::filesystem::remove_all(folder);
}

TEST_CASE("the place that a compiler's message begins with leads to its file") {
  for (const std::string place : {"mine.cu(12)", "mine.cu:12"}) {
    const Line line = place_linked(place + ": error: no", Style::code);
    REQUIRE(line.size() == 3);
    CHECK(line[1].text == "mine.cu");
    CHECK(line[1].address == file_address("mine.cu", 12));
  }
  for (const std::string text : {"At end of source: error", "  f(12);  // b", "x(y)", ""}) {
    INFO(text);
    for (const Span& span : place_linked(text, Style::code)) {
      CHECK((span.address.empty() || span.text == "f"));  // there is no file of this name
    }
  }
}
