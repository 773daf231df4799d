#include "trace/kernel_text.hpp"

#include <algorithm>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t nowhere = std::string_view::npos;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

void read_macros(KernelText& text, std::string_view source) {
  for (MacroText& macro : macro_texts(source)) {
    if (macro.takes_arguments) {
      text.macros.push_back(std::move(macro));
    } else {
      text.definitions.emplace_back(macro.name, macro.text);
    }
  }
}

// constexpr int BK = 8; outside functions.
void read_constants(KernelText& text, const std::vector<FunctionText>& functions) {
  std::string outside;
  std::size_t begin = 0;
  for (const FunctionText& function : functions) {
    outside += text.code.substr(begin, function.begin - begin) + ';';
    begin = function.end;
  }
  outside += text.code.substr(begin);
  for (const ConstantText& constant : constant_texts(outside)) {
    text.definitions.emplace_back(constant.name, constant.text);
  }
}

// The arguments of tile<32, 8> for a template <int BM, int BK = 8>.
void read_template(KernelText& text, const std::string& parameters, std::string_view expression) {
  std::vector<std::string> arguments;
  if (const std::size_t open = expression.find('<'); open != nowhere) {
    arguments =
        split_outside_brackets(expression.substr(open + 1, expression.rfind('>') - open - 1));
  }
  const auto all = split_outside_brackets(parameters);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t equals = all[i].find('=');
    const std::string name = last_word(all[i].substr(0, equals));
    if (i < arguments.size()) {
      text.definitions.emplace_back(name, arguments[i]);
    } else if (equals != nowhere) {
      text.definitions.emplace_back(name, all[i].substr(equals + 1));
    }
  }
}

std::string name_alone(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  return name.substr(colon == nowhere ? 0 : colon + 1);
}

struct Signature {
  std::vector<std::string> parameters;
  TextRange body;
};

Signature read_signature(std::string_view code, const FunctionText& function) {
  const std::string name = name_alone(function.name);
  if (name.empty()) return {};  // an operator
  for (std::size_t at = find_word(code, name, function.begin); at < function.end;
       at = find_word(code, name, at + 1)) {
    const std::size_t open = code.find_first_not_of(" \t\r\n", at + name.size());
    if (open >= function.end || code[open] != '(') continue;
    const std::size_t close = closing_bracket(code, open, function.end);
    return {split_outside_brackets(code.substr(open + 1, close - open - 1)),
            {std::min(code.find('{', close), function.end - 1) + 1, function.end - 1}};
  }
  return {};
}

void add_function(KernelText& text, const FunctionText& function) {
  Signature signature = read_signature(text.code, function);
  text.functions.push_back({function.name, std::move(signature.parameters),
                            split_outside_brackets(function.template_parameters), signature.body});
}

// struct Tile { int row, column; };
void read_structs(KernelText& text) {
  const std::string_view code = text.code;
  constexpr std::string_view word = "struct";
  for (std::size_t at = find_word(code, word); at != nowhere; at = find_word(code, word, at)) {
    const std::size_t begin = skip_blanks(code, at + word.size());
    const std::string_view name = word_at(code, begin, code.size());
    at = skip_blanks(code, begin + name.size());
    if (!code.substr(at).starts_with('{')) continue;
    const std::size_t end = std::min(code.find_first_of("{}()", at + 1), code.size());
    if (!code.substr(end).starts_with('}')) continue;
    std::vector<std::string>& members = text.structs[std::string(name)];
    for (const std::string& declared :
         split_outside_brackets(code.substr(at + 1, end - at - 1), ';')) {
      for (const std::string& one : split_outside_brackets(declared)) {
        if (!one.empty()) members.push_back(last_word(one));
      }
    }
  }
}

std::string without_blanks(std::string_view text) {
  std::string result(text);
  std::erase_if(result, is_blank);
  return result;
}

// Of a call at `open`, with the macro's text in place of which `at` begins.
std::string called(const MacroText& macro, std::string_view arguments) {
  const std::vector<std::string> values = split_outside_brackets(arguments);
  std::string result;
  for (std::size_t at = 0; at < macro.text.size() && result.size() <= longest_statement;) {
    const std::string_view word = word_at(macro.text, at, macro.text.size());
    const auto parameter = std::ranges::find(macro.parameters, word);
    const auto place = static_cast<std::size_t>(parameter - macro.parameters.begin());
    if (!word.empty() && place < values.size()) {
      result += values[place];
    } else {
      result += word.empty() ? macro.text.substr(at, 1) : std::string(word);
    }
    at += std::max<std::size_t>(word.size(), 1);
  }
  return result;
}

}  // namespace

std::optional<IntegerType> type_of_parameter(const std::string& parameter) {
  std::string type = parameter.substr(0, parameter.rfind(last_word(parameter)));
  if (type.find('*') != type.npos || type.find('&') != type.npos) return {};
  std::string words;
  for (std::size_t at = 0; at < type.size(); ++at) {
    const std::string_view word = word_at(type, at, type.size());
    if (word.empty()) continue;
    if (word != "const" && word != "std") words += (words.empty() ? "" : " ") + std::string(word);
    at += word.size();
  }
  return integer_type(words);
}

std::string expanded(std::string_view text, const std::vector<MacroText>& macros) {
  constexpr int deepest = 5;
  std::string result(text);
  for (int depth = 0; depth < deepest && !macros.empty(); ++depth) {
    std::string next;
    for (std::size_t at = 0; at < result.size();) {
      if (next.size() > longest_statement) return result;
      const std::string_view word = word_at(result, at, result.size());
      const auto macro = std::ranges::find(macros, word, &MacroText::name);
      const std::size_t open =
          std::min(result.find_first_not_of(' ', at + word.size()), result.size());
      if (word.empty() || macro == macros.end() || result.substr(open, 1) != "(") {
        next += result.substr(at, std::max<std::size_t>(word.size(), 1));
        at += std::max<std::size_t>(word.size(), 1);
        continue;
      }
      const std::size_t close = closing_bracket(result, open, result.size());
      next += called(*macro, std::string_view(result).substr(open + 1, close - open - 1));
      at = std::min(close + 1, result.size());
    }
    if (next == result) break;
    result = std::move(next);
  }
  return result;
}

KernelText read_kernel_text(std::string_view source, std::string_view name_expression) {
  KernelText text;
  text.code = code_alone(source);
  const std::vector<FunctionText> functions = function_texts(source);
  read_macros(text, source);
  read_constants(text, functions);
  const std::string wanted = without_blanks(name_expression.substr(0, name_expression.find('<')));
  read_structs(text);
  for (const FunctionText& function : functions) {
    if (!function.is_kernel && !function.is_host) add_function(text, function);
    if (!function.is_kernel || function.name != wanted || text.body.end > 0) continue;
    read_template(text, function.template_parameters, name_expression);
    Signature signature = read_signature(text.code, function);
    text.parameters = std::move(signature.parameters);
    text.body = signature.body;
  }
  return text;
}

}  // namespace gemm_tutor
