// The statements and expressions of a function's body, as far as its indices depend on them.
//
// Any tokens have a syntax tree: what is not understood becomes an opaque expression, with the
// expressions that are found in it as its operands.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/definitions.hpp"
#include "source/integer.hpp"
#include "source/token.hpp"

namespace gemm_tutor::source {

struct Node;
struct Statement;
using NodePointer = std::unique_ptr<const Node>;
using Nodes = std::vector<NodePointer>;
using Statements = std::vector<Statement>;

struct BinaryOperator {
  std::string_view spelling;
  int binding = 0;                // the higher, the tighter
  std::string_view printed = {};  // with the blanks around it
};

// An expression, or a part of one: an operator with its operands, a name, a number.
struct Node {
  enum class Kind {
    opaque,       // without an integer value: a string, a float, what is not understood
    number,       // of an integer type; true and false
    name,         // "row", "threadIdx.x", "ns::size"
    unary,        // - + ~ ! & and * before an operand
    increment,    // ++ or -- before an operand, or after it
    binary,       // all but assignments
    assignment,   // = += …
    conditional,  // three operands
    cast,         // to an integer type
    parentheses,  // one operand or, with commas, several
    call,         // its operands are the arguments
    subscript,    // of the first operand by the second
    list,         // {…}
    lambda
  };
  Kind kind = Kind::opaque;
  Tokens tokens;             // all of it
  std::string text;          // a name; an operator; a cast's type; the name of what is called
  Integer number = {};       // its value
  IntegerType type = {};     // of a cast
  bool is_prefix = false;    // of an increment
  bool has_effects = false;  // an assignment or an increment is in it
  int depth = 1;             // of the tree
  const BinaryOperator* operation = nullptr;
  Nodes operands;
  Nodes template_arguments;           // of a call
  std::vector<Parameter> parameters;  // of a lambda
  Tokens body_tokens;
  Statements body;

  // A number or a name alone, so that its value says all.
  bool is_plain() const { return kind == Kind::number || kind == Kind::name; }
  int line() const { return tokens.empty() ? 0 : tokens.front().line; }
};

// "float sum[TM][TN] = {}" or "*from = A": one name of a declaration.
struct Declarator {
  std::string name;
  Tokens tokens;
  int line = 0;  // of its name
  bool is_pointer = false, is_array = false;
  Nodes extents;
  NodePointer value;  // null for none
};

struct Statement {
  enum class Kind {
    nothing,      // a using, a static_assert, …
    expressions,  // one, or several with commas
    declaration,
    block,
    if_else,
    for_loop,
    unknown,  // a while, a do, a switch, a for over a range: how often its body runs is not known
    return_value,
    break_loop,
    continue_loop
  };
  Kind kind = Kind::nothing;
  Tokens tokens;  // all of it
  int line = 0;

  // Of a declaration.
  std::string type;                    // its words: "unsigned int", "Tile"
  std::optional<IntegerType> integer;  // where it is that
  bool is_auto = false, is_shared = false;
  std::vector<Declarator> declarators;

  Nodes expressions;  // those of the statement; a condition; the value that is returned
  Statements first;   // of a for
  Nodes advances;     // of a for
  Tokens body_tokens;
  Statements body, otherwise;
};

// The whole of `tokens` as one expression; opaque where it is not one, null where they are none.
NodePointer parse_expression(Tokens tokens);

// The statements between a function's braces.
Statements parse_statements(Tokens tokens);

// With the texts of macros that take arguments in place of their calls, where these do not become
// too long. What a macro's text holds is where its call is.
std::vector<Token> expanded(Tokens tokens, const std::vector<Macro>& macros);

}  // namespace gemm_tutor::source
