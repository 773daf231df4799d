#include "source/definitions.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "source/declarations.hpp"
#include "support/text.hpp"

namespace gemm_tutor::source {
namespace {

// --- Parameters

// "sum" of "float (&sum)[4][8]", "A" of "const float* A", and "run" of "void (*run)(int)".
std::string name_of(Tokens declared) {
  for (std::size_t at = 0; at + 4 < declared.size(); ++at) {
    const bool is_pointer = declared[at].is("(") && declared[at + 1].is("*") &&
                            declared[at + 2].is_name() && declared[at + 3].is(")") &&
                            declared[at + 4].is("(");
    if (is_pointer) return std::string(declared[at + 2].text);
  }
  declared = declared.first(find(declared, "["));
  for (auto token = declared.rbegin(); token != declared.rend(); ++token) {
    if (token->is_name()) return std::string(token->text);
  }
  return "";
}

std::optional<IntegerType> type_of(Tokens declared, std::string_view name) {
  if (has(declared, "*") || has(declared, "&")) return {};
  std::string words;
  for (const Token& token : declared.first(find(declared, name))) {
    if (!token.is_name() || token.is("const") || token.is("std")) continue;
    words += (words.empty() ? "" : " ") + std::string(token.text);
  }
  return integer_type(words);
}

}  // namespace

std::vector<Parameter> parameters_of(Tokens list) {
  std::vector<Parameter> parameters;
  for (const Tokens one : split(list, ",")) {
    const std::size_t equals = find(one, "=");
    const Tokens declared = one.first(equals);
    Parameter parameter{.name = name_of(declared), .type = {}, .tokens = one, .default_value = {}};
    parameter.type = type_of(declared, parameter.name);
    if (equals < one.size()) parameter.default_value = one.subspan(equals + 1);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

namespace {

// --- Functions

const Words& words_of_constants() {
  static const Words words = {"constexpr", "consteval"};
  return words;
}

Function function_of(const Declaration& one, const Words& device) {
  Function function;
  const std::string name = function_name(one);
  function.name = one.scope.empty() ? name : one.scope + "::" + name;
  function.template_parameters = text_of(one.of_template);
  function.of_template = parameters_of(one.of_template);
  const std::size_t close = closing(one.head, one.parameters);
  function.parameters =
      parameters_of(one.head.subspan(one.parameters + 1, close - one.parameters - 1));
  function.is_kernel = has(one.head, "__global__");
  function.is_host = !has_any(one.head, device) && !has_any(one.head, words_of_constants());
  function.begin = one.tokens.front().at;
  function.end = one.tokens.back().end();
  function.first_line = one.tokens.front().line;
  function.last_line = one.tokens.back().line;
  function.body = one.body.subspan(1, one.body.size() - 2);
  const std::size_t at = find(one.head, name);
  if (at > 0 && at < one.parameters) function.returned_type = one.head[at - 1].text;
  return function;
}

}  // namespace

std::vector<Function> functions_in(Tokens code, const std::vector<Tokens>& directives) {
  const auto declarations = declarations_in(code);
  if (!declarations) return {};
  const Words device = device_words(directives);
  std::vector<Function> functions;
  for (const Declaration& one : *declarations) {
    if (one.kind == Declaration::Kind::function && !one.body.empty()) {
      functions.push_back(function_of(one, device));
    }
  }
  return functions;
}

namespace {

// --- Macros and constants

std::optional<Macro> macro_of(Tokens line) {
  if (line.size() < 4 || !line[1].is("define") || !line[2].is_name()) return {};
  Macro macro;
  macro.name = line[2].text;
  macro.at = line[0].at;
  std::size_t text = 3;
  macro.takes_arguments = line[3].is("(") && !line[3].after_blank;
  if (macro.takes_arguments) {
    const std::size_t close = closing(line, 3);
    if (close == line.size()) return {};
    for (const Tokens one : split(line.subspan(4, close - 4), ",")) {
      macro.parameters.push_back(text_of(one));
    }
    text = close + 1;
  }
  macro.text = line.subspan(text);
  if (macro.text.empty()) return {};
  return macro;
}

// Returns the end of a statement without braces, or the place of a brace.
std::size_t end_of_statement(Tokens code) {
  const auto end = std::ranges::find_if(
      code, [](const Token& token) { return token.is(";") || token.is("{") || token.is("}"); });
  return static_cast<std::size_t>(end - code.begin());
}

// The end of a type such as "static unsigned int" that begins at `at`; `at` for other types.
std::size_t end_of_integer_type(Tokens code, std::size_t at) {
  static const Words types = {"int", "unsigned", "long", "size_t"};
  bool is_integer = false;
  std::size_t end = at;
  for (; end < code.size(); ++end) {
    const bool names_type = types.contains(code[end].text);
    is_integer = is_integer || names_type;
    if (!names_type && !code[end].is("static") && !code[end].is("std") && !code[end].is("::"))
      break;
  }
  return is_integer ? end : at;
}

struct FoundConstant {
  Constant constant;
  std::optional<Tokens> of_template;  // what its template has in < >
};

std::vector<FoundConstant> all_constants_in(Tokens code) {
  static const Words specifiers = {"inline", "static", "__device__", "__host__"};
  std::vector<FoundConstant> constants;
  for (std::size_t at = 0; at < code.size(); ++at) {
    std::optional<Tokens> of_template;
    if (code[at].is("template") && at + 1 < code.size() && code[at + 1].is("<")) {
      const std::size_t close = closing_angle(code, at + 1);
      if (close >= code.size()) continue;
      of_template = code.subspan(at + 2, close - at - 2);
      at = close + 1;
      while (at < code.size() && specifiers.contains(code[at].text)) ++at;
      if (at == code.size()) break;
    }
    if (!code[at].is("const") && !code[at].is("constexpr")) continue;
    const std::size_t names = end_of_integer_type(code, at + 1);
    if (names == at + 1) continue;
    at = names + end_of_statement(code.subspan(names));
    const std::size_t before = constants.size();
    for (const Tokens one : split(code.subspan(names, at - names), ",")) {
      if (one.size() >= 3 && one[0].is_name() && one[1].is("=")) {
        constants.push_back({{std::string(one[0].text), one.subspan(2), one[0].at}, of_template});
      } else if (constants.size() > before && !one.empty()) {  // "WARPS = THREADS<BM, BN> / 32"
        Tokens& value = constants.back().constant.value;
        value = Tokens(value.data(), one.data() + one.size());
      }
    }
  }
  return constants;
}

}  // namespace

File::File(std::string_view source) : text(source) {
  for (const Token& token : tokens_of(source)) {
    if (token.kind == Token::Kind::comment) continue;
    (token.directive > 0 ? directive_tokens : code).push_back(token);
  }
  const Tokens all = directive_tokens;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].directive == all[begin].directive) ++end;
    directives.push_back(all.subspan(begin, end - begin));
    if (auto macro = macro_of(directives.back())) macros.push_back(std::move(*macro));
  }
  functions = functions_in(code, directives);
  for (const FoundConstant& found : all_constants_in(code)) {
    if (!found.of_template) continue;
    std::vector<std::string> names;
    for (const Parameter& one : parameters_of(*found.of_template)) names.push_back(one.name);
    macros.push_back({found.constant.name, true, true, std::move(names), found.constant.value,
                      found.constant.at});
  }
}

const Function* File::find_kernel(std::string_view name_expression) const {
  const std::string name = without_template_arguments(name_expression);
  const auto found = std::ranges::find_if(
      functions, [&](const Function& one) { return one.is_kernel && one.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

std::vector<Constant> constants_in(Tokens code) {
  std::vector<Constant> constants;
  for (FoundConstant& found : all_constants_in(code)) {
    if (!found.of_template) constants.push_back(std::move(found.constant));
  }
  return constants;
}

int bytes_of_type(Tokens type) {
  static const std::map<std::string_view, int> bytes = {
      {"char", 1},         {"bool", 1},     {"int8_t", 1},        {"uint8_t", 1},
      {"short", 2},        {"half", 2},     {"__half", 2},        {"float", 4},
      {"int", 4},          {"unsigned", 4}, {"__nv_bfloat16", 2}, {"nv_bfloat16", 2},
      {"uint", 4},         {"int32_t", 4},  {"uint32_t", 4},      {"half2", 4},
      {"__half2", 4},      {"long", 8},     {"int64_t", 8},       {"size_t", 8},
      {"double", 8},       {"float2", 8},   {"int2", 8},          {"float4", 16},
      {"int4", 16},        {"uint4", 16},   {"double2", 16},      {"__nv_fp8_e4m3", 1},
      {"__nv_fp8_e5m2", 1}};
  if (has(type, "<")) return 0;
  int result = 0;
  for (const Token& token : type) {
    const auto known = bytes.find(token.text);
    if (known == bytes.end()) continue;
    result = token.is("int") && result > 0 ? result : known->second;  // long int, unsigned int
  }
  return result;
}

namespace {

// Adds the members of "int width, height;". A later name of the list has the type of the first.
void add_members(Struct& one, Tokens declaration, bool& is_known) {
  Tokens type;
  for (const Tokens member : split(declaration, ",")) {
    std::string name = name_of(member);
    if (name.empty()) continue;
    if (type.empty()) type = member;
    Member added{.name = name, .is_pointer = has(member, "*")};
    added.is_float = has(type, "float");
    for (std::size_t i = 0; added.is_pointer && i < find(type, "*"); ++i) {
      if (!type[i].is("const") && !type[i].is("volatile"))
        added.element += (added.element.empty() ? "" : " ") + std::string(type[i].text);
    }
    added.bytes = added.is_pointer ? 8 : bytes_of_type(type);
    is_known = is_known && added.bytes > 0 && !has(member, "[");
    const int unit = std::max(added.bytes, 1);
    added.offset = (one.bytes + unit - 1) / unit * unit;
    one.bytes = added.offset + added.bytes;
    one.layout.push_back(std::move(added));
    one.members.push_back(std::move(name));
  }
}

}  // namespace

// The declarations without those of functions.
std::vector<Tokens> data_members(Tokens members) {
  std::vector<Tokens> result;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < members.size(); ++at) {
    const Token& token = members[at];
    if (token.is(";")) {
      const Tokens declared = members.subspan(begin, at - begin);
      const auto value = std::ranges::find_if(
          declared, [](const Token& one) { return one.is("=") || one.is("{"); });
      static const std::set<std::string_view> others = {"static",   "using",  "typedef", "enum",
                                                        "friend",   "struct", "class",   "union",
                                                        "template", "public", "private"};
      const bool is_data = !declared.empty() && !has(declared, "(") && !has(declared, "operator") &&
                           !others.contains(declared.front().text);
      if (is_data)
        result.push_back(declared.first(static_cast<std::size_t>(value - declared.begin())));
      begin = at + 1;
    } else if (token.is("(") || token.is("{")) {
      at = std::min(closing(members, at), members.size() - 1);
      const bool is_value = at + 1 < members.size() && members[at + 1].is(";");
      if (token.is("{") && !is_value) begin = at + 1;
    }
  }
  return result;
}

bool may_be_struct(const Parameter& parameter) {
  return !parameter.type && std::ranges::none_of(parameter.tokens, [](const Token& token) {
    return token.is("*") || token.is("[") || token.is("float") || token.is("double") ||
           token.is("bool");
  });
}

std::vector<Struct> structs_in(Tokens code) {
  const std::vector<std::size_t> closings = closings_of(code);
  std::vector<Struct> structs;
  for (std::size_t at = 0; at + 2 < code.size(); ++at) {
    if (!code[at].is("struct")) continue;
    const bool has_name = code[at + 1].is_name() && code[at + 2].is("{");
    if (!has_name && !code[at + 1].is("{")) continue;
    const std::size_t open = at + (has_name ? 2 : 1), close = closings[open];
    if (close >= code.size()) continue;
    const Tokens inside = code.subspan(open + 1);
    const auto end = inside.begin() + static_cast<std::ptrdiff_t>(close - open - 1);
    const Tokens members = inside.first(close - open - 1);
    // typedef struct {…} Matrix;
    const bool is_named_after =
        at > 0 && code[at - 1].is("typedef") && end + 1 != inside.end() && (end + 1)->is_name();
    if (!has_name && !is_named_after) continue;
    Struct& one = structs.emplace_back();
    one.name = is_named_after ? (end + 1)->text : code[at + 1].text;
    bool is_known = true;
    for (const Tokens declared : data_members(members)) add_members(one, declared, is_known);
    int unit = 1;
    for (const Member& member : one.layout) unit = std::max(unit, member.bytes);
    one.bytes = (one.bytes + unit - 1) / unit * unit;
    if (!is_known) one.layout.clear();
    at = open;  // there may be structs in it
  }
  return structs;
}

std::string without_template_arguments(std::string_view name_expression) {
  std::string name(name_expression.substr(0, name_expression.find('<')));
  std::erase_if(name, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  return name;
}

std::string without_host_functions(std::string_view source) {
  const File file(source);
  std::string result(source);
  const auto at = [&](std::size_t place) { return result.begin() + place; };
  for (const Function& function : file.functions) {
    if (!function.is_host) continue;
    const auto is_kept = [](char c) { return c == '\n'; };
    std::replace_if(at(function.begin), at(function.end), std::not_fn(is_kept), ' ');
  }
  for (const Tokens line : file.directives) {
    if (has(line, "pragma")) continue;
    const std::size_t begin = line.front().at, length = line.back().end() - begin;
    result.replace(begin, length, source.substr(begin, length));
  }
  return result;
}

std::string without_c_linkage(std::string_view source) {
  std::string result(source);
  if (source.find("extern") == source.npos) return result;
  const File file(source);
  const Tokens code = file.code;
  const auto blank = [&](const Token& token) {
    std::fill_n(result.begin() + static_cast<std::ptrdiff_t>(token.at), token.text.size(), ' ');
  };
  for (std::size_t at = 0; at + 2 < code.size(); ++at) {
    if (!code[at].is("extern") || !code[at + 1].is("\"C\"")) continue;
    const Tokens after = code.subspan(at + 2);
    const bool is_block = after.front().is("{");
    const std::size_t end =
        is_block ? closing(after, 0) : std::min(find(after, "{"), find(after, ";"));
    const Tokens declared = after.first(std::min(end, after.size()));
    if (end >= after.size() || !has(declared, "__global__") || has(declared, "__device__"))
      continue;
    blank(code[at]);
    blank(code[at + 1]);
    if (is_block) blank(after.front());
    if (is_block) blank(after[end]);
  }
  return result;
}

}  // namespace gemm_tutor::source
