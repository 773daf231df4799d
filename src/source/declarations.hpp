// Splits CUDA C++ code into its declarations.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source/token.hpp"

namespace gemm_tutor::source {

using Words = std::set<std::string_view>;

// Returns the index of the first token with that text; tokens.size() if there is none.
std::size_t find(Tokens tokens, std::string_view text);
bool has(Tokens tokens, std::string_view text);
bool has_any(Tokens tokens, const Words& words);

// One declaration of a file, of a namespace or of a class. A macro's use that looks like a function
// is one.
struct Declaration {
  enum class Kind {
    function,
    type,  // struct, class, union or enum
    variable,
    alias,           // typedef, using X = …, using ns::x
    namespace_name,  // using namespace x, namespace x = …
    instance,        // template … without parameters
    assertion,       // static_assert
  };
  Kind kind = Kind::variable;
  std::string scope;           // the namespaces around it, "a::b"
  Tokens tokens;               // from the template's head to the semicolon or the closing brace
  Tokens of_template;          // between the angle brackets of its template's head
  Tokens head;                 // after these, up to the braces of the body, or to the end
  std::size_t parameters = 0;  // a function's "(" in the head
  Tokens body;                 // of a function or a type, with its braces; empty if it has none
};

// Returns the declarations outside of functions and classes. `are_members` means that the code is
// inside of a class. Returns nothing if braces do not match.
std::optional<std::vector<Declaration>> declarations_in(Tokens code, bool are_members = false);

// "ns::f" of the head of "int ns::f<4>(int x)".
std::string function_name(const Declaration& function);

// Returns the words that mark code for the device: CUDA's, and names of macros that have one of
// these in their text. `directives` are those of all files.
Words device_words(const std::vector<Tokens>& directives);

}  // namespace gemm_tutor::source
