// The product accumulated in FP64, where the product of two floats is exact.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "gemm/problem.hpp"

namespace gemm_tutor {

// A part of a row of C: columns [column_begin, column_end).
struct Strip {
  int row = 0, column_begin = 0, column_end = 0;

  int columns() const { return column_end - column_begin; }
};

// One value for each element of the strips, strip by strip.
struct ReferenceSums {
  std::vector<double> products;           // sum over k of A[row][k]·B[k][column]
  std::vector<double> absolute_products;  // sum over k of |A[row][k]·B[k][column]|
};

class Reference {
 public:
  // A is M×K, B is K×N. Both must outlive the object.
  Reference(const Problem& problem, std::span<const float> a, std::span<const float> b)
      : problem_(problem), a_(a), b_(b) {}

  // Fast if the strips have the same few hundred columns, because all use the same part of B.
  ReferenceSums sums(std::span<const Strip> strips) const;

 private:
  Problem problem_;
  std::span<const float> a_, b_;
};

// Loops along K that leave out products, add them twice or take those of another step.

// The loop along K in steps of `depth`.
struct Along {
  Along(int products, int step)
      : k(products), depth(step), count((k - 1) / depth + 1), last((count - 1) * depth) {}

  int k;      // products
  int depth;  // of a step
  int count;  // steps
  int last;   // first product of the last step
};

// A product of A at one k and B at another, and how often it is added. Outside of K it is 0. A loop
// goes on to the end of a last step that is not whole.
struct Term {
  int a = 0, b = 0, times = 1;
};

inline Term product_of(int a, int b, int times = 1) { return {a, b, times}; }
inline Term only_if(bool holds, int k, int times = 1) { return {k, k, holds ? times : 0}; }

using TermOf = Term (*)(const Along& along, int k);

// Those that are not 0.
inline std::vector<Term> terms_of(TermOf term_of, const Along& along) {
  std::vector<Term> terms;
  for (int k = 0; k < along.count * along.depth; ++k) {
    const Term term = term_of(along, k);
    const auto [least, most] = std::minmax(term.a, term.b);
    if (term.times != 0 && least >= 0 && most < along.k) terms.push_back(term);
  }
  return terms;
}

}  // namespace gemm_tutor
