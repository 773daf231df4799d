#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "source/syntax.hpp"

namespace gemm_tutor::source {
namespace {

using Kind = Node::Kind;
using Words = std::set<std::string_view>;

constexpr int deepest_nesting = 60;  // of brackets, operators before operands, and statements
constexpr int deepest_tree = 300;    // of a chain of operators
constexpr int deepest_statements = 150;

constexpr std::array binary_operators = {
    BinaryOperator{"||", 1, " || "}, BinaryOperator{"&&", 2, " && "},
    BinaryOperator{"|", 3, " | "},   BinaryOperator{"^", 4, " ^ "},
    BinaryOperator{"&", 5, " & "},   BinaryOperator{"==", 6, " == "},
    BinaryOperator{"!=", 6, " != "}, BinaryOperator{"<", 7, " < "},
    BinaryOperator{">", 7, " > "},   BinaryOperator{"<=", 7, " <= "},
    BinaryOperator{">=", 7, " >= "}, BinaryOperator{"<<", 8, " << "},
    BinaryOperator{">>", 8, " >> "}, BinaryOperator{"+", 9, " + "},
    BinaryOperator{"-", 9, " - "},   BinaryOperator{"*", 10, "·"},
    BinaryOperator{"/", 10, "/"},    BinaryOperator{"%", 10, " % "},
};

// In functions, because tables that are filled before main() are parsed too.
const Words& qualifiers() {
  static const Words words = {"const",    "constexpr",    "static",     "volatile", "register",
                              "typename", "__restrict__", "__restrict", "struct"};
  return words;
}

class Parser {
 public:
  explicit Parser(Tokens tokens)
      : tokens_(tokens), closings_(closings_of(tokens)), end_(tokens.size()) {}

  NodePointer whole_expression() { return at_ == end_ ? nullptr : whole(end_); }

  Statements statements() {
    Statements result;
    while (at_ < end_) result.push_back(statement());
    return result;
  }

 private:
  // --- Tokens

  bool is(std::string_view text, std::size_t ahead = 0) const {
    return at_ + ahead < end_ && tokens_[at_ + ahead].is(text);
  }
  bool is_name(std::size_t ahead = 0) const {
    return at_ + ahead < end_ && tokens_[at_ + ahead].is_name();
  }
  bool accept(std::string_view text) {
    if (!is(text)) return false;
    ++at_;
    return true;
  }
  std::size_t close_of(std::size_t open) const { return std::min(closings_[open], end_); }
  // The same; `at` if it is not an opening bracket.
  std::size_t close_of_bracket(std::size_t at) const {
    const bool opens = tokens_[at].is("(") || tokens_[at].is("[") || tokens_[at].is("{");
    return opens ? close_of(at) : at;
  }
  Tokens from(std::size_t begin) const { return tokens_.subspan(begin, at_ - begin); }
  Tokens between(std::size_t begin, std::size_t end) const {
    return tokens_.subspan(begin, end - begin);
  }

  // Parses only the tokens before `end`, and continues after them.
  template <typename Read>
  void within(std::size_t end, const Read& read) {
    const std::size_t outer = std::exchange(end_, end);
    read();
    at_ = end;
    end_ = outer;
  }

  // --- Nodes

  static NodePointer node(Node content) {
    content.has_effects = content.kind == Kind::assignment || content.kind == Kind::increment ||
                          content.kind == Kind::lambda;
    for (const NodePointer& operand : content.operands) {
      content.depth = std::max(content.depth, operand->depth + 1);
      content.has_effects = content.has_effects || operand->has_effects;
    }
    if (content.depth > deepest_tree) {
      const bool has_effects = content.has_effects;
      content = opaque(content.tokens);
      content.has_effects = has_effects;
    }
    return std::make_unique<const Node>(std::move(content));
  }

  static Node opaque(Tokens tokens, Nodes operands = {}) {
    Node result;
    result.tokens = tokens;
    result.operands = std::move(operands);
    return result;
  }

  static Node of(Kind kind, Tokens tokens, std::string text, Nodes operands = {}) {
    Node result = opaque(tokens, std::move(operands));
    result.kind = kind;
    result.text = std::move(text);
    return result;
  }

  template <typename... Pointers>
  static Nodes list_of(Pointers... pointers) {
    Nodes result;
    (result.push_back(std::move(pointers)), ...);
    return result;
  }

  // Parses expressions up to `end`, separated by commas. It skips what is not an expression, which
  // also separates expressions.
  Nodes sequence(std::size_t end, bool& is_clean) {
    Nodes result;
    is_clean = true;
    within(end, [&] {
      while (at_ < end_) {
        const std::size_t begin = at_;
        result.push_back(assignment());
        if (at_ == begin) ++at_;
        if (at_ == end_) break;
        const bool has_comma = accept(",");
        is_clean = is_clean && has_comma && at_ < end_;
      }
    });
    return result;
  }

  // Parses everything up to `end` as one expression.
  NodePointer whole(std::size_t end) {
    const std::size_t begin = at_;
    bool is_clean = true;
    Nodes all = sequence(end, is_clean);
    if (is_clean && all.size() == 1) return std::move(all.front());
    return node(opaque(from(begin), std::move(all)));
  }

  // Parses the contents of the brackets at `at_`, and continues after them.
  Nodes in_brackets(bool& is_clean) {
    const std::size_t close = close_of(at_++);
    Nodes result = sequence(close, is_clean);
    is_clean = is_clean && close < end_;
    at_ = std::min(close + 1, end_);
    return result;
  }

  NodePointer assignment() {
    const std::size_t begin = at_;
    if (++depth_ > deepest_nesting) at_ = end_;
    NodePointer left = conditional();
    if (at_ < end_ && is_assignment(tokens_[at_].text)) {
      Node result = of(Kind::assignment, {}, std::string(tokens_[at_++].text));
      NodePointer right = assignment();
      result.operands = list_of(std::move(left), std::move(right));
      result.tokens = from(begin);
      left = node(std::move(result));
    }
    --depth_;
    return left;
  }

  NodePointer conditional() {
    const std::size_t begin = at_;
    NodePointer condition = binary(1);
    if (!accept("?")) return condition;
    NodePointer then = assignment();
    const bool has_colon = accept(":");
    NodePointer otherwise = has_colon ? assignment() : node(opaque({}));
    const Kind kind = has_colon ? Kind::conditional : Kind::opaque;
    return node(of(kind, from(begin), "",
                   list_of(std::move(condition), std::move(then), std::move(otherwise))));
  }

  const BinaryOperator* operator_here() const {
    if (at_ == end_ || tokens_[at_].kind != Token::Kind::punctuation) return nullptr;
    return binary_operator(tokens_[at_].text);
  }

  NodePointer binary(int least_binding) {
    const std::size_t begin = at_;
    NodePointer left = unary();
    for (;;) {
      const BinaryOperator* operation = operator_here();
      if (!operation || operation->binding < least_binding) return left;
      ++at_;
      NodePointer right = binary(operation->binding + 1);
      Node result = of(Kind::binary, from(begin), std::string(operation->spelling),
                       list_of(std::move(left), std::move(right)));
      result.operation = operation;
      left = node(std::move(result));
    }
  }

  NodePointer unary() {
    if (++depth_ > deepest_nesting) at_ = end_;
    NodePointer operand = unary_or_less();
    --depth_;
    return operand;
  }

  NodePointer unary_or_less() {
    const std::size_t begin = at_;
    for (const std::string_view sign : {"++", "--", "-", "+", "~", "!", "&", "*"}) {
      if (!accept(sign)) continue;
      NodePointer operand = unary();
      const Kind kind = sign.size() == 2 ? Kind::increment : Kind::unary;
      Node result = of(kind, from(begin), std::string(sign), list_of(std::move(operand)));
      result.is_prefix = true;
      return node(std::move(result));
    }
    return postfix(primary());
  }

  // Parses what follows an operand: subscripts, calls, members, ++ and --.
  NodePointer postfix(NodePointer operand) {
    const std::size_t begin = operand->tokens.empty() ? at_ : at_ - operand->tokens.size();
    for (;;) {
      bool is_clean = true;
      if (is("[")) {
        Nodes index = in_brackets(is_clean);
        const bool is_subscript = is_clean && index.size() == 1;
        index.insert(index.begin(), std::move(operand));
        operand = node(
            of(is_subscript ? Kind::subscript : Kind::opaque, from(begin), "", std::move(index)));
      } else if (is("(")) {
        Nodes all = parenthesised(in_brackets(is_clean));
        all.insert(all.begin(), std::move(operand));
        operand = node(opaque(from(begin), std::move(all)));
      } else if (is("++") || is("--")) {
        std::string sign(tokens_[at_++].text);
        operand =
            node(of(Kind::increment, from(begin), std::move(sign), list_of(std::move(operand))));
      } else if ((is(".") || is("->")) && is_name(1)) {
        at_ += 2;
        operand = node(opaque(from(begin), list_of(std::move(operand))));
      } else {
        return operand;
      }
    }
  }

  NodePointer primary() {
    const std::size_t begin = at_;
    if (at_ == end_) return node(opaque({}));
    const Token& token = tokens_[at_];
    if (token.kind == Token::Kind::number) {
      ++at_;
      const auto value = integer_literal(token.text);
      Node result = of(value ? Kind::number : Kind::opaque, from(begin), "");
      if (value) result.number = *value;
      return node(std::move(result));
    }
    if (token.kind == Token::Kind::literal) {
      ++at_;
      return node(opaque(from(begin)));
    }
    if (is("(")) return parentheses_or_cast();
    if (is("{")) {
      bool is_clean = true;
      Nodes all = in_brackets(is_clean);
      return node(of(Kind::list, from(begin), "", std::move(all)));
    }
    if (is("[")) return lambda();
    if (is_name()) return name();
    return node(opaque({}));  // the caller skips it
  }

  // Parses an integer type such as "unsigned int". If there is none, returns nothing and does not
  // move.
  std::string accept_integer_type() {
    const std::size_t begin = at_;
    std::string name, longest;
    std::size_t end = at_;
    while (is("std") && is("::", 1)) at_ += 2;
    while (is_name() && name.size() < 20) {
      name += (name.empty() ? "" : " ") + std::string(tokens_[at_++].text);
      if (integer_type(name)) longest = text_of(from(begin)), end = at_;
    }
    at_ = longest.empty() ? begin : end;
    return longest;
  }

  NodePointer cast(std::size_t begin, const std::string& type, NodePointer operand) {
    Node result = of(Kind::cast, from(begin), type, list_of(std::move(operand)));
    result.type = *integer_type(type);
    return node(std::move(result));
  }

  bool begins_operand() const {
    if (at_ == end_) return false;
    const Token::Kind kind = tokens_[at_].kind;
    return kind == Token::Kind::name || kind == Token::Kind::number || is("(");
  }

  NodePointer parentheses_or_cast() {
    const std::size_t begin = at_++;
    if (const std::string type = accept_integer_type(); !type.empty() && accept(")")) {
      NodePointer operand = unary();
      return cast(begin, type, std::move(operand));
    }
    at_ = begin;
    bool is_clean = true;
    Nodes all = in_brackets(is_clean);
    const Kind kind = is_clean && !all.empty() ? Kind::parentheses : Kind::opaque;
    NodePointer inner = node(of(kind, from(begin), "", std::move(all)));
    if (!begins_operand()) return inner;
    NodePointer operand = unary();  // "(float)x"
    return node(opaque(from(begin), list_of(std::move(inner), std::move(operand))));
  }

  // Parses the operand "(x)" of "int(x)" or of a static_cast.
  NodePointer argument_of_cast() {
    bool is_clean = true;
    const std::size_t begin = at_;
    Nodes all = in_brackets(is_clean);
    if (is_clean && all.size() == 1) return std::move(all.front());
    return node(opaque(from(begin), std::move(all)));
  }

  NodePointer name() {
    const std::size_t begin = at_;
    static const Words casts = {"static_cast", "reinterpret_cast", "const_cast"};
    if (casts.contains(tokens_[at_].text) && is("<", 1)) return named_cast();
    if (const std::string type = accept_integer_type(); !type.empty()) {
      if (is("(")) return cast(begin, type, argument_of_cast());
      return node(opaque(from(begin)));
    }
    if (is("true") || is("false")) {
      Node result = of(Kind::number, between(at_, at_ + 1), "");
      result.number = truth(is("true"));
      ++at_;
      return node(std::move(result));
    }
    std::string text(tokens_[at_++].text);
    while (is("::") && is_name(1)) {
      text += "::" + std::string(tokens_[at_ + 1].text);
      at_ += 2;
    }
    if (is(".") && is_name(1)) {  // threadIdx.x
      text += "." + std::string(tokens_[at_ + 1].text);
      at_ += 2;
    }
    return call_or_name(begin, std::move(text));
  }

  NodePointer named_cast() {
    const std::size_t begin = at_++;
    const std::size_t close = at_ + closing_angle(between(at_, end_), 0);
    if (close + 1 >= end_ || !tokens_[close + 1].is("(")) return node(opaque(from(begin)));
    ++at_;
    const std::string type = accept_integer_type();
    const bool is_integer = !type.empty() && at_ == close;
    at_ = close + 1;
    NodePointer operand = argument_of_cast();
    if (is_integer) return cast(begin, type, std::move(operand));
    return node(opaque(from(begin), parenthesised(list_of(std::move(operand)))));
  }

  // Each has its own parentheses, because those of an opaque call are not kept.
  static Nodes parenthesised(Nodes operands) {
    for (NodePointer& operand : operands) {
      const Tokens tokens = operand->tokens;
      operand = node(of(Kind::parentheses, tokens, "", list_of(std::move(operand))));
    }
    return operands;
  }

  // The ">" of the template arguments that begin at a "<"; `end_` if it is an operator. They are
  // followed by "(", or by ";", "," or ")", where an operator would need an operand: "kernel<64>;".
  std::size_t end_of_template_arguments() const {
    if (!is("<")) return end_;
    const std::size_t close = at_ + closing_angle(between(at_, end_), 0), next = close + 1;
    if (close >= end_ || !tokens_[close].is(">")) return end_;
    static const Words after = {";", ",", ")"};
    if (next == end_ || after.contains(tokens_[next].text)) return close;
    if (!tokens_[next].is("(") || tokens_[next].after_blank) return end_;
    const bool is_condition = std::ranges::any_of(
        between(at_, close), [](const Token& t) { return t.is("&&") || t.is("||"); });
    return is_condition ? end_ : close;
  }

  NodePointer call_or_name(std::size_t begin, std::string text) {
    const std::size_t angle = at_, close = end_of_template_arguments();
    if (close < end_ && (close + 1 == end_ || !tokens_[close + 1].is("("))) {
      at_ = close + 1;
      return node(opaque(from(begin)));
    }
    const bool is_template = close < end_;
    if (!is_template && !is("(")) return node(of(Kind::name, from(begin), std::move(text)));
    Node result = of(Kind::call, {}, std::move(text));
    bool is_clean = true, is_clean_template = true;
    if (is_template) {
      at_ = angle + 1;
      result.template_arguments = sequence(close, is_clean_template);
      at_ = close + 1;
    }
    result.operands = in_brackets(is_clean);
    result.tokens = from(begin);
    if (!is_clean && !result.operands.empty()) {
      result.kind = Kind::opaque;
      result.operands = parenthesised(std::move(result.operands));
    }
    return node(std::move(result));
  }

  // [capture](parameters) … { body }
  NodePointer lambda() {
    const std::size_t begin = at_;
    at_ = std::min(close_of(at_) + 1, end_);
    Node result = of(Kind::lambda, {}, "");
    if (is("(")) {
      const std::size_t close = close_of(at_);
      result.parameters = parameters_of(between(at_ + 1, close));
      at_ = std::min(close + 1, end_);
    }
    while (at_ < end_ && !is("{")) ++at_;
    if (at_ == end_) return node(opaque(from(begin)));
    const std::size_t close = close_of(at_++);
    result.body_tokens = between(at_, close);
    result.body = nested_statements(close);
    at_ = std::min(close + 1, end_);
    result.tokens = from(begin);
    return node(std::move(result));
  }

  // --- Statements

  // Parses the statements before `end`; none if they are nested too deeply.
  Statements nested_statements(std::size_t end) {
    Statements result;
    if (++statement_depth_ <= deepest_statements) {
      within(end, [&] { result = statements(); });
    }
    at_ = end;
    --statement_depth_;
    return result;
  }

  // Parses a statement's body: one statement, or several in braces.
  Statements body() {
    Statements result;
    if (at_ == end_) return result;
    if (++statement_depth_ <= deepest_statements) {
      result.push_back(statement());
    } else {
      at_ = end_;
    }
    --statement_depth_;
    return result;
  }

  // Moves after the ";" that ends a statement.
  std::size_t end_of_statement() const {
    for (std::size_t at = at_; at < end_; ++at) {
      if (tokens_[at].is(";")) return at + 1;
      at = close_of_bracket(at);
    }
    return end_;
  }

  Statement statement() {
    const std::size_t begin = at_;
    Statement result;
    result.line = tokens_[at_].line;
    read_statement(result);
    result.tokens = from(begin);
    return result;
  }

  void read_statement(Statement& result) {
    static const Words ignored = {"using", "typedef", "static_assert", "goto", "friend"};
    if (accept("else") || accept("}") || accept(")") || accept("]")) return;
    if (is("{")) return read_block(result);
    if (is("if")) return read_if(result);
    if (is("for")) return read_for(result);
    if (is("while") || is("switch")) return read_unknown(result, is("while"));
    if (is("do")) return read_do(result);
    if (is("case") || is("default") || (is_name() && is(":", 1))) return read_label();
    const std::size_t end = end_of_statement();
    const bool has_end = end > at_ && tokens_[end - 1].is(";");
    const std::size_t last = has_end ? end - 1 : end;
    const bool leaves = is("return") || is("break") || is("continue");
    if (leaves) {
      result.kind = is("return")  ? Statement::Kind::return_value
                    : is("break") ? Statement::Kind::break_loop
                                  : Statement::Kind::continue_loop;
      ++at_;
    }
    if (leaves && at_ < last) {
      result.expressions.push_back(whole(last));
    } else if (!leaves && at_ < last && !ignored.contains(tokens_[at_].text)) {
      within(last, [&] { read_simple(result); });
    }
    at_ = end;
  }

  void read_block(Statement& result) {
    const std::size_t close = close_of(at_++);
    result.kind = Statement::Kind::block;
    result.body_tokens = between(at_, close);
    result.body = nested_statements(close);
    at_ = std::min(close + 1, end_);
  }

  // Parses the parentheses after a keyword; false if there are none.
  bool pass_to_parentheses() {
    while (at_ < end_ && !is("(")) ++at_;
    return at_ < end_;
  }

  void read_if(Statement& result) {
    result.kind = Statement::Kind::if_else;
    if (!pass_to_parentheses()) return;
    const std::size_t close = close_of(at_++);
    result.expressions.push_back(at_ == close ? node(opaque({})) : whole(close));
    at_ = std::min(close + 1, end_);
    result.body = body();
    if (accept("else")) result.otherwise = body();
  }

  void read_for(Statement& result) {
    result.kind = Statement::Kind::unknown;
    if (!pass_to_parentheses()) return;
    const std::size_t close = close_of(at_++);
    within(close, [&] { read_header(result); });
    at_ = std::min(close + 1, end_);
    const std::size_t begin = at_;
    result.body = body();
    result.body_tokens = from(begin);
  }

  // Parses the parentheses of a for.
  void read_header(Statement& result) {
    const std::size_t first = end_of_statement();
    if (first == at_ || !tokens_[first - 1].is(";")) return;
    result.kind = Statement::Kind::for_loop;
    result.first.push_back(statement());
    const std::size_t condition = end_of_statement();
    const bool has_end = condition > at_ && tokens_[condition - 1].is(";");
    const std::size_t last = has_end ? condition - 1 : condition;
    if (at_ < last) result.expressions.push_back(whole(last));
    at_ = condition;
    bool is_clean = true;
    result.advances = sequence(end_, is_clean);
  }

  void read_unknown(Statement& result, bool has_condition) {
    result.kind = Statement::Kind::unknown;
    const std::size_t begin = at_;
    if (!pass_to_parentheses()) return;
    const std::size_t close = close_of(at_++);
    if (has_condition && at_ < close) result.expressions.push_back(whole(close));
    at_ = std::min(close + 1, end_);
    result.body = body();
    result.body_tokens = from(begin);
  }

  void read_do(Statement& result) {
    result.kind = Statement::Kind::unknown;
    const std::size_t begin = at_++;
    result.body = body();
    at_ = end_of_statement();
    result.body_tokens = from(begin);
  }

  void read_label() {
    while (at_ < end_ && !is(":") && !is(";")) ++at_;
    if (at_ < end_) ++at_;
  }

  // Parses all tokens before the end as a declaration or as expressions.
  void read_simple(Statement& result) {
    const std::size_t begin = at_;
    if (read_type(result)) {
      result.kind = Statement::Kind::declaration;
      while (at_ < end_) result.declarators.push_back(declarator());
      return;
    }
    at_ = begin;
    result.kind = Statement::Kind::expressions;
    bool is_clean = true;
    result.expressions = sequence(end_, is_clean);
  }

  // False if no declarator follows.
  bool read_type(Statement& result) {
    bool has_type = false;
    for (; at_ < end_; ++at_) {
      const std::string_view word = tokens_[at_].text;
      if (word == "__shared__" || word == "extern") {
        result.is_shared = true;
      } else if (word == "alignas" || word == "__align__") {
        if (is("(", 1)) at_ = close_of(at_ + 1);
        if (at_ == end_) return false;
      } else if (word == "auto") {
        result.is_auto = has_type = true;
      } else if (has_type && !qualifiers().contains(word)) {
        if (!extends_type(result)) break;
      } else if (!qualifiers().contains(word)) {
        if (!read_type_name(result)) break;
        has_type = true;
        --at_;
      }
    }
    return has_type && (is_name() || is("*") || is("&") || (is("[") && result.is_auto));
  }

  // The "int" of "unsigned const int".
  bool extends_type(Statement& result) const {
    const std::string longer = result.type + " " + std::string(tokens_[at_].text);
    if (!result.integer || !integer_type(longer)) return false;
    result.type = longer;
    result.integer = integer_type(longer);
    return true;
  }

  // Parses a type: "std::size_t", "unsigned long", "ns::Tile", "Pair<int>".
  bool read_type_name(Statement& result) {
    static const Words no_types = {"return", "delete", "new", "throw", "asm", "sizeof", "operator"};
    const std::size_t begin = at_;
    if (const std::string integer = accept_integer_type(); !integer.empty()) {
      result.type = integer;
      result.integer = integer_type(integer);
      return true;
    }
    if (!is_name() || no_types.contains(tokens_[at_].text)) return false;
    ++at_;
    while (is("::") && is_name(1)) at_ += 2;
    if (is("<")) {
      const std::size_t close = at_ + closing_angle(between(at_, end_), 0);
      if (close >= end_) return false;
      at_ = close + 1;
    }
    result.type = text_of(from(begin));
    return true;
  }

  Declarator declarator() {
    Declarator result;
    const std::size_t begin = at_;
    while (is("*") || is("&") || is("&&") ||
           (is_name() && qualifiers().contains(tokens_[at_].text))) {
      result.is_pointer = result.is_pointer || is("*");
      ++at_;
    }
    if (is_name()) {
      result.line = tokens_[at_].line;
      result.name = tokens_[at_++].text;
    }
    while (is("[")) {
      bool is_clean = true;
      result.is_array = true;
      Nodes index = in_brackets(is_clean);
      if (is_clean && index.size() == 1) {
        result.extents.push_back(std::move(index.front()));
      } else {
        result.extents.push_back(node(opaque({}, std::move(index))));
      }
    }
    read_initializer(result);
    result.tokens = from(begin);
    accept(",");
    return result;
  }

  void read_initializer(Declarator& result) {
    if (accept("=")) {
      result.value = assignment();
    } else if (is("(") || is("{")) {
      bool is_clean = true;
      const std::size_t begin = at_;
      Nodes all = in_brackets(is_clean);
      if (is_clean && all.size() == 1) {
        result.value = std::move(all.front());
      } else if (!all.empty()) {
        result.value = node(of(Kind::list, from(begin), "", std::move(all)));
      }
    }
    // Skips what it does not understand.
    for (; at_ < end_ && !is(","); ++at_) at_ = std::min(close_of_bracket(at_), end_ - 1);
  }

  Tokens tokens_;
  std::vector<std::size_t> closings_;
  std::size_t at_ = 0, end_;
  int depth_ = 0, statement_depth_ = 0;
};

}  // namespace

const BinaryOperator* binary_operator(std::string_view spelling) {
  const auto found = std::ranges::find(binary_operators, spelling, &BinaryOperator::spelling);
  return found == binary_operators.end() ? nullptr : &*found;
}

bool is_assignment(std::string_view spelling) {
  static const Words words = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
  return words.contains(spelling);
}

const Node& without_parentheses(const Node& node) {
  const Node* inner = &node;
  while (inner->kind == Node::Kind::parentheses && inner->operands.size() == 1) {
    inner = inner->operands[0].get();
  }
  return *inner;
}

std::string changed_name(const Node& node) {
  const bool changes = node.kind == Node::Kind::increment || node.kind == Node::Kind::assignment;
  return changes && node.operands[0]->kind == Node::Kind::name ? node.operands[0]->text : "";
}

NodePointer parse_expression(Tokens tokens) { return Parser(tokens).whole_expression(); }

Statements parse_statements(Tokens tokens) { return Parser(tokens).statements(); }

}  // namespace gemm_tutor::source
