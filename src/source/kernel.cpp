#include "source/kernel.hpp"

#include <algorithm>
#include <limits>

#include "source/declarations.hpp"
#include "source/evaluator.hpp"

namespace gemm_tutor::source {
namespace {

Definition definition(std::string name, Tokens value, const std::vector<Macro>& macros) {
  Definition result{std::move(name), expanded(value, macros), nullptr};
  result.value = parse_expression(result.tokens);
  return result;
}

// "32, 8" of "tile<32, 8>".
std::string_view template_arguments(std::string_view name_expression) {
  const std::size_t open = name_expression.find('<'), close = name_expression.rfind('>');
  if (open == name_expression.npos || close == name_expression.npos || close < open) return {};
  return name_expression.substr(open + 1, close - open - 1);
}

// The arguments of tile<32> for a template <int BM, int BK = 8>: BM = 32, BK = 8.
std::vector<Definition> definitions_of_template(const std::vector<Parameter>& parameters,
                                                std::string_view name_expression,
                                                const std::vector<Macro>& macros) {
  const std::vector<Token> tokens = tokens_of(template_arguments(name_expression));
  const std::vector<Tokens> arguments = split(tokens, ",");
  std::vector<Definition> result;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tokens value = i < arguments.size() ? arguments[i] : parameters[i].default_value;
    result.push_back(definition(parameters[i].name, value, macros));
  }
  return result;
}

// The tokens outside of those functions.
template <typename Is>
std::vector<Tokens> code_outside(const File& file, const Is& is_left_out) {
  const Tokens code = file.code;
  const auto index_of = [&](std::size_t at) {
    return static_cast<std::size_t>(std::ranges::lower_bound(code, at, {}, &Token::at) -
                                    code.begin());
  };
  std::vector<Tokens> pieces;
  std::size_t begin = 0;
  for (const Function& function : file.functions) {
    if (!is_left_out(function)) continue;
    const std::size_t end = index_of(function.begin);
    pieces.push_back(code.subspan(begin, end - begin));
    begin = index_of(function.end);
  }
  pieces.push_back(code.subspan(begin));
  return pieces;
}

// --- Shared arrays

using Values = std::map<std::string, Integer, std::less<>>;

std::optional<Integer> value_of_tokens(Tokens tokens, const Values& values) {
  const NodePointer expression = parse_expression(tokens);
  if (!expression) return {};
  return value_of(*expression, [&](std::string_view name) -> std::optional<Integer> {
    const auto known = values.find(name);
    return known == values.end() ? std::nullopt : std::optional(known->second);
  });
}

// Each may use those before it.
Values constant_values(const File& file, const std::vector<Tokens>& code,
                       std::string_view name_expression) {
  Values values;
  const auto define = [&](const std::string& name, Tokens tokens) {
    if (const auto value = value_of_tokens(tokens, values)) values[name] = *value;
  };
  if (const Function* kernel = file.find_kernel(name_expression)) {
    for (const Definition& one :
         definitions_of_template(kernel->of_template, name_expression, file.macros)) {
      define(one.name, one.tokens);
    }
  }
  std::vector<Constant> all;
  for (const Tokens piece : code) {
    for (Constant& one : constants_in(piece)) all.push_back(std::move(one));
  }
  for (const Macro& macro : file.macros) {
    if (!macro.takes_arguments) all.push_back({macro.name, macro.text, macro.at});
  }
  std::ranges::stable_sort(all, {}, &Constant::at);
  for (const Constant& one : all) define(one.name, one.value);
  return values;
}

// Parses "[BM][BK + 1]" at `at`, and moves `at` to its end. Returns nothing if an extent is not
// known.
std::optional<std::vector<std::int64_t>> extents_at(Tokens declared, std::size_t& at,
                                                    const Values& values) {
  std::vector<std::int64_t> extents;
  bool are_known = true;
  while (at < declared.size() && declared[at].is("[")) {
    const std::size_t close = closing(declared, at);
    const auto value = value_of_tokens(declared.subspan(at + 1, close - at - 1), values);
    extents.push_back(value ? value->value : 0);
    are_known =
        are_known && extents.back() > 0 && extents.back() <= std::numeric_limits<int>::max();
    at = std::min(close + 1, declared.size());
  }
  if (!are_known || extents.empty()) return {};
  return extents;
}

// Of "float a[BM][BK], b[BK]".
void add_arrays(std::vector<SharedArray>& arrays, Tokens declared, const Values& values) {
  const int bytes = bytes_of_type(declared.first(find(declared, "[")));
  for (std::size_t at = 0; at < declared.size();) {
    const Token& name = declared[at++];
    if (!name.is_name()) continue;
    const bool is_dynamic =
        at + 1 < declared.size() && declared[at].is("[") && declared[at + 1].is("]");
    if (is_dynamic && bytes > 0) arrays.push_back({std::string(name.text), {}, bytes});
    if (auto extents = extents_at(declared, at, values)) {
      arrays.push_back({std::string(name.text), std::move(*extents), bytes});
    }
  }
}

}  // namespace

Kernel::Kernel(std::string_view source, std::string_view name_expression)
    : file(source), structs(structs_in(file.code)) {
  for (const Macro& macro : file.macros) {
    if (!macro.takes_arguments) {
      definitions.push_back(definition(macro.name, macro.text, file.macros));
    }
  }
  for (const Tokens piece : code_outside(file, [](const Function&) { return true; })) {
    for (const Constant& constant : constants_in(piece)) {
      definitions.push_back(definition(constant.name, constant.value, file.macros));
    }
  }
  for (const Function& function : file.functions) {
    if (function.is_kernel || function.is_host) continue;
    DeviceFunction& one = functions.emplace_back();
    one.name = function.name;
    one.parameters = function.parameters;
    one.of_template = definitions_of_template(function.of_template, "", file.macros);
    one.tokens = expanded(function.body, file.macros);
    one.body = parse_statements(one.tokens);
  }
  const Function* kernel = file.find_kernel(name_expression);
  if (!kernel) return;
  for (Definition& one :
       definitions_of_template(kernel->of_template, name_expression, file.macros)) {
    definitions.push_back(std::move(one));
  }
  parameters = kernel->parameters;
  tokens = expanded(kernel->body, file.macros);
  body = parse_statements(tokens);
}

std::vector<SharedArray> shared_arrays(std::string_view source, std::string_view name_expression) {
  const File file(source);
  const Function* kernel = file.find_kernel(name_expression);
  // Other kernels may have arrays of the same names.
  const auto is_other = [&](const Function& function) {
    return kernel && function.is_kernel && function.name != kernel->name;
  };
  const std::vector<Tokens> code = code_outside(file, is_other);
  const Values values = constant_values(file, code, name_expression);
  std::vector<SharedArray> arrays;
  for (const Tokens piece : code) {
    for (std::size_t at = 0; at < piece.size(); ++at) {
      if (!piece[at].is("__shared__")) continue;
      const std::size_t begin = at + 1;
      while (at < piece.size() && !piece[at].is(";") && !piece[at].is("{") && !piece[at].is("}")) {
        ++at;
      }
      if (at < piece.size() && piece[at].is(";")) {
        add_arrays(arrays, piece.subspan(begin, at - begin), values);
      }
    }
  }
  return arrays;
}

}  // namespace gemm_tutor::source
