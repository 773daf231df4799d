// Loops along K that leave out products, add them twice or take those of another step.
#pragma once

#include <algorithm>
#include <vector>

namespace gemm_tutor {

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
