// Integers as C++ computes with them: / and % round towards zero, unsigned arithmetic wraps around,
// and the operands of an operator are brought to one type first, so that -1 < threadIdx.x is false.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gemm_tutor::source {

// An integral type of C++, as far as arithmetic depends on it.
struct IntegerType {
  int bits = 32;  // 1 for bool, else 32 or 64
  bool is_unsigned = false;

  bool operator==(const IntegerType&) const = default;
};

struct Integer {
  std::int64_t value = 0;  // of an unsigned type of 64 bits: the same bits
  IntegerType type = {};

  // Of another type: bits that it has no room for are lost.
  Integer as(IntegerType wanted) const;
  std::string text() const;
  bool operator==(const Integer&) const = default;
};

// Of "int", "unsigned int", "std::size_t", …; nothing for another type.
std::optional<IntegerType> integer_type(std::string_view name);

// Of "0x1F", "1'000", "32u"; nothing for what is no integer of a C++ type.
std::optional<Integer> integer_literal(std::string_view text);

// The operator between two operands, as in "+" or "<<"; all but && and ||. Nothing where C++ gives
// no value: division by zero, a signed result that its type does not hold, a shift by more than
// there are bits.
std::optional<Integer> applied(std::string_view operation, Integer a, Integer b);

// The operator before its operand: - + ~ or !.
std::optional<Integer> applied(char operation, Integer operand);

Integer truth(bool value);

// The smaller of two, or the larger, in their common type.
Integer smaller_of(Integer a, Integer b);
Integer larger_of(Integer a, Integer b);

// Nothing where the result has more than 64 bits.
std::optional<std::int64_t> sum_of(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> difference_of(std::int64_t a, std::int64_t b);

}  // namespace gemm_tutor::source
