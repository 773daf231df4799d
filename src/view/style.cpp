#include "view/style.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr char unbreakable_space = '\x1f';  // never printed, and one byte like a space
constexpr int default_width = 80, least_width = 60, most_width = 100;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool shows_color(int file_descriptor, ColorChoice choice) {
  if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
  return isatty(file_descriptor) && environment("NO_COLOR").empty() &&
         environment("TERM") != "dumb";
}

// --- Links

// A variable that a terminal with links sets, to `value` or, if that is empty, to anything.
struct TerminalWithLinks {
  const char* variable;
  std::string_view value;
};
constexpr std::array terminals_with_links = {TerminalWithLinks{"KITTY_WINDOW_ID", ""},
                                             TerminalWithLinks{"WT_SESSION", ""},
                                             TerminalWithLinks{"KONSOLE_VERSION", ""},
                                             TerminalWithLinks{"DOMTERM", ""},
                                             TerminalWithLinks{"TERM_PROGRAM", "vscode"},
                                             TerminalWithLinks{"TERM_PROGRAM", "iTerm.app"},
                                             TerminalWithLinks{"TERM_PROGRAM", "WezTerm"},
                                             TerminalWithLinks{"TERM_PROGRAM", "ghostty"},
                                             TerminalWithLinks{"TERM_PROGRAM", "Hyper"},
                                             TerminalWithLinks{"TERM_PROGRAM", "terminology"},
                                             TerminalWithLinks{"TERM_PROGRAM", "zed"},
                                             TerminalWithLinks{"TERM", "xterm-kitty"},
                                             TerminalWithLinks{"TERM", "xterm-ghostty"},
                                             TerminalWithLinks{"TERM", "alacritty"},
                                             TerminalWithLinks{"TERM", "foot"},
                                             TerminalWithLinks{"TERM", "contour"}};

bool knows_links() {
  const std::string kind = environment("TERM");
  if (kind.empty() || kind == "dumb" || kind == "linux") return false;
  // GNOME Terminal and others with its library, which fails with links in 0.50.0.
  constexpr int first_vte_with_links = 5001;
  if (std::atoi(environment("VTE_VERSION").c_str()) >= first_vte_with_links) return true;
  return std::ranges::any_of(terminals_with_links, [](const TerminalWithLinks& known) {
    const std::string value = environment(known.variable);
    return known.value.empty() ? !value.empty() : value == known.value;
  });
}

constexpr std::string_view file_scheme = "file:", link_begin = "\033]8;;", link_end = "\033\\";

std::string percent_encoded(std::string_view path) {
  std::string result;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_kept =
        std::isalnum(byte) || std::string_view("/-._~").find(c) != std::string::npos;
    result += is_kept ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return result;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// The whole address of a file that exists; otherwise empty.
std::string link_target(std::string_view address, Links links) {
  if (links == Links::none || !is_file_address(address)) return "";
  const std::size_t mark = address.rfind('#');
  const std::string_view line = address.substr(mark + 1);
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(
      address.substr(file_scheme.size(), mark - file_scheme.size()), error);
  if (error) return "";
  const std::string place = percent_encoded(path.string());
  if (links == Links::vscode) {
    return fmt::format("vscode://file{}{}{}", place, line.empty() ? "" : ":", line);
  }
  return fmt::format("file://{}{}{}{}", host_name(), place, line.empty() ? "" : "#", line);
}

// Reads the environment and does not use setlocale(), because a locale that is not installed still
// tells what the terminal can show.
bool shows_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale = environment(name);
    if (locale.empty()) continue;
    std::erase(locale, '-');
    std::ranges::transform(locale, locale.begin(), [](unsigned char c) { return std::tolower(c); });
    return locale.find("utf8") != std::string::npos;
  }
  return false;
}

std::optional<int> width_of(int file_descriptor) {
  winsize size{};
  if (!isatty(file_descriptor) || ioctl(file_descriptor, TIOCGWINSZ, &size) != 0 || !size.ws_col) {
    return {};
  }
  return std::clamp<int>(size.ws_col, least_width, most_width);
}

// In the order of Style.
constexpr std::array looks = {
    Look{},
    Look{.bold = true},  // heading
    Look{.bold = true},  // emphasis
    Look{},              // picture
    Look{},              // swatch
    Look{.dim = true, .page_class = "dim"},
    Look{.color = Color::green, .page_class = "good"},
    Look{.color = Color::red, .bold = true, .page_class = "bad"},
    Look{.color = Color::yellow, .page_class = "doubtful"},
    Look{.color = Color::cyan},  // code
    Look{.color = Color::magenta, .page_class = "keyword"},
    Look{.color = Color::cyan, .page_class = "type"},
    Look{.color = Color::blue, .bold = true, .page_class = "builtin"},
    Look{.color = Color::yellow, .page_class = "literal"},
    Look{.dim = true, .italic = true, .page_class = "comment"},
    Look{.color = Color::magenta, .page_class = "keyword"},              // directive
    Look{.color = Color::red, .page_class = "bad"},                      // removed
    Look{.color = Color::red, .reversed = true, .page_class = "bad"},    // removed_word
    Look{.color = Color::green, .page_class = "good"},                   // added
    Look{.color = Color::green, .reversed = true, .page_class = "good"}  // added_word
};
static_assert(looks.size() == static_cast<std::size_t>(Style::added_word) + 1);

std::string escape_code(const Look& look) {
  std::vector<std::string> codes;
  if (look.bold) codes.emplace_back("1");
  if (look.dim) codes.emplace_back("2");
  if (look.italic) codes.emplace_back("3");
  if (look.reversed) codes.emplace_back("7");
  if (look.color != Color::none)
    codes.push_back("3" + std::to_string(static_cast<int>(look.color)));
  return codes.empty() ? "" : "\033[" + join(codes, ";") + "m";
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// Removes spaces next to cells[at] until both together have their old width, and returns the new
// index. One space stays on each side, except around an ellipsis: "b0 … b7" becomes "b0...b7".
std::size_t make_room(std::vector<std::string>& cells, std::size_t at) {
  const auto is_space = [&](std::size_t i) { return i < cells.size() && cells[i] == " "; };
  const std::size_t kept = cells[at] == "..." && is_space(at + 1) ? 0 : 1;
  for (std::size_t surplus = cells[at].size(); surplus > 1; --surplus) {
    std::size_t before = 0, after = 0;
    while (before < at && is_space(at - before - 1)) ++before;
    while (is_space(at + after + 1)) ++after;
    if (std::max(before, after) <= kept) break;
    const bool takes_after = after >= before;
    cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(takes_after ? at + 1 : at - 1));
    if (!takes_after) --at;
  }
  return at;
}

// Box drawing and block elements are U+2500 to U+259F.
std::string without_drawings(std::string_view text) {
  std::string result;
  for (const CodePoint& point : code_points(text)) {
    const bool is_drawing = point.value >= 0x2500 && point.value < 0x25a0;
    result += is_drawing ? std::string_view(" ") : point.bytes;
  }
  return result;
}

bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

Terminal detect_terminal(int file_descriptor, ColorChoice choice) {
  const std::optional<int> width = width_of(file_descriptor);
  return {.color = shows_color(file_descriptor, choice),
          .unicode = shows_unicode(),
          .width = width.value_or(default_width),
          .has_width = width.has_value(),
          .links = detect_links(isatty(file_descriptor) != 0)};
}

Links detect_links(bool is_terminal) {
  const std::string forced = environment("FORCE_HYPERLINK");
  if (forced.empty() ? !is_terminal || !knows_links() : forced == "0") return Links::none;
  // On another machine than the editor's window, only a file's address leads to the right one.
  const bool is_remote = !environment("VSCODE_IPC_HOOK_CLI").empty();
  return environment("TERM_PROGRAM") == "vscode" && !is_remote ? Links::vscode : Links::file;
}

Span file_span(std::string text, Style style) {
  std::string address = file_address(text);
  return {std::move(text), style, std::move(address)};
}

std::string file_address(std::string_view path, int line) {
  return fmt::format("{}{}#{}", file_scheme, path, line > 0 ? std::to_string(line) : "");
}

bool is_file_address(std::string_view address) {
  return address.starts_with(file_scheme) && !address.starts_with("file://");
}

const Look& look_of(Style style) { return looks.at(static_cast<std::size_t>(style)); }

Line operator+(Line left, const Line& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

std::string unbreakable(std::string text) {
  std::ranges::replace(text, ' ', unbreakable_space);
  return text;
}

std::string breakable(std::string text) {
  std::ranges::replace(text, unbreakable_space, ' ');
  return text;
}

bool is_unbreakable_space(char c) { return c == unbreakable_space; }

std::string shown(std::string_view text, const Terminal& terminal) {
  std::string result = printable(text, unbreakable_space);
  if (terminal.spoken) result = without_drawings(result);
  return terminal.unicode ? result : to_ascii(result);
}

int columns(std::string_view text) {
  int total = 0;
  for (const CodePoint& point : code_points(text)) total += columns_of(point.value);
  return total;
}

int columns(const Line& line) {
  int total = 0;
  for (const Span& span : line) total += columns(span.text);
  return total;
}

std::string to_ascii(std::string_view text) {
  // The first match counts: " · " is between words (also after an unbreakable space), "·" alone
  // is a product.
  static constexpr auto replacements =
      std::to_array<std::pair<std::string_view, std::string_view>>({
          {" · ", " - "}, {"\x1f· ", "\x1f- "}, {"·", "*"},   {"×", "x"},      {"✓", "ok"},
          {"✗", "x"},     {"≈", "~"},           {"│", "|"},   {"—", "--"},     {"–", "-"},
          {"…", "..."},   {"µ", "u"},           {"→", "->"},  {"←", "<-"},     {"↓", "v"},
          {"≤", "<="},    {"≥", ">="},          {"±", "+/-"}, {"\u00a0", " "}, {"’", "'"},
          {"“", "\""},    {"”", "\""},          {"ᵀ", "^T"},  {"²", "^2"},     {"³", "^3"},
          {"⌈", "ceil("}, {"⌉", ")"},           {"─", "-"},   {"┌", "+"},      {"┐", "+"},
          {"└", "+"},     {"┘", "+"},           {"├", "+"},   {"┤", "+"},      {"┬", "+"},
          {"┴", "+"},     {"┼", "+"},           {"█", "#"},   {"▓", "#"},      {"▉", "#"},
          {"▊", "#"},     {"▋", "#"},           {"▌", "|"},   {"▍", "|"},      {"▎", "|"},
          {"▏", "|"},     {"╰", "^"},           {"▒", "+"},
      });
  std::string result(text);
  for (const auto& [symbol, ascii] : replacements) replace_all(result, symbol, ascii);
  std::erase_if(result, continues_code_point);
  std::ranges::replace_if(
      result, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return result;
}

std::string to_ascii_in_columns(std::string_view text) {
  std::vector<std::string> cells;
  for (const CodePoint& point : code_points(text)) cells.push_back(to_ascii(point.bytes));
  for (std::size_t at = 0; at < cells.size(); ++at) at = make_room(cells, at);
  return join(cells, "");
}

std::string paint(const Line& line, const Terminal& terminal) {
  std::string result;
  for (const Span& span : line) {
    if (span.text.empty()) continue;
    const std::string text = breakable(span.text);
    const std::string code = terminal.color ? escape_code(look_of(span.style)) : "";
    const std::string link = link_target(span.address, terminal.links);
    if (!link.empty()) result += fmt::format("{}{}{}", link_begin, link, link_end);
    result += code.empty() ? text : code + text + "\033[0m";
    if (!link.empty()) result += fmt::format("{}{}", link_begin, link_end);
  }
  return result;
}

std::string without_addresses(std::string text) {
  for (std::size_t at = 0; (at = text.find(link_begin, at)) != text.npos;) {
    const std::size_t end = text.find(link_end, at);
    if (end == text.npos) break;
    text.erase(at, end + link_end.size() - at);
  }
  return text;
}

}  // namespace gemm_tutor
