#include "compile/cuda_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t nowhere = std::string_view::npos;

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(spaces);
  if (begin == nowhere) return "";
  return std::string(text.substr(begin, text.find_last_not_of(spaces) - begin + 1));
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != nowhere; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    if (begins && (end == text.size() || !is_word_character(text[end]))) return true;
  }
  return false;
}

template <class Words>
bool has_any_word(std::string_view text, const Words& words) {
  return std::ranges::any_of(words, [&](const auto& word) { return has_word(text, word); });
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
  for (std::size_t end = find_end(source, "\n", at);; end = find_end(source, "\n", end)) {
    const std::size_t last = source.find_last_not_of("\r\n", end - 1);
    if (end == source.size() || source[last] != '\\') return end;
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
      begins_line = source[at] == '\n' ||
                    (begins_line && std::isspace(static_cast<unsigned char>(source[at])));
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
std::vector<std::string> device_words(std::string_view source,
                                      const std::vector<NotCode>& not_code) {
  std::vector<std::string> words = {"__global__", "__device__", "constexpr", "consteval"};
  for (const NotCode& piece : not_code) {
    if (!piece.is_directive) continue;
    const std::string_view directive = source.substr(piece.begin, piece.end - piece.begin);
    constexpr std::string_view define = "define";
    const std::size_t at = directive.find(define);
    if (at == nowhere || !has_any_word(directive, words)) continue;
    const std::string definition = trimmed(directive.substr(at + define.size()));
    const auto end = std::ranges::find_if_not(definition, is_word_character);
    words.emplace_back(definition.begin(), end);
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
        if (at != nowhere && is_function(head)) {
          add_function(head, statement, at + 1);
          statement = at + 1;
        }
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
    return at == nowhere ? "" : trimmed(head.substr(at + word.size()));
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
    const std::string before = trimmed(head.substr(0, at));
    std::size_t begin = before.size();
    while (begin > 0 && (is_word_character(before[begin - 1]) || before[begin - 1] == ':')) --begin;
    return before.substr(begin);
  }

  static bool is_function(std::string_view head) {
    constexpr std::array types = {"struct", "class", "union", "enum"};
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
  std::vector<std::string> device_words_, namespaces_;
  std::vector<FunctionText> functions_;
};

}  // namespace

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
