#include "run/array_shapes.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "compile/cuda_text.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using Constants = std::map<std::string, std::int64_t, std::less<>>;

// + - * / % and brackets over whole numbers and known names; nothing for anything else, nor where a
// number on the way is too large for an int.
class Expression {
 public:
  Expression(std::string_view text, const Constants& constants)
      : text_(text), constants_(constants) {}

  std::optional<std::int64_t> value() {
    const auto result = sum();
    skip_blanks();
    return at_ == text_.size() ? result : std::nullopt;
  }

 private:
  using Value = std::optional<std::int64_t>;

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  static Value in_range(std::int64_t number) {
    const bool fits = std::abs(number) <= std::numeric_limits<int>::max();
    return fits ? Value(number) : std::nullopt;
  }

  Value sum() {
    Value result = product();
    while (result) {
      const bool plus = accept('+');
      if (!plus && !accept('-')) break;
      const Value other = product();
      result = other ? in_range(plus ? *result + *other : *result - *other) : std::nullopt;
    }
    return result;
  }

  Value product() {
    Value result = operand();
    while (result) {
      const char operation = accept('*') ? '*' : accept('/') ? '/' : accept('%') ? '%' : ' ';
      if (operation == ' ') break;
      const Value other = operand();
      if (!other || (operation != '*' && *other == 0)) return {};
      result = in_range(operation == '*'   ? *result * *other
                        : operation == '/' ? *result / *other
                                           : *result % *other);
    }
    return result;
  }

  Value operand() {
    if (depth_ > 50) return {};
    if (accept('(')) {
      ++depth_;
      const Value inner = sum();
      --depth_;
      return accept(')') ? inner : std::nullopt;
    }
    skip_blanks();
    std::string word;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) {
      word += text_[at_++];
    }
    if (!word.empty() && word.size() < 10 &&
        word.find_first_not_of("0123456789") == std::string::npos) {
      return std::stoll(word);
    }
    const auto known = constants_.find(word);
    return known == constants_.end() ? std::nullopt : Value(known->second);
  }

  std::string_view text_;
  const Constants& constants_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

void define(Constants& constants, const std::string& name, std::string_view expression) {
  if (const auto value = Expression(expression, constants).value()) constants[name] = *value;
}

// tile<32, 8> of a template <int BM, int BK = 8>: BM = 32, BK = 8.
void define_template_parameters(Constants& constants, std::string_view source,
                                std::string_view name_expression) {
  const std::size_t open = name_expression.find('<');
  if (open == std::string_view::npos || !name_expression.ends_with('>')) return;
  const std::string_view name = name_expression.substr(0, open);
  const auto arguments =
      split(name_expression.substr(open + 1, name_expression.size() - open - 2), ',');
  for (const FunctionText& function : function_texts(source)) {
    if (!function.is_kernel || function.name != name) continue;
    const auto parameters = split(function.template_parameters, ',');
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::size_t equals = std::min(parameters[i].find('='), parameters[i].size());
      const std::string default_value = parameters[i].substr(equals).erase(0, 1);
      define(constants, last_word(parameters[i].substr(0, equals)),
             i < arguments.size() ? arguments[i] : default_value);
    }
  }
}

Constants constants_of(const std::string& source, std::string_view code,
                       std::string_view name_expression) {
  Constants constants;
  define_template_parameters(constants, source, name_expression);
  std::vector<ConstantText> all = constant_texts(code);
  for (const MacroText& macro : macro_texts(source)) {
    if (!macro.takes_arguments) all.push_back({macro.name, macro.text, macro.begin});
  }
  // Each may be made of those before it.
  std::ranges::stable_sort(all, {}, &ConstantText::begin);
  for (const ConstantText& one : all) define(constants, one.name, one.text);
  return constants;
}

// Reads "[BM][BK + 1]" from `at` on, and moves `at` to its end. Nothing where an extent is unknown.
std::optional<std::vector<std::int64_t>> extents_at(std::string_view list, std::size_t& at,
                                                    const Constants& constants) {
  std::vector<std::int64_t> extents;
  bool are_known = true;
  for (at = skip_blanks(list, at); list.substr(at).starts_with('['); at = skip_blanks(list, at)) {
    const std::size_t close = std::min(list.find(']', at), list.size() - 1);
    const auto value = Expression(list.substr(at + 1, close - at - 1), constants).value();
    are_known &= value && *value > 0;
    extents.push_back(value.value_or(0));
    at = close + 1;
  }
  if (!are_known) return {};
  return extents;
}

// Of "float a[BM][BK], b[BK]".
void add_arrays(std::vector<emulator::ArrayShape>& shapes, std::string_view list,
                const Constants& constants) {
  for (std::size_t at = 0; at < list.size();) {
    const std::string_view name = word_at(list, at, list.size());
    at += std::max<std::size_t>(name.size(), 1);
    if (name.empty()) continue;
    auto extents = extents_at(list, at, constants);
    if (extents && !extents->empty()) shapes.push_back({std::string(name), std::move(*extents)});
  }
}

// Other kernels may call other arrays the same.
std::string without_other_kernels(std::string_view source, std::string_view name_expression) {
  std::string text(source);
  const std::string_view name = trimmed(name_expression.substr(0, name_expression.find('<')));
  const std::vector<FunctionText> functions = function_texts(source);
  const bool is_there =
      std::ranges::any_of(functions, [&](const FunctionText& f) { return f.name == name; });
  for (const FunctionText& function : functions) {
    if (!is_there || !function.is_kernel || function.name == name) continue;
    const std::size_t length = function.end - function.begin;
    text.replace(function.begin, length, length, ' ');
  }
  return text;
}

}  // namespace

std::vector<emulator::ArrayShape> shared_array_shapes(std::string_view source,
                                                      std::string_view name_expression) {
  const std::string text = without_other_kernels(source, name_expression);
  const std::string code = code_alone(text);
  const Constants constants = constants_of(text, code, name_expression);
  std::vector<emulator::ArrayShape> shapes;
  constexpr std::string_view word = "__shared__";
  for (std::size_t at = find_word(code, word); at != code.npos; at = find_word(code, word, at)) {
    const std::size_t begin = at + word.size();
    at = std::min(code.find_first_of(";{}", begin), code.size());
    if (at < code.size() && code[at] == ';') {
      add_arrays(shapes, std::string_view(code).substr(begin, at - begin), constants);
    }
  }
  return shapes;
}

}  // namespace gemm_tutor
