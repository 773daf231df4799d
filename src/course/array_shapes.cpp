#include "course/array_shapes.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <regex>
#include <string>

#include "compile/cuda_text.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using Constants = std::map<std::string, std::int64_t, std::less<>>;

// + - * / % and brackets over whole numbers and known names; nothing for anything else.
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

  Value sum() {
    Value result = product();
    while (result) {
      const bool plus = accept('+');
      if (!plus && !accept('-')) break;
      const Value other = product();
      result = other ? Value(plus ? *result + *other : *result - *other) : std::nullopt;
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
      result = operation == '*'   ? *result * *other
               : operation == '/' ? *result / *other
                                  : *result % *other;
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
  static const std::regex parameter(R"((\w+)\s*(?:=\s*(.+))?$)");
  for (const FunctionText& function : function_texts(source)) {
    if (!function.is_kernel || function.name != name) continue;
    const auto parameters = split(function.template_parameters, ',');
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      std::smatch match;
      if (!std::regex_search(parameters[i], match, parameter)) continue;
      define(constants, match[1], i < arguments.size() ? arguments[i] : match[2].str());
    }
  }
}

Constants constants_of(const std::string& source, std::string_view name_expression) {
  Constants constants;
  define_template_parameters(constants, source, name_expression);
  static const std::regex definition(
      R"(#define\s+(\w+)[ \t]+([^\n]+)|\bconst(?:expr)?\s+(?:static\s+)?(?:int|unsigned|size_t|long)\b([^;]*);)");
  static const std::regex assignment(R"((\w+)\s*=\s*([^,]+))");
  for (std::sregex_iterator found(source.begin(), source.end(), definition), none; found != none;
       ++found) {
    if ((*found)[1].matched) {
      define(constants, (*found)[1], (*found)[2].str());
      continue;
    }
    const std::string list = (*found)[3];
    for (std::sregex_iterator one(list.begin(), list.end(), assignment); one != none; ++one) {
      define(constants, (*one)[1], (*one)[2].str());
    }
  }
  return constants;
}

std::optional<std::vector<std::int64_t>> extents_of(const std::string& brackets,
                                                    const Constants& constants) {
  std::vector<std::int64_t> extents;
  static const std::regex bracket(R"(\[([^\]]*)\])");
  for (std::sregex_iterator one(brackets.begin(), brackets.end(), bracket), none; one != none;
       ++one) {
    const std::string text = (*one)[1];
    const auto value = Expression(text, constants).value();
    if (!value || *value <= 0) return {};
    extents.push_back(*value);
  }
  return extents;
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
  static const std::regex alignment(R"((?:alignas|__align__)\s*\([^()]*\))");
  const std::string text =
      std::regex_replace(without_other_kernels(source, name_expression), alignment, "");
  const Constants constants = constants_of(text, name_expression);
  std::vector<emulator::ArrayShape> shapes;
  static const std::regex declaration(R"(__shared__([^;{}()]*);)");
  static const std::regex declarator(R"((\w+)((?:\s*\[[^\]]*\])+))");
  for (std::sregex_iterator found(text.begin(), text.end(), declaration), none; found != none;
       ++found) {
    const std::string list = (*found)[1];
    for (std::sregex_iterator one(list.begin(), list.end(), declarator); one != none; ++one) {
      if (auto extents = extents_of((*one)[2], constants))
        shapes.push_back({(*one)[1], std::move(*extents)});
    }
  }
  return shapes;
}

}  // namespace gemm_tutor
