#include <algorithm>
#include <array>

#include "source/token.hpp"
#include "support/text.hpp"

namespace gemm_tutor::source {
namespace {

constexpr std::size_t nowhere = std::string_view::npos;

// Longer ones must be before their prefixes.
constexpr auto punctuation = std::to_array<std::string_view>(
    {"<<=", ">>=", "...", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
     "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"});
constexpr std::string_view single_punctuation = "{}[]()<>;:,.?~!+-*/%^&|=#";
constexpr auto raw_prefixes = std::to_array<std::string_view>({"R", "LR", "uR", "UR", "u8R"});

bool is_blank(char c) { return std::string_view(" \t\r\n\f\v").find(c) != nowhere; }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {
    constexpr std::string_view mark = "\xef\xbb\xbf";  // of UTF-8, before the first line
    if (source.starts_with(mark)) at_ = mark.size();
  }

  std::vector<Token> all() {
    while (skip_blanks(), at_ < source_.size()) take();
    return std::move(tokens_);
  }

 private:
  char at(std::size_t place) const { return place < source_.size() ? source_[place] : '\0'; }

  // Returns the length of a backslash with a line break; otherwise 0.
  std::size_t splice_at(std::size_t place) const {
    if (at(place) != '\\') return 0;
    if (at(place + 1) == '\n') return 2;
    return at(place + 1) == '\r' && at(place + 2) == '\n' ? 3 : 0;
  }

  void skip_blanks() {
    while (at_ < source_.size()) {
      const std::size_t splice = splice_at(at_);
      if (splice == 0 && !is_blank(source_[at_])) return;
      if (source_[at_] == '\n') {
        begins_line_ = true;
        directive_ = 0;
      }
      pass(std::max<std::size_t>(splice, 1));
      after_blank_ = true;
    }
  }

  void pass(std::size_t length) {
    for (const std::size_t end = std::min(at_ + length, source_.size()); at_ < end; ++at_) {
      line_ += source_[at_] == '\n';
    }
  }

  void take() {
    Token token = next();
    if (begins_line_ && (token.is("#") || token.is("%:"))) directive_ = ++directives_;
    token.directive = directive_;
    token.after_blank = after_blank_;
    token.line = line_;
    token.at = at_;
    pass(token.text.size());
    after_blank_ = token.kind == Token::Kind::comment;
    if (token.kind != Token::Kind::comment) begins_line_ = false;
    tokens_.push_back(token);
  }

  Token until(Token::Kind kind, std::size_t end) const {
    return {.kind = kind, .text = source_.substr(at_, end - at_)};
  }

  // Up to `end`, or to the source's end if there is no `end`.
  Token closed_by(Token::Kind kind, std::size_t end) const {
    Token token = until(kind, std::min(end, source_.size()));
    token.is_closed = end != nowhere;
    return token;
  }

  Token next() const {
    const std::string_view rest = source_.substr(at_);
    const char c = rest.front();
    if (rest.starts_with("//")) return until(Token::Kind::comment, end_of_line());
    if (rest.starts_with("/*")) return closed_by(Token::Kind::comment, after("*/", at_ + 2));
    if (c == '"' || c == '\'') return literal();
    if (begins_name(c)) return name_or_raw_string();
    if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) {
      return until(Token::Kind::number, end_of_number());
    }
    if (begins_line_ && rest.starts_with("%:")) return until(Token::Kind::punctuation, at_ + 2);
    const auto longer = std::ranges::find_if(
        punctuation, [&](std::string_view one) { return rest.starts_with(one); });
    if (longer != punctuation.end()) return until(Token::Kind::punctuation, at_ + longer->size());
    const bool is_known = single_punctuation.find(c) != nowhere;
    return until(is_known ? Token::Kind::punctuation : Token::Kind::other, at_ + 1);
  }

  std::size_t after(std::string_view what, std::size_t from) const {
    const std::size_t place = source_.find(what, from);
    return place == nowhere ? nowhere : place + what.size();
  }

  // Including continued lines.
  std::size_t end_of_line() const {
    std::size_t end = at_;
    while (end < source_.size() && source_[end] != '\n') {
      end += std::max<std::size_t>(splice_at(end), 1);
    }
    return std::min(end, source_.size());
  }

  Token literal() const {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != source_[at_] && source_[end] != '\n') {
      end += source_[end] == '\\' ? 2 : 1;
    }
    const bool is_closed = at(end) == source_[at_];
    Token token = until(Token::Kind::literal, std::min(end + (is_closed ? 1 : 0), source_.size()));
    token.is_closed = is_closed;
    return token;
  }

  Token name_or_raw_string() const {
    std::size_t end = at_;
    while (is_of_name(at(end))) ++end;
    const Token name = until(Token::Kind::name, end);
    if (at(end) != '"' || !std::ranges::count(raw_prefixes, name.text)) return name;
    const std::size_t open = source_.find('(', end);
    if (open == nowhere) return closed_by(Token::Kind::literal, nowhere);
    const std::string delimiter(source_.substr(end + 1, open - end - 1));
    return closed_by(Token::Kind::literal, after(")" + delimiter + "\"", open));
  }

  // Digits with letters, points, signs of exponents, and quotes between digits: "1'000.5e-3f".
  std::size_t end_of_number() const {
    std::size_t end = at_;
    for (;; ++end) {
      const bool is_exponent = std::string_view("eEpP").find(at(end)) != nowhere;
      if (is_exponent && (at(end + 1) == '+' || at(end + 1) == '-')) {
        ++end;
      } else if (at(end) == '\'') {
        if (!is_of_name(at(end + 1))) return end;
      } else if (!is_of_name(at(end)) && at(end) != '.') {
        return end;
      }
    }
  }

  std::string_view source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int line_ = 1;
  int directives_ = 0, directive_ = 0;  // number so far, and the current one
  bool begins_line_ = true, after_blank_ = false;
};

bool is_opening(const Token& token) { return token.is("(") || token.is("[") || token.is("{"); }
bool is_closing(const Token& token) { return token.is(")") || token.is("]") || token.is("}"); }

}  // namespace

std::vector<Token> tokens_of(std::string_view source) { return Lexer(source).all(); }

std::size_t closing(Tokens tokens, std::size_t open) {
  const std::string_view opens = tokens[open].text;
  const std::string_view closes = opens == "(" ? ")" : opens == "[" ? "]" : "}";
  int depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    if (tokens[at].is(opens)) ++depth;
    if (tokens[at].is(closes) && --depth == 0) return at;
  }
  return tokens.size();
}

std::vector<std::size_t> closings_of(Tokens tokens) {
  std::vector<std::size_t> result(tokens.size(), tokens.size()), open;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (is_opening(tokens[at])) open.push_back(at);
    if (!is_closing(tokens[at]) || open.empty()) continue;
    result[open.back()] = at;
    open.pop_back();
  }
  return result;
}

std::size_t closing_angle(Tokens tokens, std::size_t open) {
  constexpr std::size_t longest = 100;
  int depth = 0, parentheses = 0;
  for (std::size_t at = open; at < std::min(tokens.size(), open + longest); ++at) {
    if (tokens[at].is("(")) ++parentheses;
    if (tokens[at].is(")") && --parentheses < 0) break;
    if (parentheses > 0) continue;
    if (tokens[at].is("<")) ++depth;
    if (tokens[at].is(">")) --depth;
    if (tokens[at].is(">>")) depth -= 2;
    if (depth <= 0) return at;
  }
  return tokens.size();
}

std::vector<Tokens> split(Tokens tokens, std::string_view separator) {
  std::vector<Tokens> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (is_opening(tokens[at])) ++depth;
    if (is_closing(tokens[at])) --depth;
    if (depth > 0 || !tokens[at].is(separator)) continue;
    parts.push_back(tokens.subspan(begin, at - begin));
    begin = at + 1;
  }
  if (!tokens.empty()) parts.push_back(tokens.subspan(begin));
  return parts;
}

std::string text_of(Tokens tokens) {
  std::string text;
  for (const Token& token : tokens) {
    if (token.after_blank && !text.empty()) text += ' ';
    text += token.text;
  }
  return text;
}

bool begins_name(char c) {
  return is_letter(c) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_of_name(char c) { return begins_name(c) || is_digit(c); }

}  // namespace gemm_tutor::source
