// Integer expressions of C++, as kernels write them for their indices: "blockIdx.y * BM + ty",
// "(tid & 31) << 2", "static_cast<int>(threadIdx.x) / 32".
//
// The value is what C++ says it is: / and % round towards zero, unsigned arithmetic wraps around,
// and the operands of an operator are brought to one type first, so that -1 < threadIdx.x is false.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gemm_tutor {

// An integral type of C++, as far as arithmetic tells them apart.
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

// Of "int", "unsigned int", "std::size_t", …; nothing for a type that is no integer, or that the
// expressions here do not know.
std::optional<IntegerType> integer_type(std::string_view name);

// Nothing for a name whose value is not known. "threadIdx.x" is one name.
using IntegersByName = std::function<std::optional<Integer>(std::string_view name)>;

// Of a call: the function's name, its template arguments as they are written ("BM, 4"), and its
// arguments. Nothing where that has no known value.
using IntegersByCall =
    std::function<std::optional<Integer>(std::string_view name, std::string_view template_arguments,
                                         const std::vector<std::optional<Integer>>& arguments)>;

struct IndexNode;

constexpr std::size_t longest_expression = 2000;

class IndexExpression {
 public:
  // Nothing for what is no such expression: subscripts, floats, assignments; nor for one that is
  // longer, or nested too deeply.
  static std::optional<IndexExpression> parse(std::string_view text);

  // Nothing where it depends on a name that is not known, and where C++ gives it no value: division
  // by zero, a signed result that its type does not hold, a shift by more than there are bits.
  // Of calls min and max of two are known, and others where `calls` says so.
  std::optional<Integer> value(const IntegersByName& names, const IntegersByCall& calls = {}) const;

  // With numbers for the names that are known: "2·128 + 9". Other names stay.
  std::string filled(const IntegersByName& names) const;

  // It is a number or a name by itself, so that its value says all.
  bool is_plain() const;

  bool mentions(const std::function<bool(std::string_view)>& name) const;

 private:
  explicit IndexExpression(std::shared_ptr<const IndexNode> root) : root_(std::move(root)) {}
  std::shared_ptr<const IndexNode> root_;
};

}  // namespace gemm_tutor
