// Evaluates integer expressions, and replaces names in them by numbers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/syntax.hpp"

namespace gemm_tutor::source {

// Returns the value of a name; nothing if it is not known. "threadIdx.x" is one name.
using IntegersByName = std::function<std::optional<Integer>(std::string_view name)>;

// Returns the value of a call with these arguments; nothing if it is not known.
using IntegersByCall = std::function<std::optional<Integer>(
    const Node& call, const std::vector<std::optional<Integer>>& arguments)>;

// Returns nothing if the expression is not an integer expression, depends on an unknown name, or
// has no defined value in C++. It knows calls of min and max with two arguments; `calls` evaluates
// others. An increment after its operand has the operand's old value. The caller must change the
// operand.
std::optional<Integer> value_of(const Node& expression, const IntegersByName& names,
                                const IntegersByCall& calls = {});

// Returns the expression's text with numbers in place of known names: "2·128 + 9". Unknown names
// and opaque parts stay.
std::string filled(const Node& expression, const IntegersByName& names);

}  // namespace gemm_tutor::source
