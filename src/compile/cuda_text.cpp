#include "compile/cuda_text.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t nowhere = std::string_view::npos;

constexpr std::string_view blanks = " \t\r\n\f\v";

using Words = std::set<std::string, std::less<>>;

bool has_any_word(std::string_view text, const Words& words) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view word = word_at(text, at, text.size());
    if (words.contains(word)) return true;
    at += word.size();
  }
  return false;
}

bool has_word(std::string_view text, std::string_view word) {
  return find_word(text, word) != nowhere;
}

// --- Code and what is none ---

// A comment, a literal, or a preprocessor directive.
struct NotCode {
  std::size_t begin = 0, end = 0;
  bool is_directive = false;
};

std::size_t find_end(std::string_view source, std::string_view what, std::size_t from) {
  const std::size_t at = source.find(what, from);
  return at == nowhere ? source.size() : at + what.size();
}

std::size_t end_of_directive(std::string_view source, std::size_t at) {
  for (std::size_t begin = at, end = 0;; begin = end) {
    end = find_end(source, "\n", begin);
    std::string_view line = source.substr(begin, end - begin);
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    if (end == source.size() || !line.ends_with('\\')) return end;
  }
}

std::size_t end_of_quotes(std::string_view source, std::size_t at) {
  const char quote = source[at];
  for (++at; at < source.size() && source[at] != '\n'; ++at) {
    if (source[at] == quote) return at + 1;
    if (source[at] == '\\') ++at;
  }
  return std::min(at, source.size());
}

std::size_t end_of_raw_string(std::string_view source, std::size_t at) {
  const std::size_t open = source.find('(', at);
  if (open == nowhere) return source.size();
  const std::string delimiter(source.substr(at + 2, open - at - 2));
  return find_end(source, ")" + delimiter + "\"", open);
}

// Where what begins at `at` ends; `at` itself where that is code.
std::size_t end_of_not_code(std::string_view source, std::size_t at, bool begins_line) {
  const std::string_view rest = source.substr(at);
  const bool in_word = at > 0 && is_word_character(source[at - 1]);
  if (rest.starts_with("//")) return std::min(source.find('\n', at), source.size());
  if (rest.starts_with("/*")) return find_end(source, "*/", at + 2);
  if (rest.starts_with('#') && begins_line) return end_of_directive(source, at);
  if (rest.starts_with("R\"") && !in_word) return end_of_raw_string(source, at);
  if (rest.starts_with('"')) return end_of_quotes(source, at);
  if (rest.starts_with('\'') && !in_word) return end_of_quotes(source, at);  // not of 1'000
  return at;
}

std::vector<NotCode> find_not_code(std::string_view source) {
  std::vector<NotCode> found;
  bool begins_line = true;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = end_of_not_code(source, at, begins_line);
    if (end > at) {
      found.push_back({at, end, source[at] == '#'});
      begins_line = source[end - 1] == '\n' || (begins_line && source[at] == '/');
      at = end;
    } else {
      begins_line = source[at] == '\n' || (begins_line && blanks.find(source[at]) != nowhere);
      ++at;
    }
  }
  return found;
}

// Lines stay where they are.
void blank(std::string& text, std::size_t begin, std::size_t end) {
  std::replace_if(
      text.begin() + static_cast<std::ptrdiff_t>(begin),
      text.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c != '\n'; }, ' ');
}

// --- Definitions ---

// Words that make a function one for the device: CUDA's, and the file's own macros for them.
Words device_words(std::string_view source, const std::vector<NotCode>& not_code) {
  Words words = {"__global__", "__device__", "constexpr", "consteval"};
  for (const NotCode& piece : not_code) {
    if (!piece.is_directive) continue;
    const std::string_view directive = source.substr(piece.begin, piece.end - piece.begin);
    constexpr std::string_view define = "define";
    const std::size_t at = directive.find(define);
    if (at == nowhere || !has_any_word(directive, words)) continue;
    const std::size_t name = skip_blanks(directive, at + define.size());
    words.emplace(word_at(directive, name, directive.size()));
  }
  return words;
}

class Scanner {
 public:
  Scanner(std::string_view source, const std::vector<NotCode>& not_code)
      : code_(source), device_words_(device_words(source, not_code)) {
    for (const NotCode& piece : not_code) blank(code_, piece.begin, piece.end);
  }

  std::vector<FunctionText> functions() {
    std::size_t statement = 0;  // where the one under way begins
    for (std::size_t at = 0; at < code_.size(); ++at) {
      const char c = code_[at];
      if (c == ';' || c == '}') {
        if (c == '}' && namespaces_.empty()) return {};
        if (c == '}') namespaces_.pop_back();
        statement = at + 1;
      } else if (c == '(') {
        at = closing(at, '(', ')');
      } else if (c == '{') {
        const std::string_view head = std::string_view(code_).substr(statement, at - statement);
        if (opens_namespace(head)) {
          namespaces_.push_back(namespace_name(head));
          statement = at + 1;
          continue;
        }
        at = closing(at, '{', '}');
        if (at == nowhere) return {};
        if (is_function(head)) add_function(head, statement, at + 1);
        statement = at + 1;
      }
      if (at == nowhere) return {};
    }
    return namespaces_.empty() ? functions_ : std::vector<FunctionText>{};
  }

 private:
  std::size_t closing(std::size_t at, char open, char close) const {
    int depth = 0;
    for (; at < code_.size(); ++at) {
      if (code_[at] == open) ++depth;
      if (code_[at] == close && --depth == 0) return at;
    }
    return nowhere;
  }

  static bool opens_namespace(std::string_view head) {
    return has_word(head, "namespace") || trimmed(head) == "extern";
  }

  // Empty for extern "C" and for a namespace without a name.
  static std::string namespace_name(std::string_view head) {
    constexpr std::string_view word = "namespace";
    const std::size_t at = head.find(word);
    return std::string(at == nowhere ? "" : trimmed(head.substr(at + word.size())));
  }

  // The end of "template <…>" at the front of `head`; 0 where there is none.
  static std::size_t end_of_template(std::string_view head) {
    const std::size_t begin = head.find('<');
    if (begin == nowhere || trimmed(head.substr(0, begin)) != "template") return 0;
    int depth = 0;
    for (std::size_t at = begin; at < head.size(); ++at) {
      if (head[at] == '<') ++depth;
      if (head[at] == '>' && --depth == 0) return at + 1;
    }
    return 0;
  }

  // The '(' of a function's parameters: not that of an attribute with arguments before its name.
  static std::size_t parameters(std::string_view head) {
    constexpr std::array attributes = {"__launch_bounds__", "__attribute__", "__cluster_dims__"};
    std::size_t open = head.find('(');
    while (open != nowhere && std::ranges::count(attributes, name_before(head, open))) {
      int depth = 0;
      for (; open < head.size(); ++open) {
        if (head[open] == '(') ++depth;
        if (head[open] == ')' && --depth == 0) break;
      }
      open = head.find('(', open);
    }
    return open;
  }

  static std::string name_before(std::string_view head, std::size_t at) {
    const std::string_view before = trimmed(head.substr(0, at));
    std::size_t begin = before.size();
    while (begin > 0 && (is_word_character(before[begin - 1]) || before[begin - 1] == ':')) --begin;
    return std::string(before.substr(begin));
  }

  static bool is_function(std::string_view head) {
    static const Words types = {"struct", "class", "union", "enum"};
    const std::string_view rest = head.substr(end_of_template(head));
    const std::size_t open = parameters(rest);
    if (open == nowhere) return false;
    const std::string_view before = rest.substr(0, open);
    const bool is_value = before.find('=') != nowhere && !has_word(before, "operator");
    return !is_value && !has_any_word(before, types);
  }

  void add_function(std::string_view head, std::size_t begin, std::size_t end) {
    FunctionText function;
    const std::size_t template_end = end_of_template(head);
    const std::string_view rest = head.substr(template_end);
    std::vector<std::string> names = namespaces_;
    std::erase(names, "");
    names.push_back(name_before(rest, parameters(rest)));
    function.name = join(names, "::");
    if (template_end > 0) {
      const std::size_t open = head.find('<');
      function.template_parameters = trimmed(head.substr(open + 1, template_end - open - 2));
    }
    function.is_kernel = has_word(rest, "__global__");
    function.is_host = !has_any_word(rest, device_words_);
    function.begin = std::min(code_.find_first_not_of(" \t\r\n", begin), end);
    function.end = end;
    functions_.push_back(std::move(function));
  }

  std::string code_;
  Words device_words_;
  std::vector<std::string> namespaces_;
  std::vector<FunctionText> functions_;
};

// The end of a type such as "static unsigned int" that begins at `at`; nowhere for other types.
std::size_t end_of_integer_type(std::string_view code, std::size_t at) {
  static const Words types = {"int", "unsigned", "long", "size_t"};
  bool is_integer = false;
  for (;;) {
    at = skip_blanks(code, at);
    if (code.substr(at).starts_with("std::")) at += 5;
    const std::string_view word = word_at(code, at, code.size());
    if (!types.contains(word) && word != "static") return is_integer ? at : nowhere;
    is_integer |= word != "static";
    at += word.size();
  }
}

}  // namespace

bool is_word_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string_view word_at(std::string_view code, std::size_t at, std::size_t end) {
  const std::size_t begin = at;
  while (at < end && is_word_character(code[at])) ++at;
  return code.substr(begin, at - begin);
}

std::string last_word(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && !is_word_character(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  return std::string(text.substr(begin, end - begin));
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != nowhere; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    if (begins && (end == text.size() || !is_word_character(text[end]))) return at;
  }
  return nowhere;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(blanks, at), text.size());
}

std::size_t closing_bracket(std::string_view code, std::size_t open, std::size_t end) {
  int depth = 0;
  for (std::size_t at = open; at < end; ++at) {
    if (code[at] == '(' || code[at] == '[' || code[at] == '{') ++depth;
    if ((code[at] == ')' || code[at] == ']' || code[at] == '}') && --depth == 0) return at;
  }
  return end;
}

std::vector<std::string> split_outside_brackets(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[' || text[at] == '{') ++depth;
    if (text[at] == ')' || text[at] == ']' || text[at] == '}') --depth;
    if (depth > 0 || text[at] != separator) continue;
    parts.emplace_back(trimmed(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  if (!parts.empty() || !trimmed(text).empty()) parts.emplace_back(trimmed(text.substr(begin)));
  return parts;
}

std::vector<MacroText> macro_texts(std::string_view source) {
  std::vector<MacroText> macros;
  for (const NotCode& piece : find_not_code(source)) {
    if (!piece.is_directive) continue;
    std::string_view line = source.substr(piece.begin, piece.end - piece.begin);
    line = line.substr(0, std::min({line.find('\n'), line.find("//"), line.find("/*")}));
    std::size_t at = skip_blanks(line, 1);
    if (trimmed(line).ends_with('\\') || word_at(line, at, line.size()) != "define") continue;
    at = skip_blanks(line, at + 6);
    MacroText macro;
    macro.name = word_at(line, at, line.size());
    macro.begin = piece.begin;
    at += macro.name.size();
    macro.takes_arguments = line.substr(at).starts_with('(');
    if (macro.takes_arguments) {
      const std::size_t close = std::min(line.find(')', at), line.size() - 1);
      macro.parameters = split_outside_brackets(line.substr(at + 1, close - at - 1));
      at = close + 1;
    }
    macro.text = trimmed(line.substr(at));
    if (!macro.name.empty() && !macro.text.empty()) macros.push_back(std::move(macro));
  }
  return macros;
}

std::vector<ConstantText> constant_texts(std::string_view code) {
  std::vector<ConstantText> constants;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::string_view word = word_at(code, at, code.size());
    const std::size_t begin = at;
    at += word.size();
    if (word != "const" && word != "constexpr") continue;
    const std::size_t names = end_of_integer_type(code, at);
    if (names == nowhere) continue;
    at = std::min(code.find_first_of(";{}", names), code.size());
    for (const std::string& one : split_outside_brackets(code.substr(names, at - names))) {
      const std::string_view name = word_at(one, 0, one.size());
      const std::size_t equals = skip_blanks(one, name.size());
      if (name.empty() || !std::string_view(one).substr(equals).starts_with('=')) continue;
      const std::string_view text = trimmed(std::string_view(one).substr(equals + 1));
      constants.push_back({std::string(name), std::string(text), begin});
    }
  }
  return constants;
}

std::vector<FunctionText> function_texts(std::string_view source) {
  return Scanner(source, find_not_code(source)).functions();
}

std::string code_alone(std::string_view source) {
  std::string result(source);
  for (const NotCode& piece : find_not_code(source)) blank(result, piece.begin, piece.end);
  return result;
}

std::string without_host_functions(std::string_view source) {
  const std::vector<NotCode> not_code = find_not_code(source);
  std::string result(source);
  for (const FunctionText& function : Scanner(source, not_code).functions()) {
    if (function.is_host) blank(result, function.begin, function.end);
  }
  for (const NotCode& piece : not_code) {
    const std::string_view text = source.substr(piece.begin, piece.end - piece.begin);
    const bool stays = piece.is_directive && !has_word(text, "pragma");
    if (stays) result.replace(piece.begin, text.size(), text);
  }
  return result;
}

}  // namespace gemm_tutor
