#include "run/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "run/launch_shape.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr const char* names_help =
    "Say what each of the kernel's parameters is, in its order, with --args: some of A, B, C, M, "
    "N, K, alpha, beta, Cin for what C held in an array of its own, and for others numbers such as "
    "1.0, or expressions such as 'M * K'.";

Error wrong_list(std::string_view list, std::string_view why, std::string help = names_help) {
  return {ExitStatus::usage, fmt::format("--args '{}': {}", list, why), std::move(help)};
}

std::string in_capitals(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

// Parses a number: "-1", "1.0", "1e-3", but not "inf" or "1.0f".
template <class Number>
std::optional<Number> as_number(std::string_view text) {
  const bool has_digits = text.find_first_not_of("+-.0123456789eE") == text.npos;
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!has_digits || error != std::errc() || stop != text.data() + text.size()) return {};
  return number;
}

std::optional<Role> role_named(std::string_view name) {
  const auto found =
      std::ranges::find(role_names, name, &std::pair<Role, std::string_view>::second);
  return found == std::end(role_names) ? std::nullopt : std::optional(found->first);
}

// Of M, N and K, at least one of them.
bool is_expression(std::string_view text) {
  return text.find_first_of("MNK") != text.npos &&
         grid_extent(std::string(text), {64, 64, 64}, 0).has_value();
}

// The parts between commas that are not in braces.
std::vector<std::string> parts_of(std::string_view list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) part = trimmed(part);
  return parts;
}

// Of a struct: without those of an empty one.
std::vector<std::string> members_in(const Argument& argument) {
  return argument.number.empty() ? std::vector<std::string>() : parts_of(argument.number);
}

Argument argument_named(std::string_view name, std::string_view list) {
  if (const auto role = role_named(name)) return {*role};
  if (name.starts_with('{') && name.ends_with('}')) {
    const Argument members{Role::members, std::string(name.substr(1, name.size() - 2))};
    for (const std::string& one : members_in(members)) argument_named(one, list);
    return members;
  }
  if (as_number<double>(name) || is_expression(name)) return {Role::number, std::string(name)};
  if (const std::size_t equals = name.find('='); equals != name.npos) {  // in a struct
    const auto role = role_named(name.substr(0, equals));
    const std::string_view value = name.substr(equals + 1);
    if (role && is_scale(*role) && as_number<double>(value)) return {*role, std::string(value)};
  }
  const std::string why =
      fmt::format("'{}' is neither one of A, B, C, M, N, K, alpha, beta nor a number", name);
  if (!role_named(in_capitals(std::string(name)))) throw wrong_list(list, why);
  throw wrong_list(list, why,
                   fmt::format("The names are capitals, A, B, C, M, N, K: --args {}.",
                               in_capitals(std::string(list))));
}

// --- What fits a parameter ---

// A parameter and its argument.
struct Place {
  const Signature& signature;
  const std::vector<Argument>& arguments;
  std::size_t index;

  const Argument& argument() const { return arguments[index]; }
  int bytes() const { return signature.bytes[index]; }
  bool has_ptx() const { return signature.ptx.size() == signature.bytes.size(); }
  std::string ptx() const { return has_ptx() ? signature.ptx[index] : ""; }
  bool is_floating() const { return ptx() == "f32" || ptx() == "f64"; }
  bool is_integer() const { return !ptx().empty() && !is_floating(); }
  bool is_half() const { return gemm_tutor::is_half(type()); }
  std::string type() const {
    const auto& types = signature.types;
    if (types.size() == signature.bytes.size()) return types[index];
    return ptx() == "f32" ? "float" : ptx() == "f64" ? "double" : "";
  }
  bool is_pointer() const { return type().find('*') != std::string::npos; }
  std::string given() const {
    const Argument& a = argument();
    return is_scale(a.role) ? fmt::format("{} = {}", name_of(a.role), a.number) : a.text();
  }
};

WrongParameters misfit(const Place& place, const std::string& what, std::string help = names_help) {
  return {ExitStatus::usage,
          fmt::format("parameter {} of {} {}, which {} does not fit", place.index + 1,
                      place.signature.kernel, what, place.given()),
          std::move(help)};
}

WrongParameters wrong_width(const Place& place) {
  return misfit(place, fmt::format("has {} bytes", place.bytes()));
}

// "const float*" for "float const*".
std::string as_written(const std::string& type) {
  constexpr std::string_view end = " const*";
  if (!type.ends_with(end)) return type;
  return fmt::format("const {}*", type.substr(0, type.size() - end.size()));
}

WrongParameters wrong_type(const Place& place, std::string help = names_help) {
  if (place.type().empty()) return wrong_width(place);
  return misfit(place, fmt::format("is of type '{}'", as_written(place.type())), std::move(help));
}

// Such as "short const*".
bool points_to_other_numbers(const std::string& type) {
  constexpr std::string_view others[] = {"bool",          "char",          "signed char",
                                         "unsigned char", "short",         "int",
                                         "long",          "long long",     "unsigned short",
                                         "unsigned int",  "unsigned long", "unsigned long long"};
  return std::ranges::count(others, pointed_type(type)) > 0;
}

// C may be a sum of whole numbers, and A and B may not; only factors may be of one byte.
bool may_be(Scalar element, Role role) {
  const bool is_factor = role == Role::a || role == Role::b;
  return is_factor ? element != Scalar::s32 : bytes_of(element) > 1;
}

// The struct's members, if they are known.
const std::vector<source::Member>& layout_of(const Signature& signature, std::size_t index) {
  static const std::vector<source::Member> none;
  return index < signature.members.size() ? signature.members[index] : none;
}

// The members of a struct that describes a matrix; numbers that are no sizes are 0.
std::vector<Parameter> members_of(const Place& place) {
  if (!is_matrix_struct(layout_of(place.signature, place.index))) return {};
  const Role role = place.argument().role;
  std::vector<Parameter> result;
  for (const source::Member& member : place.signature.members[place.index]) {
    Parameter one{.role = Role::number, .bytes = member.bytes, .offset = member.offset};
    one.role = member.is_pointer ? role : size_of_member(role, member.name).value_or(Role::number);
    if (member.is_pointer) one.element = pointed_scalar(member.element + "*").value_or(Scalar::f32);
    result.push_back(one);
  }
  return result;
}

// Returns the type of the matrix. What points to nothing known is taken for FP32.
Scalar check_matrix(const Place& place) {
  if (place.bytes() != 8) throw wrong_width(place);
  const bool is_number = place.is_integer() && !place.type().empty() && !place.is_pointer();
  if (place.is_floating() || is_number) throw wrong_type(place);
  const std::optional<Scalar> element = pointed_scalar(place.type());
  if (element && may_be(*element, place.argument().role)) return *element;
  if (place.is_pointer() && points_to_other_numbers(place.type())) {
    throw wrong_type(place,
                     "A and B can be of float, double, __half, __nv_bfloat16, __nv_fp8_e4m3, "
                     "__nv_fp8_e5m2, signed or unsigned char, and C of float, double, __half, "
                     "__nv_bfloat16 or int.");
  }
  return Scalar::f32;
}

// The same list with a number at this index.
std::string with_number(const Place& place) {
  std::vector<std::string> texts;
  for (const Argument& argument : place.arguments) texts.push_back(argument.text());
  texts[place.index] = "1.0";
  return join(texts, ",");
}

void check_size_parameter(const Place& place) {
  if (place.is_floating()) {
    throw wrong_type(
        place, fmt::format("Give a number for what is not A, B, C, M, N or K, as in --args {}.",
                           with_number(place)));
  }
  if (place.is_pointer()) throw wrong_type(place);
  if (place.bytes() != 4 && place.bytes() != 8) throw wrong_width(place);
}

struct Number {
  std::uint64_t bits = 0;
  double value = 0;
};

Number integer(const Place& place) {
  const std::string& text = place.argument().number;
  const int bits = 8 * place.bytes();
  const bool is_unsigned = place.type().starts_with("unsigned");
  const bool is_signed = !is_unsigned && !place.type().empty() && place.type() != "char";
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - bits + is_signed);
  if (const auto number = as_number<std::uint64_t>(text); number && *number <= most) {
    return {*number, static_cast<double>(*number)};
  }
  const std::int64_t least = is_unsigned ? 0 : -(std::int64_t{1} << (bits - 2)) * 2;
  const auto negative = as_number<std::int64_t>(text);
  if (!negative || *negative >= 0 || *negative < least) {
    throw wrong_type(place, "Give it a whole number that it can hold.");
  }
  return {static_cast<std::uint64_t>(*negative), static_cast<double>(*negative)};
}

WrongParameters too_large(const Place& place) {
  return wrong_type(place, "Give it a number that it can hold.");
}

Number floating(const Place& place, double number) {
  if (place.ptx() == "f64") return {std::bit_cast<std::uint64_t>(number), number};
  const auto rounded = static_cast<float>(number);
  if (!std::isfinite(rounded)) throw too_large(place);
  return {std::bit_cast<std::uint32_t>(rounded), rounded};
}

Number half(const Place& place, double number) {
  const Scalar element = place.type() == "__half" ? Scalar::f16 : Scalar::bf16;
  const float value = rounded(static_cast<float>(number), element);
  if (!std::isfinite(value)) throw too_large(place);
  return {bits_of(value, element), value};
}

Number number(const Place& place) {
  const double written = as_number<double>(place.argument().number).value_or(0);
  if (place.is_floating()) return floating(place, written);
  if (place.is_half()) return half(place, written);
  if (place.is_pointer() || !place.is_integer()) throw wrong_type(place);
  return integer(place);
}

Parameter match(const Place& place);

// A struct without members has one byte.
bool is_empty_struct(const Signature& signature, std::size_t index) {
  return index < signature.ptx.size() && signature.ptx[index].empty() &&
         signature.bytes[index] == 1;
}

Parameter match_members(const Place& place) {
  Parameter result{.role = Role::members, .bytes = place.bytes()};
  const std::vector<source::Member>& layout = layout_of(place.signature, place.index);
  const std::vector<std::string> given = members_in(place.argument());
  if (layout.size() != given.size() ||
      (given.empty() && !is_empty_struct(place.signature, place.index))) {
    throw misfit(place, layout.empty() ? "is no struct whose members are known"
                                       : fmt::format("is a struct with {} members", layout.size()));
  }
  Signature members;
  members.kernel = place.signature.kernel;
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const source::Member& one = layout[i];
    const bool is_floating = one.is_float && !one.is_pointer;
    members.bytes.push_back(one.bytes);
    members.ptx.push_back((is_floating ? "f" : "u") + std::to_string(8 * one.bytes));
    members.types.push_back(one.is_pointer   ? one.element + "*"
                            : is_floating    ? "float"
                            : one.bytes == 8 ? "long"
                                             : "int");
    arguments.push_back(argument_named(given[i], place.argument().text()));
  }
  for (std::size_t i = 0; i < layout.size(); ++i) {
    result.members.push_back(match({members, arguments, i}));
    result.members.back().offset = layout[i].offset;
  }
  return result;
}

Parameter match(const Place& place) {
  const Role role = place.argument().role;
  if (role == Role::members) return match_members(place);
  const std::string& given = place.argument().number;
  if (role == Role::number && !as_number<double>(given) && is_expression(given)) {
    check_size_parameter(place);
    return {.role = role, .bytes = place.bytes(), .expression = given};
  }
  if (takes_number(role)) {
    const Number seen = number(place);
    return {role, place.bytes(), seen.bits, seen.value};
  }
  if (std::vector<Parameter> members = members_of(place); is_matrix(role) && !members.empty()) {
    Parameter result{.role = role, .bytes = place.bytes(), .members = std::move(members)};
    return result;
  }
  Parameter result{role, place.bytes()};
  if (is_pointer(role)) {
    result.element = check_matrix(place);
  } else {
    check_size_parameter(place);
  }
  return result;
}

// --- Which parameter is which, by their names ---

// Removes common marks of pointers to GPU memory: "d_A", "A_dev", "matA".
std::string unmarked(std::string name) {
  for (const std::string_view mark : {"D_", "DEV_", "DEVICE_", "DEVICE", "DEV", "G_", "GPU_", "GPU",
                                      "MATRIX_", "MATRIX", "MAT_", "MAT", "PTR_", "P_", "D"}) {
    if (name.starts_with(mark)) return name.substr(mark.size());
  }
  for (const std::string_view mark :
       {"_D", "_DEV", "_DEVICE", "DEVICE", "_G", "_GPU", "GPU", "_MATRIX", "_MAT", "_PTR"}) {
    if (name.ends_with(mark)) return name.substr(0, name.size() - mark.size());
  }
  return name;
}

// If the type is not known, any is accepted.
bool may_be(const Place& place, Role role) {
  const bool is_integer = place.is_integer() && !place.is_pointer();
  if (is_scale(role)) return place.is_floating() || place.is_half() || is_integer;
  if (is_matrix_struct(layout_of(place.signature, place.index))) return is_matrix(role);
  if (place.is_floating() || place.ptx().empty()) return false;
  const bool is_known = !place.type().empty();
  if (is_pointer(role)) return place.bytes() == 8 && (!is_known || place.is_pointer());
  return !is_known || !place.is_pointer();
}

// Returns nothing if the name does not tell the role.
std::vector<std::optional<Argument>> roles_by_name(const Signature& signature) {
  const std::vector<Argument> none(signature.bytes.size());
  std::vector<std::optional<Argument>> roles;
  for (std::size_t i = 0; i < signature.names.size(); ++i) {
    std::optional<Argument> argument = members_by_name(signature, i);
    const std::optional<Role> role = role_of_name(signature.names[i]);
    if (!argument && role && may_be({signature, none, i}, *role)) argument = Argument{*role};
    const bool is_twice =
        argument && argument->role != Role::members && std::ranges::count(roles, argument) > 0;
    if (is_twice) argument.reset();
    roles.push_back(std::move(argument));
  }
  return roles;
}

// With the members of structs.
bool has_c(const std::vector<Argument>& arguments) {
  return std::ranges::any_of(arguments, [](const Argument& one) {
    return one.role == Role::c ||
           (one.role == Role::members && std::ranges::count(members_in(one), "C") > 0);
  });
}

bool fit(const std::vector<Argument>& arguments, const Signature& signature) {
  if (arguments.size() != signature.bytes.size()) return false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!may_be({signature, arguments, i}, arguments[i].role)) return false;
  }
  return true;
}

// By their names, else the usual ones if they fit.
std::vector<Argument> likely_arguments(const Signature& signature) {
  if (auto arguments = arguments_by_name(signature)) return *arguments;
  const std::vector<std::optional<Argument>> roles = roles_by_name(signature);
  if (roles.empty() || fit(usual_arguments, signature)) return usual_arguments;
  const auto unknown = std::ranges::find(roles, std::optional<Argument>());
  const auto place = unknown - roles.begin();
  const std::string why =
      unknown == roles.end()
          ? fmt::format("{} has no parameter named C", signature.kernel)
          : fmt::format(
                "parameter {} of {}, '{}', does not say by its name and type which of A, B, "
                "C, M, N, K, alpha, beta it is",
                place + 1, signature.kernel, signature.names[place]);
  throw WrongParameters(ExitStatus::usage, why, names_help);
}

// Sets the role's arguments to the given value, or to the default.
void give_value(std::vector<Argument>& arguments, Role role,
                const std::optional<std::string>& given, const char* usual,
                const Signature& signature) {
  const std::string_view name = name_of(role);
  bool is_there = false;
  for (Argument& argument : arguments) {
    if (argument.role == Role::members) {  // "alpha" becomes "alpha=1"
      std::vector<std::string> members = members_in(argument);
      for (std::string& one : members) {
        if (one != name) continue;
        is_there = true;
        one += fmt::format("={}", given.value_or(usual));
      }
      argument.number = join(members, ",");
    }
    if (argument.role != role) continue;
    is_there = true;
    if (given && !argument.number.empty()) {
      throw WrongParameters(
          ExitStatus::usage,
          fmt::format("--args gives {} the value {}, and --{} {}", name, argument.number, name,
                      *given),
          fmt::format("Give it once: leave --{} out, or write {} in --args.", name, name));
    }
    if (argument.number.empty()) argument.number = given.value_or(usual);
  }
  if (is_there || !given) return;
  throw WrongParameters(
      ExitStatus::usage,
      fmt::format("{} has no parameter named {}, which --{} {} is for", signature.kernel, name,
                  name, *given),
      fmt::format("Leave --{} out, or say with --args which parameter it is, as in --args "
                  "M,N,K,alpha,A,B,beta,C.",
                  name));
}

void add_scales(Update& update, const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) {
    if (parameter.role == Role::alpha) update.alpha = parameter.value;
    if (parameter.role == Role::beta) update.beta = parameter.value;
    if (parameter.role == Role::read_c) update.reads_another_c = true;
    if (parameter.role == Role::a) update.types.a = parameter.element;
    if (parameter.role == Role::b) update.types.b = parameter.element;
    if (parameter.role == Role::c) update.types.c = parameter.element;
    add_scales(update, parameter.members);
  }
}

// The matrix of a struct's pointer by a usual name of an operand: "lhs", "weights", "out". Only
// where the struct has three pointers.
std::optional<Role> likely_matrix(const std::string& name) {
  static const std::map<std::string, Role, std::less<>> known = {
      {"LHS", Role::a},     {"LEFT", Role::a},  {"X", Role::a},   {"INPUT", Role::a},
      {"RHS", Role::b},     {"RIGHT", Role::b}, {"W", Role::b},   {"WEIGHT", Role::b},
      {"WEIGHTS", Role::b}, {"DST", Role::c},   {"OUT", Role::c}, {"OUTPUT", Role::c},
      {"RESULT", Role::c},  {"Y", Role::c},     {"D", Role::c}};
  for (const std::string& text : {in_capitals(name), unmarked(in_capitals(name))}) {
    if (const auto found = known.find(text); found != known.end()) return found->second;
  }
  return {};
}

}  // namespace

std::optional<Role> role_of_name(const std::string& name) {
  const std::string capitals = in_capitals(name), bare = unmarked(capitals);
  for (const auto& [role, of_role] : role_names) {
    const std::string wanted = in_capitals(std::string(of_role));
    if (capitals == wanted || (is_pointer(role) && bare == wanted)) return role;
  }
  return {};
}

std::optional<Role> likely_size(const std::string& name) {
  std::string text = in_capitals(name);
  std::erase(text, '_');
  for (const std::string_view word : {"NUM", "MATRIX", "MAT", "SIZE", "DIM", "OF"}) {
    if (const std::size_t at = text.find(word); at != text.npos) text.erase(at, word.size());
  }
  static const std::map<std::string, Role, std::less<>> known = {
      {"M", Role::m},        {"N", Role::n},      {"K", Role::k},        {"NI", Role::m},
      {"NJ", Role::n},       {"NK", Role::k},     {"LDA", Role::k},      {"LDB", Role::n},
      {"LDC", Role::n},      {"HA", Role::m},     {"WA", Role::k},       {"HB", Role::k},
      {"WB", Role::n},       {"HC", Role::m},     {"WC", Role::n},       {"AROWS", Role::m},
      {"ACOLUMNS", Role::k}, {"ACOLS", Role::k},  {"BROWS", Role::k},    {"BCOLUMNS", Role::n},
      {"BCOLS", Role::n},    {"CROWS", Role::m},  {"CCOLUMNS", Role::n}, {"CCOLS", Role::n},
      {"ROWSA", Role::m},    {"COLSA", Role::k},  {"ROWSB", Role::k},    {"COLSB", Role::n},
      {"ROWSC", Role::m},    {"COLSC", Role::n},  {"ROWS", Role::m},     {"COLS", Role::n},
      {"HEIGHT", Role::m},   {"WIDTH", Role::n},  {"STRIDEA", Role::k},  {"STRIDEB", Role::n},
      {"STRIDEC", Role::n},  {"PITCHA", Role::k}, {"PITCHB", Role::n},   {"PITCHC", Role::n},
      {"INNER", Role::k},    {"CNROWS", Role::m}, {"CNCOLS", Role::n},   {"ANCOLS", Role::k},
      {"ANROWS", Role::m},   {"BNROWS", Role::k}, {"BNCOLS", Role::n}};
  const auto found = known.find(text);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Role> size_of_member(Role matrix, const std::string& name) {
  const std::string capitals = in_capitals(name);
  const auto is = [&](std::string_view word) { return capitals == word; };
  const auto has = [&](std::string_view word) { return capitals.find(word) != capitals.npos; };
  if (has("HEIGHT") || has("ROW") || is("H") || is("M") || is("Y"))
    return matrix == Role::b ? Role::k : Role::m;
  if (has("WIDTH") || has("COL") || has("STRIDE") || has("PITCH") || is("LD") || is("W") ||
      is("N") || is("X"))
    return matrix == Role::a ? Role::k : Role::n;
  return {};
}

bool is_matrix_struct(const std::vector<source::Member>& members) {
  return std::ranges::count(members, true, &source::Member::is_pointer) == 1;
}

std::optional<Argument> members_by_name(const Signature& signature, std::size_t index) {
  const std::vector<source::Member>& layout = layout_of(signature, index);
  if (is_empty_struct(signature, index)) return Argument{Role::members};
  if (layout.empty() || is_matrix_struct(layout)) return {};
  const bool is_integers = std::ranges::none_of(
      layout, [](const source::Member& one) { return one.is_pointer || one.is_float; });
  if (is_integers && layout.size() == 3 && layout[0].name == "x")
    return Argument{Role::members, "M,N,K"};
  const bool has_three = std::ranges::count(layout, true, &source::Member::is_pointer) == 3;
  std::vector<std::string> roles;
  for (const source::Member& member : layout) {
    auto role = role_of_name(member.name);
    if (!role) role = likely_size(member.name);
    if (!role && member.is_pointer && has_three) role = likely_matrix(member.name);
    if (is_integers && role && is_matrix(*role)) {  // of a batch
      roles.emplace_back(*role == Role::a ? "M * K" : *role == Role::b ? "K * N" : "M * N");
      continue;
    }
    const bool fits = role && (member.is_pointer ? is_matrix(*role)
                               : member.is_float ? is_scale(*role)
                                                 : is_size(*role));
    if (!fits || (member.is_pointer && std::ranges::count(roles, name_of(*role)) > 0)) return {};
    roles.emplace_back(name_of(*role));
  }
  return Argument{Role::members, join(roles, ",")};
}

std::optional<std::vector<Argument>> arguments_by_name(const Signature& signature) {
  std::vector<Argument> arguments;
  for (const std::optional<Argument>& argument : roles_by_name(signature)) {
    if (!argument) return {};
    arguments.push_back(*argument);
  }
  return has_c(arguments) ? std::optional(std::move(arguments)) : std::nullopt;
}

std::vector<Argument> parse_arguments(std::string_view list) {
  std::vector<Argument> arguments;
  for (const std::string& part : parts_of(list)) {
    const Argument argument = argument_named(part, list);
    if (is_matrix(argument.role) && std::ranges::count(arguments, argument)) {
      throw wrong_list(list, fmt::format("{} is there twice", argument.text()));
    }
    arguments.push_back(argument);
  }
  if (!has_c(arguments)) throw wrong_list(list, "there is no C to write");
  return arguments;
}

std::string parse_number(std::string_view option, std::string_view text) {
  if (as_number<double>(text)) return std::string(text);
  throw Error(ExitStatus::usage, fmt::format("{} '{}' is not a number", option, text),
              fmt::format("Give a number in digits, as in {} 0.5.", option));
}

std::string text_of(const std::vector<Argument>& arguments) {
  std::vector<std::string> texts;
  for (const Argument& argument : arguments) texts.push_back(argument.text());
  return join(texts);
}

std::vector<Argument> resolve(std::vector<Argument> arguments, const Scales& scales,
                              const Signature& signature) {
  if (arguments.empty()) arguments = likely_arguments(signature);
  for (std::size_t i = 0; i < std::min(arguments.size(), signature.names.size()); ++i) {
    const std::optional<Role> role = role_of_name(signature.names[i]);
    if (arguments[i].role == Role::number && role && is_scale(*role)) arguments[i].role = *role;
  }
  give_value(arguments, Role::alpha, scales.alpha, "1", signature);
  give_value(arguments, Role::beta, scales.beta, "0", signature);
  return arguments;
}

std::vector<Parameter> match(const std::vector<Argument>& arguments, const Signature& signature) {
  const std::size_t count = signature.bytes.size();
  if (arguments.size() != count) {
    throw WrongParameters(
        ExitStatus::usage,
        fmt::format("{} has {} parameter{}, not the {} of {}", signature.kernel, count,
                    count == 1 ? "" : "s", arguments.size(), text_of(arguments)),
        names_help);
  }
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < count; ++i) parameters.push_back(match({signature, arguments, i}));
  return parameters;
}

Update update_of(const std::vector<Parameter>& parameters, std::optional<InitialC> c) {
  Update update;
  add_scales(update, parameters);
  const bool reads_c = update.beta || update.reads_another_c;
  update.c = c.value_or(reads_c ? InitialC::random : InitialC::poison);
  if (update.c == InitialC::poison && update.reads_another_c)
    throw Error(ExitStatus::usage, "with --c poison Cin holds nothing that the kernel could add",
                "Leave --c out, or give Cin random numbers or zeros with --c random or --c zero.");
  if (update.c != InitialC::poison || update.beta.value_or(0) == 0) return update;
  throw Error(ExitStatus::usage,
              fmt::format("beta is {}, and with --c poison C holds nothing that it could scale",
                          *update.beta),
              "Leave --c out, or give C random numbers or zeros with --c random or --c zero.");
}

}  // namespace gemm_tutor
