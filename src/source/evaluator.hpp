// The values of integer expressions, and their text with numbers for the names.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/syntax.hpp"

namespace gemm_tutor::source {

// Nothing for a name whose value is not known. "threadIdx.x" is one name.
using IntegersByName = std::function<std::optional<Integer>(std::string_view name)>;

// Of a call with those arguments; nothing where it has no known value.
using IntegersByCall = std::function<std::optional<Integer>(
    const Node& call, const std::vector<std::optional<Integer>>& arguments)>;

// Nothing where it depends on a name that is not known, where C++ gives it no value, and for what
// is no integer expression. Of calls min and max of two are known, and others where `calls` says
// so. An increment after its operand has the operand's value; that it changes it is for the
// caller.
std::optional<Integer> value_of(const Node& expression, const IntegersByName& names,
                                const IntegersByCall& calls = {});

// With numbers for the names that are known: "2·128 + 9". Other names stay, and what is opaque.
std::string filled(const Node& expression, const IntegersByName& names);

}  // namespace gemm_tutor::source
