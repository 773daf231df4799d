// Integer arithmetic with the rules of C++. / and % round towards zero, and unsigned arithmetic
// wraps around. Both operands are converted to a common type, so -1 < threadIdx.x is false.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gemm_tutor::source {

// The properties of an integral type of C++ that matter for arithmetic.
struct IntegerType {
  int bits = 32;  // 1 for bool, else 32 or 64
  bool is_unsigned = false;

  bool operator==(const IntegerType&) const = default;
};

struct Integer {
  std::int64_t value = 0;  // for an unsigned type of 64 bits, the same bits
  IntegerType type = {};

  // Converts to another type. Bits that do not fit are lost.
  Integer as(IntegerType wanted) const;
  std::string text() const;
  bool operator==(const Integer&) const = default;
};

// Returns the type with a name such as "int" or "std::size_t"; nothing for other types.
std::optional<IntegerType> integer_type(std::string_view name);

// Parses "0x1F", "1'000" or "32u". Returns nothing if it is not an integer of a C++ type.
std::optional<Integer> integer_literal(std::string_view text);

// Applies a binary operator, such as "+" or "<<"; all except && and ||. Returns nothing if C++
// defines no value: division by zero, signed overflow, or a shift by too many bits.
std::optional<Integer> applied(std::string_view operation, Integer a, Integer b);

// Applies a unary operator: - + ~ or !.
std::optional<Integer> applied(char operation, Integer operand);

Integer truth(bool value);  // of type bool

// The minimum and the maximum, in the operands' common type.
Integer smaller_of(Integer a, Integer b);
Integer larger_of(Integer a, Integer b);

// Return nothing on overflow.
std::optional<std::int64_t> sum_of(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> difference_of(std::int64_t a, std::int64_t b);

}  // namespace gemm_tutor::source
