// Says what a wrong result is: A·Bᵀ, the sum without the last step along K, 8 times the product.
// Each of many other formulas is tried against the computed C. A formula is named only if it gives
// every element that was kept, right and wrong, within the error bound, at each of the sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gemm/matrices.hpp"
#include "gemm/scalar.hpp"
#include "gemm/verification.hpp"
#include "simt/gpu_spec.hpp"

namespace gemm_tutor {

struct ComputedElement {
  std::int64_t index = 0;  // in C, row by row
  float value = 0;         // poison if nothing wrote it
};

// A result C, or some elements of it. The operands are those of make_matrices() for `seed`.
struct ComputedC {
  Problem problem;
  std::uint64_t seed = 1;
  Update update = {};
  Transposed transposed = {};
  simt::Dim3 grid = {};
  bool is_right = false;
  std::vector<ComputedElement> elements = {};
};

// True if one of the elements is finite. No formula is found for others.
bool has_values(const ComputedC& computed);

// Returns all elements of the regions (of C if there are none), or some thousands of random ones of
// a large result, and its first wrong element.
std::vector<ComputedElement> elements_to_explain(const Problem& problem, std::span<const float> c,
                                                 const std::vector<Region>& regions,
                                                 const std::optional<WrongElement>& first_wrong);

// "3", "16 to 31", "12, 24, 36, …, 84": numbers in ascending order, at least one.
std::string set_text(const std::vector<int>& numbers);

// What of the kernel's source the formulas may depend on.
struct SourceNumbers {
  std::vector<int> sides;                          // numbers that may be a tile's side along K
  std::vector<std::pair<std::string, int>> names;  // constants with their values
  std::string whole_sum = {};  // an integer variable to which products of elements are added
};

SourceNumbers source_numbers(std::string_view source, std::string_view name_expression);

struct WrongKind {
  std::string name;  // "transposed": in JSON
  std::string text;  // a sentence without a full stop
  int parts = 1;     // how many of A, B and C are read or written at wrong places, at least 1
};

// `results` are those of one kernel at several sizes, some of which may be right; the first wrong
// one gives the sentence its numbers. Returns nothing if all are right, and if no formula gives all
// of them. At square sizes alone, it says A·Bᵀ without an index, because strides are equal.
std::optional<WrongKind> kind_of_wrong(std::span<const ComputedC> results,
                                       const SourceNumbers& numbers);

// Returns the sentence as the kernel's user would say it whose matrices are stored column by
// column: they are those of B·A row by row, so A and B, M and N, rows and columns are exchanged.
std::string in_columns(const std::string& text);

// Which rows or columns of each group of some are 0, NaN or never written, where others are not;
// nothing if it is so of no group of consecutive ones. It says less than a formula, and what it
// says was counted.
std::optional<WrongKind> zeros_in(const ComputedC& wrong, const SourceNumbers& numbers);

}  // namespace gemm_tutor
