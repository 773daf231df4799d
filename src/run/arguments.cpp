#include "run/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr const char* names_help =
    "Say what each of the kernel's parameters is, in its order, with --args: some of A, B, C, M, "
    "N, K, and plain numbers such as 1.0 for others (alpha, beta).";

Error wrong_list(std::string_view list, std::string_view why, std::string help = names_help) {
  return {ExitStatus::usage, fmt::format("--args '{}': {}", list, why), std::move(help)};
}

std::string in_capitals(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

// Whatever is written in full as one: "-1", "1.0", "1e-3"; neither "inf" nor "1.0f".
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

Argument argument_named(std::string_view name, std::string_view list) {
  if (const auto role = role_named(name)) return {*role};
  if (as_number<double>(name)) return {Role::number, std::string(name)};
  const std::string why = fmt::format("'{}' is none of A, B, C, M, N, K, and no number", name);
  if (!role_named(in_capitals(std::string(name)))) throw wrong_list(list, why);
  throw wrong_list(list, why,
                   fmt::format("The names are capitals, A, B, C, M, N, K: --args {}.",
                               in_capitals(std::string(list))));
}

// --- What fits a parameter ---

// A parameter and what --args gives it.
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
  std::string type() const {
    const auto& types = signature.types;
    if (types.size() == signature.bytes.size()) return types[index];
    return ptx() == "f32" ? "float" : ptx() == "f64" ? "double" : "";
  }
  bool is_pointer() const { return type().ends_with('*'); }
};

WrongParameters misfit(const Place& place, const std::string& what, std::string help = names_help) {
  return {ExitStatus::usage,
          fmt::format("parameter {} of {} {}, which {} does not fit", place.index + 1,
                      place.signature.kernel, what, place.argument().text()),
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

// Such as "double const*".
bool points_to_other_numbers(const std::string& type) {
  constexpr std::array others = {
      "bool",           "char",          "signed char",   "unsigned char",
      "short",          "int",           "long",          "long long",
      "unsigned short", "unsigned int",  "unsigned long", "unsigned long long",
      "double",         "double2",       "double4",       "__half",
      "__half2",        "__nv_bfloat16", "__nv_bfloat162"};
  std::string pointed = type.substr(0, type.size() - 1);
  constexpr std::string_view constant = " const";
  if (pointed.ends_with(constant)) pointed.resize(pointed.size() - constant.size());
  return std::ranges::count(others, pointed) > 0;
}

void check_matrix(const Place& place) {
  if (place.bytes() != 8) throw wrong_width(place);
  const bool is_number = place.is_integer() && !place.type().empty() && !place.is_pointer();
  if (place.is_floating() || is_number) throw wrong_type(place);
  if (place.is_pointer() && points_to_other_numbers(place.type())) {
    throw wrong_type(place, "The matrices are FP32: make the parameter a float*.");
  }
}

// The same list with a number in this place.
std::string with_number(const Place& place) {
  std::vector<std::string> texts;
  for (const Argument& argument : place.arguments) texts.push_back(argument.text());
  texts[place.index] = "1.0";
  return join(texts, ",");
}

void check_size_parameter(const Place& place) {
  if (place.is_floating()) {
    throw wrong_type(place, fmt::format("Give what is none of A, B, C, M, N, K a number, as in "
                                        "--args {}.",
                                        with_number(place)));
  }
  if (place.is_pointer()) throw wrong_type(place);
  if (place.bytes() != 4 && place.bytes() != 8) throw wrong_width(place);
}

std::uint64_t integer_bits(const Place& place) {
  const std::string& text = place.argument().number;
  const int bits = 8 * place.bytes();
  const bool is_unsigned = place.type().starts_with("unsigned");
  const bool is_signed = !is_unsigned && !place.type().empty() && place.type() != "char";
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - bits + is_signed);
  if (const auto number = as_number<std::uint64_t>(text); number && *number <= most) {
    return *number;
  }
  const std::int64_t least = is_unsigned ? 0 : -(std::int64_t{1} << (bits - 2)) * 2;
  const auto negative = as_number<std::int64_t>(text);
  if (!negative || *negative >= 0 || *negative < least) {
    throw wrong_type(place, "Give it a whole number that it can hold.");
  }
  return static_cast<std::uint64_t>(*negative);
}

std::uint64_t floating_bits(const Place& place) {
  const double number = as_number<double>(place.argument().number).value_or(0);
  if (place.ptx() == "f64") return std::bit_cast<std::uint64_t>(number);
  const auto rounded = static_cast<float>(number);
  if (!std::isfinite(rounded)) throw wrong_type(place, "Give it a number that it can hold.");
  return std::bit_cast<std::uint32_t>(rounded);
}

std::uint64_t number_bits(const Place& place) {
  if (place.is_floating()) return floating_bits(place);
  if (place.is_pointer() || !place.is_integer()) throw wrong_type(place);
  return integer_bits(place);
}

Parameter match(const Place& place) {
  const Role role = place.argument().role;
  if (role == Role::number) return {role, place.bytes(), number_bits(place)};
  if (is_pointer(role)) {
    check_matrix(place);
  } else {
    check_size_parameter(place);
  }
  return {role, place.bytes()};
}

}  // namespace

std::vector<Argument> parse_arguments(std::string_view list) {
  std::vector<Argument> arguments;
  for (const std::string& part : split(list, ',')) {
    const Argument argument = argument_named(trimmed(part), list);
    if (is_matrix(argument.role) && std::ranges::count(arguments, argument)) {
      throw wrong_list(list, fmt::format("{} is there twice", argument.text()));
    }
    arguments.push_back(argument);
  }
  if (!std::ranges::count(arguments, Argument{Role::c})) {
    throw wrong_list(list, "there is no C to write");
  }
  return arguments;
}

std::string text_of(const std::vector<Argument>& arguments) {
  std::vector<std::string> texts;
  for (const Argument& argument : arguments) texts.push_back(argument.text());
  return join(texts);
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

}  // namespace gemm_tutor
