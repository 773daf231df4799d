#include "classroom/screening.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "classroom/submissions.hpp"
#include "source/token.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

// Thrown and caught only in this file.
struct Refusal {
  std::string reason;
};

// Converts line ends to "\n" and removes the UTF-8 byte order mark.
std::string with_plain_ends(std::string_view source) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (source.starts_with(mark)) source.remove_prefix(mark.size());
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
    text += source[i];
  }
  return text;
}

// The second phase of translation: joins each line with its continuation lines, followed by the
// same number of empty lines. If a backslash remains at the end of a line, a blank is added, so
// that no line is continued.
std::string spliced(std::string_view text) {
  std::string result;
  std::size_t joined = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++joined;
      ++i;
      continue;
    }
    if (text[i] == '\n' && result.ends_with('\\')) result += ' ';
    result += text[i];
    if (text[i] == '\n') result.append(std::exchange(joined, 0), '\n');
  }
  return result;
}

// Instructions that copy asynchronously or wait for copies, and those of tensor cores, each on one
// line. A text of these characters can name no file.
bool are_usual_instructions(std::string_view code) {
  constexpr std::array allowed = {"cp.async.",  "mbarrier.", "fence.",     "selp.",
                                  ".reg ",      "mma.sync.", "ldmatrix.",  "stmatrix.",
                                  "movmatrix.", "cvt.",      "ld.shared.", "st.shared."};
  const auto is_allowed = [](char c) {
    return (source::is_of_name(c) && static_cast<unsigned char>(c) < 0x80) ||
           std::string_view(".%[]{},: ").find(c) != std::string_view::npos;
  };
  std::vector<std::string> instructions = split(code, ';');
  for (std::string& one : instructions) {
    std::size_t begin = 0;
    while (begin < one.size()) {
      const std::string_view rest = std::string_view(one).substr(begin);
      const bool is_escape = rest.starts_with("\\n") || rest.starts_with("\\t");
      if (!is_escape && std::string_view("{} ").find(rest[0]) == rest.npos) break;
      begin += is_escape ? 2 : 1;
    }
    one.erase(0, begin);
  }
  const bool ends = instructions.back().empty();
  instructions.pop_back();
  return ends && !instructions.empty() &&
         std::ranges::all_of(instructions, [&](const std::string& one) {
           return std::ranges::any_of(allowed, [&](const char* a) { return one.starts_with(a); }) &&
                  std::ranges::all_of(one, is_allowed);
         });
}

[[noreturn]] void refuse(int line, std::string_view what) {
  throw Refusal{fmt::format("line {} {}", line, what)};
}

// Whether the "asm" at `at` is followed by literals alone, as in `volatile ("cp.async…;"`, which
// are usual instructions.
bool is_usual_assembly(source::Tokens code, std::size_t at) {
  const int directive = code[at].directive;
  const auto is = [&](std::string_view text) {
    return at < code.size() && code[at].is(text) && code[at].directive == directive;
  };
  ++at;
  if (is("volatile")) ++at;
  if (!is("(")) return false;
  std::string instructions;
  for (++at; at < code.size() && code[at].text.starts_with('"'); ++at) {
    if (!code[at].is_closed || code[at].directive != directive) return false;
    instructions += code[at].text.substr(1, code[at].text.size() - 2);
  }
  return (is(":") || is("::") || is(")")) && are_usual_instructions(instructions);
}

bool is_in_pragma(source::Tokens code, std::size_t at) {
  const int directive = code[at].directive;
  while (at > 0 && code[at - 1].directive == directive) --at;
  return directive > 0 && at + 1 < code.size() && code[at + 1].is("pragma");
}

void check_name(source::Tokens code, std::size_t at) {
  constexpr std::array clock = {"__DATE__", "__TIME__", "__TIMESTAMP__"};
  const source::Token& token = code[at];
  const std::string_view name = token.text;
  const bool is_assembly = name == "asm" || name.starts_with("__asm");
  if (is_assembly && !(name == "asm" && is_usual_assembly(code, at))) {
    refuse(token.line, "has inline assembly for more than asynchronous copies and tensor cores");
  }
  if (name.starts_with("__has_include") || name.starts_with("__has_embed")) {
    refuse(token.line, fmt::format("asks for a file with {}", one_line(name, 40)));
  }
  if (name == "_Pragma" || (name == "dependency" && is_in_pragma(code, at))) {
    refuse(token.line, fmt::format("has {}, with which a directive can ask for a file", name));
  }
  if (name == "__nanosleep") {
    refuse(token.line, "has __nanosleep, and no kernel of this course has to pause");
  }
  if (std::ranges::count(clock, name)) {
    refuse(token.line, fmt::format("has {}, which differs from one compilation to the next", name));
  }
}

// THRUST_PP_CAT2, __CONCAT, and macros that the toolkit's headers have for themselves alone, many
// of which paste as well: _CCCL_PP_SPLICE_WITH_IMPL2.
bool is_pasting_macro(std::string_view name) {
  constexpr std::array internal = {"_CCCL_", "_CG_",   "_CUB_",   "_CUDA",
                                   "_LIBC",  "_NVTX_", "_THRUST", "_NV_"};
  if (std::ranges::any_of(name, [](char c) { return c >= 'a' && c <= 'z'; })) return false;
  const auto begins = [&](const char* prefix) { return name.starts_with(prefix); };
  if (std::ranges::any_of(internal, begins)) return true;
  name = name.substr(0, name.find_last_not_of("0123456789_") + 1);
  return name.ends_with("CAT") || name.find("CONCAT") != name.npos ||
         name.find("PASTE") != name.npos || name.find("SPLICE") != name.npos;
}

// ## and its other spelling, or a header's macro for it.
bool pastes(source::Tokens code, std::size_t at) {
  if (code[at].is_name()) return is_pasting_macro(code[at].text);
  std::string text;
  for (std::size_t i = at; i < code.size() && text.size() < 4; ++i) {
    if (i > at && code[i].at != code[i - 1].end()) break;
    text += code[i].text;
  }
  return text.starts_with("##") || text.starts_with("%:%:");
}

void check_token(source::Tokens code, std::size_t at) {
  const source::Token& token = code[at];
  const bool is_literal = token.kind == source::Token::Kind::literal;
  const bool is_raw = is_literal && source::begins_name(token.text.front());
  const bool is_prefix = at + 1 < code.size() && token.is_name() && token.text.ends_with('R') &&
                         code[at + 1].at == token.end() && code[at + 1].text.starts_with('"');
  if (is_raw || is_prefix) {
    refuse(token.line, "has a raw string, which no kernel of this course needs");
  }
  if (is_literal && !token.is_closed) {
    refuse(token.line, fmt::format("has an unmatched {}", token.text.front()));
  }
  if (pastes(code, at)) {
    refuse(token.line, "pastes tokens, which could hide what is refused otherwise");
  }
  if (token.is("\\")) {
    refuse(token.line, "has a backslash that is neither at the end of a line nor in a literal");
  }
  if (token.is_name()) check_name(code, at);
}

// The third phase for comments: replaces them by blanks.
std::string without_comments(std::string text) {
  std::vector<source::Token> code = source::tokens_of(text);
  for (const source::Token& token : code) {
    if (token.kind != source::Token::Kind::comment) continue;
    if (!token.is_closed) refuse(token.line, "begins a comment that does not end");
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(token.at);
    std::replace_if(
        begin, begin + static_cast<std::ptrdiff_t>(token.text.size()),
        [](char c) { return c != '\n'; }, ' ');
  }
  std::erase_if(
      code, [](const source::Token& token) { return token.kind == source::Token::Kind::comment; });
  for (std::size_t at = 0; at < code.size(); ++at) check_token(code, at);
  std::ranges::replace_if(
      text, [](char c) { return c == '\f' || c == '\v'; }, ' ');
  return text;
}

std::string_view line_at(std::string_view text, std::size_t at) {
  return text.substr(at, text.find('\n', at) - at);
}

std::size_t after_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t", at), text.size());
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && source::is_of_name(text[end])) ++end;
  return text.substr(at, end - at);
}

// Accepts "<cuda/pipeline>", but no path that leaves the include folders.
bool names_toolkit_header(std::string_view operand) {
  if (!operand.starts_with('<')) return false;
  const std::string_view name = operand.substr(1, operand.find('>') - 1);
  const auto allowed = [](char c) {
    return (source::is_of_name(c) && c != '$' && static_cast<unsigned char>(c) < 0x80) ||
           std::string_view("./+-").find(c) != std::string_view::npos;
  };
  return operand.find('>') != operand.npos && !name.empty() && name.front() != '/' &&
         name.find("..") == name.npos && std::ranges::all_of(name, allowed);
}

bool is_first_on_line(std::string_view text, std::size_t at) {
  const std::size_t before = text.substr(0, at).find_last_not_of(" \t");
  return before == text.npos || text[before] == '\n';
}

// `mark` is the place of the # or %:, `word` that of what follows it. Strings are checked, too: a
// compiler might read them in another way, and take such a line for a directive.
void check_directive(std::string_view text, std::size_t mark, std::size_t word) {
  constexpr std::array including = {"include", "include_next", "import", "embed"};
  const std::string_view name = word_at(text, word);
  const auto line = [&] { return 1 + std::ranges::count(text.substr(0, mark), '\n'); };
  if (std::ranges::count(including, name)) {
    const std::string_view operand = line_at(text, after_blanks(text, word + name.size()));
    if (names_toolkit_header(operand)) return;
    throw Refusal{fmt::format(
        "line {} includes {}: a submission may include only the toolkit's own headers, in < >",
        line(), operand.empty() ? "nothing" : one_line(operand, 60))};
  }
  if (!is_first_on_line(text, mark)) return;
  if (name == "line" || (!name.empty() && !source::begins_name(name.front()))) {
    throw Refusal{fmt::format("line {} gives itself another line's number", line())};
  }
}

void check_directives(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_digraph = text[at] == '%' && at + 1 < text.size() && text[at + 1] == ':';
    if (text[at] != '#' && !is_digraph) continue;
    check_directive(text, at, after_blanks(text, at + (is_digraph ? 2 : 1)));
  }
}

bool is_trigraph(std::string_view text) {
  return text.size() >= 3 && text.starts_with("??") &&
         std::string_view("=/'()!<>-").find(text[2]) != std::string_view::npos;
}

// Rejects tokens that a compiler could read differently.
void check_characters(std::string_view text) {
  int line = 1;
  for (const CodePoint& point : code_points(text)) {
    const bool is_damaged = point.value == 0xfffd && point.bytes.size() == 1;
    const bool is_control = point.value < U' ' || point.value == 0x7f;
    if (is_damaged) refuse(line, "is no UTF-8");
    if (is_control && point.value != U'\n' && point.value != U'\t') {
      refuse(line, "has a control character");
    }
    const auto at = static_cast<std::size_t>(point.bytes.data() - text.data());
    if (is_trigraph(text.substr(at))) refuse(line, "has a trigraph, such as ?\?=");
    line += point.value == '\n';
  }
}

}  // namespace

Screened screened(std::string_view source) {
  try {
    if (source.find('\0') != source.npos) throw Refusal{"it is not text: it has a zero byte"};
    const std::string text = without_comments(spliced(with_plain_ends(source)));
    check_characters(text);
    check_directives(text);
    return {"", text};
  } catch (const Refusal& refusal) {
    return {refusal.reason, ""};
  }
}

}  // namespace gemm_tutor
