// A mistake is a sum and a sentence that describes it. Add a mistake as a line in the table.
#include <fmt/format.h>

#include "exercise/evidence.hpp"
#include "gemm/reference.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

struct Mistake {
  bool (*is_possible)(const Along& steps);
  const char* sentence;  // with {k}, {depth}, {rest}, {are}, {those} and {too_many}
  TermOf term;
};

// Products of a last step that is not whole; 0 where it is.
int rest_of(const Along& steps) { return steps.k % steps.depth; }

bool if_several_products(const Along& steps) { return steps.k > 1; }
bool if_several_steps(const Along& steps) { return steps.depth > 1 && steps.count > 1; }
bool if_many_steps(const Along& steps) { return steps.depth > 1 && steps.count > 2; }
bool if_rest(const Along& steps) { return if_several_steps(steps) && rest_of(steps) > 0; }
bool if_whole(const Along& steps) { return if_several_steps(steps) && rest_of(steps) == 0; }

// If two mistakes have the same result, for example because K is small, the first is reported.
const Mistake mistakes[] = {
    // Products that are left out.
    {if_rest,
     "The last {rest} of K = {k} products {are} missing, {those} of the step that is not whole.",
     [](const Along& s, int k) { return only_if(k < s.last, k); }},
    {if_whole, "The last step's products are missing, {depth} of K = {k}.",
     [](const Along& s, int k) { return only_if(k < s.last, k); }},
    {if_several_products, "The last of K = {k} products is missing.",
     [](const Along& s, int k) { return only_if(k < s.k - 1, k); }},
    {if_several_products, "The first of K = {k} products is missing.",
     [](const Along&, int k) { return only_if(k > 0, k); }},
    {if_several_steps, "The last product of every step is missing.",
     [](const Along& s, int k) { return only_if(k % s.depth != s.depth - 1, k); }},
    {if_several_steps, "The first product of every step is missing.",
     [](const Along& s, int k) { return only_if(k % s.depth != 0, k); }},
    {if_several_steps, "Only the last step's products are there.",
     [](const Along& s, int k) { return only_if(k >= s.last, k); }},
    {if_many_steps, "Only the first step's products are there.",
     [](const Along& s, int k) { return only_if(k < s.depth, k); }},
    {if_many_steps, "The first step's products are missing.",
     [](const Along& s, int k) { return only_if(k >= s.depth, k); }},
    {if_several_products, "Only the last of K = {k} products is there.",
     [](const Along& s, int k) { return only_if(k == s.k - 1, k); }},
    {if_several_products, "Only the first of K = {k} products is there.",
     [](const Along&, int k) { return only_if(k == 0, k); }},
    {if_several_products, "Only every second product is there.",
     [](const Along&, int k) { return only_if(k % 2 == 0, k); }},
    {if_many_steps, "Only every second step's products are there.",
     [](const Along& s, int k) { return only_if(k / s.depth % 2 == 0, k); }},
    // Products of the wrong step.
    {if_several_steps, "Every step uses the first step's tile of A and of B.",
     [](const Along& s, int k) { return only_if(true, k % s.depth); }},
    {if_several_steps, "Every step uses the first step's tile of A and of B.",
     [](const Along& s, int k) { return only_if(k < s.k, k % s.depth); }},
    {if_several_steps, "Every step uses the first step's tile of A.",
     [](const Along& s, int k) { return product_of(k % s.depth, k); }},
    {if_several_steps, "Every step uses the first step's tile of B.",
     [](const Along& s, int k) { return product_of(k, k % s.depth); }},
    {if_several_products, "Every product has the first value of A's row.",
     [](const Along&, int k) { return product_of(0, k); }},
    {if_several_products, "Every product has the first value of B's column.",
     [](const Along&, int k) { return product_of(k, 0); }},
    {if_rest,
     "In the last step {too_many} products too many are added, those of the step before at the "
     "same places of the tiles.",
     [](const Along& s, int k) {
       return only_if(true, k, k >= s.k - s.depth && k < s.last ? 2 : 1);
     }},
    {if_several_steps, "In each step, A's tile is multiplied by the step before's of B.",
     [](const Along& s, int k) { return product_of(k, k - s.depth); }},
    {if_several_steps, "In each step, A's tile is multiplied by the step before's of B.",
     [](const Along& s, int k) { return product_of(k, k < s.depth ? k : k - s.depth); }},
    {if_several_steps, "In each step, B's tile is multiplied by the step before's of A.",
     [](const Along& s, int k) { return product_of(k - s.depth, k); }},
    {if_several_steps, "In each step, B's tile is multiplied by the step before's of A.",
     [](const Along& s, int k) { return product_of(k < s.depth ? k : k - s.depth, k); }},
    {if_several_steps, "In each step, A's tile is multiplied by the next step's of B.",
     [](const Along& s, int k) { return product_of(k, k < s.last ? k + s.depth : k); }},
    {if_several_steps, "In each step, B's tile is multiplied by the next step's of A.",
     [](const Along& s, int k) { return product_of(k < s.last ? k + s.depth : k, k); }},
    {if_many_steps,
     "Every step multiplies the tiles of the step before it: the first ones are used twice, the "
     "last never.",
     [](const Along& s, int k) { return only_if(k < s.last, k, k < s.depth ? 2 : 1); }},
    {if_many_steps,
     "Every step multiplies the tiles of the step after it: the first ones are never used, the "
     "last twice.",
     [](const Along& s, int k) { return only_if(k >= s.depth, k, k >= s.last ? 2 : 1); }},
    {if_many_steps,
     "Tiles are used in two steps, those of every second step, and the others never.",
     [](const Along& s, int k) {
       return only_if(k < s.k, k / s.depth % 2 == 0 ? k : k - s.depth);
     }},
    {if_many_steps,
     "The last step's products are missing, and those of the step before are there twice.",
     [](const Along& s, int k) { return only_if(k < s.last, k, k >= s.last - s.depth ? 2 : 1); }},
    // Products that are added more than once.
    {if_several_steps, "The last step's products are added twice.",
     [](const Along& s, int k) { return only_if(true, k, k >= s.last ? 2 : 1); }},
    {if_several_steps, "The first step's products are added twice.",
     [](const Along& s, int k) { return only_if(true, k, k < s.depth ? 2 : 1); }},
    {if_several_products, "The last of K = {k} products is added twice.",
     [](const Along& s, int k) { return only_if(true, k, k == s.k - 1 ? 2 : 1); }},
    {if_several_steps,
     "What the sum holds is added to C after every step, with what was added before.",
     [](const Along& s, int k) { return only_if(true, k, s.count - k / s.depth); }},
    {if_several_products,
     "What the sum holds is added to C after every product, with what was added before.",
     [](const Along& s, int k) { return only_if(true, k, s.k - k); }},
};

// A sum that is not of the element's own products.
struct OtherMistake {
  const char* sentence;
  MistakenSum (*sum)(const Evidence& evidence, const WrongElement& sample);
};

void add_reference(MistakenSum& sum, const Evidence& evidence, std::int64_t row,
                   std::int64_t column) {
  const std::int64_t at = row * evidence.problem.n + column;
  sum.add(evidence.references.products[at], evidence.references.absolute_products[at],
          evidence.problem.k);
}

const OtherMistake other_mistakes[] = {
    {"C holds the sums of the thread's columns before this one as well.",
     [](const Evidence& e, const WrongElement& to) {
       MistakenSum sum;
       const int columns = thread_tile_of(e.shape).columns;
       for (int before = 0; before <= to.column % columns; ++before)
         add_reference(sum, e, to.row, to.column - before);
       return sum;
     }},
    {"C holds the sums of the thread's rows before this one as well.",
     [](const Evidence& e, const WrongElement& to) {
       MistakenSum sum;
       const int rows = thread_tile_of(e.shape).rows;
       for (int before = 0; before <= to.row % rows; ++before)
         add_reference(sum, e, to.row - before, to.column);
       return sum;
     }},
    {"C is the sum of A's and B's values, not of their products.",
     [](const Evidence& e, const WrongElement& to) {
       MistakenSum sum;
       for (int k = 0; k < e.problem.k; ++k) {
         sum.add(e.a_at(to.row, k));
         sum.add(e.b_at(k, to.column));
       }
       return sum;
     }},
};

bool explains(const Mistake& mistake, const Evidence& evidence, const Along& steps) {
  if (!mistake.is_possible(steps)) return false;
  const std::vector<Term> terms = terms_of(mistake.term, steps);
  return evidence.every([&](const WrongElement& sample) {
    MistakenSum sum;
    for (const Term& term : terms) {
      const double product =
          evidence.a_at(sample.row, term.a) * evidence.b_at(term.b, sample.column);
      sum.add(term.times * product, term.times * std::abs(product), term.times);
    }
    return sum.may_be(sample.value, steps.k);
  });
}

}  // namespace

std::string mistaken_steps(const Evidence& evidence) {
  const Along steps(evidence.problem.k, evidence.shape.tile_depth);
  const int rest = rest_of(steps);
  for (const Mistake& mistake : mistakes) {
    if (!explains(mistake, evidence, steps)) continue;
    return fmt::format(
        fmt::runtime(mistake.sentence), fmt::arg("k", steps.k), fmt::arg("depth", steps.depth),
        fmt::arg("rest", rest), fmt::arg("are", rest == 1 ? "is" : "are"),
        fmt::arg("those", rest == 1 ? "that" : "those"), fmt::arg("too_many", steps.depth - rest));
  }
  for (const OtherMistake& mistake : other_mistakes) {
    const bool explains_all = evidence.every([&](const WrongElement& sample) {
      return mistake.sum(evidence, sample).may_be(sample.value, steps.k);
    });
    if (explains_all) return mistake.sentence;
  }
  return "";
}

}  // namespace gemm_tutor
