#include "source/integer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "support/text.hpp"

namespace gemm_tutor::source {
namespace {

constexpr IntegerType int_type{}, bool_type{1, true}, unsigned_type{32, true};

IntegerType promoted(IntegerType type) { return type.bits < 32 ? int_type : type; }

IntegerType common_type(IntegerType a, IntegerType b) {
  a = promoted(a), b = promoted(b);
  if (a.bits != b.bits) return a.bits > b.bits ? a : b;
  return {a.bits, a.is_unsigned || b.is_unsigned};
}

// For a signed type: nothing if the value is out of range.
std::optional<Integer> result(std::int64_t value, IntegerType type) {
  const Integer kept = Integer{value, {64, false}}.as(type);
  if (!type.is_unsigned && kept.value != value) return {};
  return kept;
}

std::optional<Integer> sum_or_product(char operation, Integer a, Integer b) {
  if (a.type.is_unsigned) {
    const auto x = static_cast<std::uint64_t>(a.value), y = static_cast<std::uint64_t>(b.value);
    const std::uint64_t value = operation == '+' ? x + y : operation == '-' ? x - y : x * y;
    return result(static_cast<std::int64_t>(value), a.type);
  }
  std::int64_t value = 0;
  const bool overflows = operation == '+'   ? __builtin_add_overflow(a.value, b.value, &value)
                         : operation == '-' ? __builtin_sub_overflow(a.value, b.value, &value)
                                            : __builtin_mul_overflow(a.value, b.value, &value);
  return overflows ? std::nullopt : result(value, a.type);
}

std::optional<Integer> quotient(char operation, Integer a, Integer b) {
  if (b.value == 0) return {};
  if (a.type.is_unsigned) {
    const auto x = static_cast<std::uint64_t>(a.value), y = static_cast<std::uint64_t>(b.value);
    return result(static_cast<std::int64_t>(operation == '/' ? x / y : x % y), a.type);
  }
  // In C++, the remainder is undefined if the quotient is.
  if (b.value == -1) {
    const auto negated = sum_or_product('-', {0, a.type}, a);
    return operation == '/' || !negated ? negated : Integer{0, a.type};
  }
  return result(operation == '/' ? a.value / b.value : a.value % b.value, a.type);
}

std::optional<Integer> shifted(char operation, Integer a, Integer b) {
  a = a.as(promoted(a.type));
  if (b.value < 0 || b.value >= a.type.bits) return {};
  const auto by = static_cast<int>(b.value);
  // Since C++20, a left shift discards bits that do not fit, also for signed types.
  if (operation == '<') {
    const auto bits = static_cast<std::uint64_t>(a.value) << by;
    return Integer{static_cast<std::int64_t>(bits), {64, true}}.as(a.type);
  }
  if (!a.type.is_unsigned) return result(a.value >> by, a.type);
  return result(static_cast<std::int64_t>(static_cast<std::uint64_t>(a.value) >> by), a.type);
}

bool is_less(Integer a, Integer b) {
  if (!a.type.is_unsigned) return a.value < b.value;
  return static_cast<std::uint64_t>(a.value) < static_cast<std::uint64_t>(b.value);
}

bool compare(std::string_view operation, Integer a, Integer b) {
  if (operation == "==") return a.value == b.value;
  if (operation == "!=") return a.value != b.value;
  if (operation == "<") return is_less(a, b);
  if (operation == "<=") return !is_less(b, a);
  return operation == ">" ? is_less(b, a) : !is_less(a, b);
}

struct NamedType {
  std::string_view name;
  IntegerType type;
};
constexpr auto named_types = std::to_array<NamedType>({
    {"int", {32, false}},
    {"signed", {32, false}},
    {"signed int", {32, false}},
    {"unsigned", {32, true}},
    {"unsigned int", {32, true}},
    {"uint", {32, true}},
    {"int32_t", {32, false}},
    {"uint32_t", {32, true}},
    {"long", {64, false}},
    {"long int", {64, false}},
    {"unsigned long", {64, true}},
    {"long long", {64, false}},
    {"long long int", {64, false}},
    {"unsigned long long", {64, true}},
    {"int64_t", {64, false}},
    {"uint64_t", {64, true}},
    {"size_t", {64, true}},
    {"ptrdiff_t", {64, false}},
    {"bool", {1, true}},
});

}  // namespace

Integer Integer::as(IntegerType wanted) const {
  if (wanted.bits == 1) return {value != 0, wanted};
  if (wanted.bits == 64) return {value, wanted};
  const auto low = static_cast<std::uint32_t>(static_cast<std::uint64_t>(value));
  return {wanted.is_unsigned ? std::int64_t{low} : std::int64_t{static_cast<std::int32_t>(low)},
          wanted};
}

std::string Integer::text() const {
  if (type.bits == 1) return value != 0 ? "true" : "false";
  return type.is_unsigned ? fmt::format("{}", static_cast<std::uint64_t>(value))
                          : fmt::format("{}", value);
}

std::optional<IntegerType> integer_type(std::string_view name) {
  if (name.starts_with("std::")) name.remove_prefix(5);
  const auto found = std::ranges::find(named_types, name, &NamedType::name);
  return found == named_types.end() ? std::nullopt : std::optional(found->type);
}

std::optional<Integer> integer_literal(std::string_view text) {
  std::string lower = lower_case(text);
  std::erase(lower, '\'');
  const bool hexadecimal = lower.starts_with("0x"), binary = lower.starts_with("0b");
  const std::size_t suffix = lower.find_first_of("ulz", hexadecimal || binary ? 2 : 0);
  const std::string digits = lower.substr(0, suffix);
  const std::string ending = suffix == lower.npos ? "" : lower.substr(suffix);
  const int base = hexadecimal ? 16 : binary ? 2 : digits.size() > 1 && digits[0] == '0' ? 8 : 10;
  const char* first = digits.data() + (base == 16 || base == 2 ? 2 : 0);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(first, digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return {};

  constexpr std::array endings = {"", "u", "l", "ll", "ul", "ull", "lu", "llu"};
  if (!std::ranges::count(endings, ending)) return {};
  IntegerType type{ending.find('l') == ending.npos ? 32 : 64, ending.find('u') != ending.npos};
  const auto fits = [&](IntegerType wanted) {
    return value >> (wanted.bits - (wanted.is_unsigned ? 0 : 1)) == 0;
  };
  if (type == int_type && !fits(type) && base != 10) type = unsigned_type;
  if (type.bits == 32 && !fits(type)) type.bits = 64;
  if (type == IntegerType{64, false} && !fits(type)) return {};
  return Integer{static_cast<std::int64_t>(value), type};
}

std::optional<Integer> applied(std::string_view operation, Integer a, Integer b) {
  if (operation == "<<" || operation == ">>") return shifted(operation[0], a, b);
  const IntegerType type = common_type(a.type, b.type);
  a = a.as(type), b = b.as(type);
  switch (operation[0]) {
    case '+':
    case '-':
    case '*':
      return sum_or_product(operation[0], a, b);
    case '/':
    case '%':
      return quotient(operation[0], a, b);
    case '&':
      return result(a.value & b.value, type);
    case '|':
      return result(a.value | b.value, type);
    case '^':
      return result(a.value ^ b.value, type);
    default:
      return truth(compare(operation, a, b));
  }
}

std::optional<Integer> applied(char operation, Integer operand) {
  if (operation == '!') return truth(operand.value == 0);
  operand = operand.as(promoted(operand.type));
  if (operation == '-') return sum_or_product('-', {0, operand.type}, operand);
  if (operation == '~') operand.value = Integer{~operand.value, {64, true}}.as(operand.type).value;
  return operand;
}

Integer truth(bool value) { return {value, bool_type}; }

Integer smaller_of(Integer a, Integer b) {
  const IntegerType type = common_type(a.type, b.type);
  a = a.as(type), b = b.as(type);
  return is_less(b, a) ? b : a;
}

Integer larger_of(Integer a, Integer b) {
  const IntegerType type = common_type(a.type, b.type);
  a = a.as(type), b = b.as(type);
  return is_less(a, b) ? b : a;
}

std::optional<std::int64_t> sum_of(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::nullopt : std::optional(sum);
}

std::optional<std::int64_t> difference_of(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? std::nullopt : std::optional(difference);
}

}  // namespace gemm_tutor::source
