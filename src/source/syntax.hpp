// Parses a function's body into statements and expressions, as far as its indices depend on them.
//
// Any tokens have a syntax tree. What the parser does not understand becomes an opaque expression,
// and the expressions found in it become its operands.
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
  int binding = 0;                // its precedence; higher binds more tightly
  std::string_view printed = {};  // with blanks around it
};

// Returns null if there is none with that spelling.
const BinaryOperator* binary_operator(std::string_view spelling);

// "=", "+=" and so on; not "++".
bool is_assignment(std::string_view spelling);

// A node of an expression: an operator with its operands, a name or a number.
struct Node {
  enum class Kind {
    opaque,       // no integer value: a string, a float, or not understood
    number,       // of an integer type; also true and false
    name,         // "row", "threadIdx.x", "ns::size"
    unary,        // - + ~ ! & and * before an operand
    increment,    // ++ or -- before or after an operand
    binary,       // all except assignments
    assignment,   // = += …
    conditional,  // three operands
    cast,         // to an integer type
    parentheses,  // one operand, or several separated by commas
    call,         // the operands are the arguments
    subscript,    // first operand[second operand]
    list,         // {…}
    lambda
  };
  Kind kind = Kind::opaque;
  Tokens tokens;             // the whole expression
  std::string text;          // a name, an operator, a cast's type, or a called function's name
  Integer number = {};       // a number's value
  IntegerType type = {};     // a cast's type
  bool is_prefix = false;    // for an increment
  bool has_effects = false;  // it contains an assignment or an increment
  int depth = 1;             // the tree's depth
  const BinaryOperator* operation = nullptr;
  Nodes operands;
  Nodes template_arguments;           // for a call
  std::vector<Parameter> parameters;  // for a lambda
  Tokens body_tokens;
  Statements body;

  // True for a number or a name, which need no calculation.
  bool is_plain() const { return kind == Kind::number || kind == Kind::name; }
  int line() const { return tokens.empty() ? 0 : tokens.front().line; }
};

// The expression in parentheses around one, however many there are; else the node itself.
const Node& without_parentheses(const Node& node);

// The name that "++i" and "i += 2" change; empty for others.
std::string changed_name(const Node& node);

// "float sum[TM][TN] = {}" or "*from = A": one name of a declaration.
struct Declarator {
  std::string name;
  Tokens tokens;
  int line = 0;  // the name's line
  bool is_pointer = false, is_array = false;
  Nodes extents;
  NodePointer value;  // may be null
};

struct Statement {
  enum class Kind {
    nothing,      // a using, a static_assert, …
    expressions,  // one, or several separated by commas
    declaration,
    block,
    if_else,
    for_loop,
    unknown,  // while, do, switch, range-based for: the number of iterations is not known; a while
              // has its condition
    return_value,
    break_loop,
    continue_loop
  };
  Kind kind = Kind::nothing;
  Tokens tokens;  // the whole statement
  int line = 0;

  // For a declaration.
  std::string type;                    // as text: "unsigned int", "Tile"
  std::optional<IntegerType> integer;  // if it is an integer type
  bool is_auto = false, is_shared = false;
  std::vector<Declarator> declarators;

  Nodes expressions;  // the statement's expressions, its condition, or the returned value
  Statements first;   // a for loop's initialization
  Nodes advances;     // a for loop's increments
  Tokens body_tokens;
  Statements body, otherwise;
};

// Parses all tokens as one expression. The result is opaque if they are not an expression, and null
// if there are no tokens.
NodePointer parse_expression(Tokens tokens);

// Parses the statements between a function's braces.
Statements parse_statements(Tokens tokens);

// Expands calls of macros that have parameters, unless the result becomes too long. The inserted
// tokens have the place of the call.
std::vector<Token> expanded(Tokens tokens, const std::vector<Macro>& macros);

}  // namespace gemm_tutor::source
