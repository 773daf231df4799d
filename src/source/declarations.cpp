#include "source/declarations.hpp"

#include <algorithm>
#include <utility>

#include "support/text.hpp"

namespace gemm_tutor::source {
namespace {

// A function, because a program may read lessons before the objects of this file exist.
bool is_attribute(const Token& token) {
  static const Words names = {"__launch_bounds__", "__attribute__", "__cluster_dims__",
                              "__block_size__",    "__align__",     "alignas",
                              "__declspec",        "decltype",      "asm"};
  return names.contains(token.text);
}

// Finds the "(" of a function's parameters, not that of an attribute before its name.
std::size_t begin_of_parameters(Tokens head) {
  std::size_t open = find(head, "(");
  while (open > 0 && open < head.size() && is_attribute(head[open - 1])) {
    const std::size_t close = closing(head, open);
    if (close == head.size()) return close;
    open = close + find(head.subspan(close), "(");
  }
  return open;
}

// True for "struct Tile" and "class alignas(16) Tile : public Base", not for "struct Tile make(".
bool is_type(Tokens head) {
  static const Words keywords = {"struct", "class", "union", "enum"};
  std::size_t at = 0;
  if (head.empty() || !keywords.contains(head[0].text)) return false;
  for (++at; at < head.size(); ++at) {
    if (head[at].is("(") && !is_attribute(head[at - 1])) return false;
    if (head[at].is("=") || head[at].is("*") || head[at].is("&")) return false;
    if (head[at].is(":") || head[at].is("<")) return true;
    if (head[at].is("(")) at = std::min(closing(head, at), head.size() - 1);
  }
  return true;
}

Tokens without_attribute(Tokens head) {
  if (head.size() < 2 || !head[0].is("[") || !head[1].is("[")) return head;
  const std::size_t close = closing(head, 0);
  return close < head.size() ? head.subspan(close + 1) : head;
}

// `parameters` is the "(".
bool is_function(Tokens head, std::size_t parameters) {
  if (parameters == head.size()) return false;
  const Tokens before = head.first(parameters);
  if (has(before, "operator")) return true;
  return !has(before, "=") && !has(before, "[");
}

bool opens_namespace(Tokens head) {
  const bool is_linkage =
      !head.empty() && head[0].is("extern") &&
      (head.size() == 1 || (head.size() == 2 && head[1].kind == Token::Kind::literal));
  const bool is_inline = !head.empty() && head[0].is("inline");
  const Tokens rest = head.subspan(is_inline ? 1 : 0);
  return is_linkage || (!rest.empty() && rest[0].is("namespace"));
}

// Empty for extern "C" and for a namespace without a name.
std::string namespace_name(Tokens head) {
  const std::size_t at = find(head, "namespace");
  return at == head.size() ? "" : text_of(head.subspan(at + 1));
}

Declaration head_of(Tokens tokens) {
  Declaration result;
  result.head = tokens;
  while (result.head.size() > 1 && result.head[0].is("template") && result.head[1].is("<")) {
    const std::size_t close = closing_angle(result.head, 1);
    if (close == result.head.size()) break;
    if (result.of_template.empty()) result.of_template = result.head.subspan(2, close - 2);
    result.head = result.head.subspan(close + 1);
  }
  result.head = without_attribute(result.head);
  result.parameters = begin_of_parameters(result.head);
  return result;
}

Declaration::Kind kind_of(const Declaration& one) {
  using Kind = Declaration::Kind;
  const Tokens head = one.head;
  const auto begins = [&](std::string_view word) { return !head.empty() && head[0].is(word); };
  if (begins("template") || (begins("extern") && head.size() > 1 && head[1].is("template"))) {
    return Kind::instance;
  }
  if (begins("namespace")) return Kind::namespace_name;
  if (begins("using")) {
    return head.size() > 1 && head[1].is("namespace") ? Kind::namespace_name : Kind::alias;
  }
  if (begins("typedef")) return Kind::alias;
  if (begins("static_assert")) return Kind::assertion;
  if (is_type(head)) return Kind::type;
  return is_function(head, one.parameters) ? Kind::function : Kind::variable;
}

class Reader {
 public:
  Reader(Tokens code, bool are_members) : code_(code), are_members_(are_members) {}

  // Returns false if braces do not match.
  bool read() {
    for (at_ = 0; at_ < code_.size(); ++at_) {
      const Token& token = code_[at_];
      if (token.is(";")) {
        add(at_ + 1);
      } else if (token.is("}")) {
        if (scopes_.empty()) return false;
        add(at_);
        scopes_.pop_back();
        begin_ = at_ + 1;
      } else if (token.is("{")) {
        if (!pass_braces()) return false;
      } else if (token.is("(") || token.is("[")) {
        at_ = closing(code_, at_);
        if (at_ == code_.size()) return false;
        if (token.is("(") && is_macro_alone()) add(at_ + 1);
      } else if (are_members_ && token.is(":") && is_access_label()) {
        begin_ = at_ + 1;
      }
    }
    add(code_.size());
    return scopes_.empty();
  }

  std::vector<Declaration> declarations;

 private:
  enum class State { function, type, other };

  bool pass_braces() {
    const Tokens tokens = code_.subspan(begin_, at_ - begin_);
    if (opens_namespace(tokens)) {
      scopes_.push_back(namespace_name(tokens));
      begin_ = at_ + 1;
      return true;
    }
    const std::size_t close = closing(code_, at_);
    if (close == code_.size()) return false;
    if (!state_) state_ = state_before_braces(head_of(tokens));
    const bool is_of_function = *state_ == State::function && !initialises_member();
    if (is_of_function || *state_ == State::type) {
      if (body_.empty()) body_ = code_.subspan(at_, close + 1 - at_);
    }
    at_ = close;
    if (is_of_function) add(close + 1);
    return true;
  }

  static State state_before_braces(const Declaration& one) {
    const Declaration::Kind kind = kind_of(one);
    if (kind == Declaration::Kind::type) return State::type;
    return kind == Declaration::Kind::function ? State::function : State::other;
  }

  // "rows{1}" after "Tile() :" is a member with its value. A body follows other tokens.
  bool initialises_member() {
    const Token& before = code_[at_ - 1];
    if (!before.is_name() && !before.is(">")) return false;
    const Declaration one = head_of(code_.subspan(begin_, at_ - begin_));
    const std::size_t close = closing(one.head, one.parameters);
    return close < one.head.size() && has(one.head.subspan(close), ":");
  }

  // A macro's use before the next declaration: "REGISTER(x) __global__ …". It is at its ")".
  bool is_macro_alone() const {
    if (at_ + 1 >= code_.size() || !code_[at_ + 1].is_name()) return false;
    const Token& name = code_[begin_];
    return name.is_name() && begin_ + 1 < at_ && code_[begin_ + 1].is("(") &&
           closing(code_, begin_ + 1) == at_ && !is_attribute(name) &&
           !follows_parameters(code_[at_ + 1].text);
  }

  static bool follows_parameters(std::string_view word) {
    return word == "const" || word == "noexcept" || word == "override" || word == "final";
  }

  bool is_access_label() const {
    static const Words labels = {"public", "private", "protected"};
    return at_ == begin_ + 1 && labels.contains(code_[begin_].text);
  }

  void add(std::size_t end) {
    const Tokens tokens = code_.subspan(begin_, end - begin_);
    begin_ = end;
    state_.reset();
    const Tokens body = std::exchange(body_, {});
    if (tokens.empty() || (tokens.size() == 1 && tokens[0].is(";"))) return;
    const std::size_t head_size =
        body.empty() ? tokens.size() : static_cast<std::size_t>(body.data() - tokens.data());
    Declaration one = head_of(tokens.first(head_size));
    one.kind = kind_of(one);
    std::vector<std::string> names = scopes_;
    std::erase(names, "");
    one.scope = join(names, "::");
    one.tokens = tokens;
    one.body = body;
    declarations.push_back(std::move(one));
  }

  Tokens code_;
  bool are_members_;
  std::size_t at_ = 0, begin_ = 0;  // here, and the begin of the current declaration
  std::optional<State> state_;      // of the current declaration, from its first brace on
  Tokens body_;                     // of the current declaration
  std::vector<std::string> scopes_;
};

}  // namespace

std::size_t find(Tokens tokens, std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find(tokens, text, &Token::text) - tokens.begin());
}

bool has(Tokens tokens, std::string_view text) { return find(tokens, text) < tokens.size(); }

bool has_any(Tokens tokens, const Words& words) {
  return std::ranges::any_of(tokens,
                             [&](const Token& token) { return words.contains(token.text); });
}

std::optional<std::vector<Declaration>> declarations_in(Tokens code, bool are_members) {
  Reader reader(code, are_members);
  if (!reader.read()) return {};
  return std::move(reader.declarations);
}

std::string function_name(const Declaration& function) {
  Tokens tokens = function.head.first(function.parameters);
  if (!tokens.empty() && tokens.back().is(">")) {
    int depth = 0;
    std::size_t at = tokens.size();
    while (at > 0) {
      --at;
      if (tokens[at].is(">")) ++depth;
      if (tokens[at].is("<") && --depth == 0) break;
    }
    tokens = tokens.first(at);
  }
  std::string name;
  for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) {
    const bool was_name = !name.empty() && !name.starts_with("::");
    if (token->is("::") ? !was_name : !token->is_name() || was_name) break;
    name.insert(0, token->text);
  }
  return name;
}

Words device_words(const std::vector<Tokens>& directives) {
  Words words = {"__global__", "__device__", "__constant__", "__shared__", "__managed__"};
  for (std::size_t before = 0; before != words.size();) {  // macros that use macros
    before = words.size();
    for (const Tokens line : directives) {
      if (line.size() < 4 || !line[1].is("define") || !has_any(line.subspan(3), words)) continue;
      words.insert(line[2].text);
    }
  }
  return words;
}

}  // namespace gemm_tutor::source
