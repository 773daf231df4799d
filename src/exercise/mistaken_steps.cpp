// A mistake is a sum and a sentence that describes it. Add a mistake as a line in the table.
#include <fmt/format.h>

#include "exercise/evidence.hpp"
#include "exercise/thread_tile.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

// The right loop along K.
struct Steps {
  explicit Steps(const Evidence& evidence)
      : k(evidence.problem.k),
        depth(evidence.shape.tile_depth),
        count((k - 1) / depth + 1),
        rest(k % depth),
        last((count - 1) * depth) {}

  bool tiled() const { return depth > 1; }

  int k;      // products
  int depth;  // BK: products of a whole step
  int count;  // of steps
  int rest;   // products of a last step that is not whole; 0 where it is
  int last;   // first product of the last step
};

// One element's sum, which mistakes change.
class Element {
 public:
  Element(const Evidence& evidence, const WrongElement& sample)
      : evidence_(evidence), row_(sample.row), column_(sample.column) {}

  void add(int k) { add(k, k); }
  // The product of A at one k with B at another; 0 outside of the matrices.
  void add(int k_of_a, int k_of_b) {
    if (k_of_a < 0 || k_of_b < 0) return;
    sum_.add(evidence_.a_at(row_, k_of_a) * evidence_.b_at(k_of_b, column_));
  }
  void add_range(int begin, int end) {
    for (int k = begin; k < end; ++k) add(k);
  }
  void add_factors(int k) {
    sum_.add(evidence_.a_at(row_, k));
    sum_.add(evidence_.b_at(k, column_));
  }
  // The right value of the element that is this many rows and columns before.
  void add_element(int rows_before, int columns_before) {
    const Problem& problem = evidence_.problem;
    const std::int64_t at = std::int64_t{row_ - rows_before} * problem.n + column_ - columns_before;
    sum_.add(evidence_.references.products[at], evidence_.references.absolute_products[at],
             problem.k);
  }

  const Evidence& evidence() const { return evidence_; }
  int row() const { return row_; }
  int column() const { return column_; }
  const MistakenSum& sum() const { return sum_; }

 private:
  const Evidence& evidence_;
  int row_, column_;
  MistakenSum sum_;
};

// The elements of C that a thread computes before this one: one column after another.
void add_row_of_thread(Element& element) {
  const Evidence& evidence = element.evidence();
  const int columns = thread_tile_of(evidence.shape).columns;
  for (int before = 0; before <= element.column() % columns; ++before)
    element.add_element(0, before);
}

// The same, one row after another.
void add_column_of_thread(Element& element) {
  const Evidence& evidence = element.evidence();
  const int rows = thread_tile_of(evidence.shape).rows;
  for (int before = 0; before <= element.row() % rows; ++before) element.add_element(before, 0);
}

struct Mistake {
  bool (*is_possible)(const Steps& steps);
  const char* sentence;  // with {k}, {depth}, {rest}, {are} and {too_many}
  void (*sum)(const Steps& steps, Element& element);
};

bool always(const Steps&) { return true; }
bool if_several_products(const Steps& steps) { return steps.k > 1; }
bool if_several_steps(const Steps& steps) { return steps.tiled() && steps.count > 1; }
bool if_many_steps(const Steps& steps) { return steps.tiled() && steps.count > 2; }
bool if_rest(const Steps& steps) { return if_several_steps(steps) && steps.rest > 0; }
bool if_whole(const Steps& steps) { return if_several_steps(steps) && steps.rest == 0; }

// If two mistakes have the same result, for example because K is small, the first is reported.
const Mistake mistakes[] = {
    // Products that are left out.
    {if_rest,
     "The last {rest} of K = {k} products {are} missing, those of the step that is not whole.",
     [](const Steps& s, Element& e) { e.add_range(0, s.last); }},
    {if_whole, "The last step's products are missing, {depth} of K = {k}.",
     [](const Steps& s, Element& e) { e.add_range(0, s.last); }},
    {if_several_products, "The last of K = {k} products is missing.",
     [](const Steps& s, Element& e) { e.add_range(0, s.k - 1); }},
    {if_several_products, "The first of K = {k} products is missing.",
     [](const Steps& s, Element& e) { e.add_range(1, s.k); }},
    {if_several_steps, "The last product of every step is missing.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) {
         if (k % s.depth != s.depth - 1) e.add(k);
       }
     }},
    {if_several_steps, "The first product of every step is missing.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) {
         if (k % s.depth != 0) e.add(k);
       }
     }},
    {if_several_steps, "Only the last step's products are there.",
     [](const Steps& s, Element& e) { e.add_range(s.last, s.k); }},
    {if_many_steps, "Only the first step's products are there.",
     [](const Steps& s, Element& e) { e.add_range(0, s.depth); }},
    {if_many_steps, "The first step's products are missing.",
     [](const Steps& s, Element& e) { e.add_range(s.depth, s.k); }},
    {if_several_products, "Only the last of K = {k} products is there.",
     [](const Steps& s, Element& e) { e.add(s.k - 1); }},
    {if_several_products, "Only the first of K = {k} products is there.",
     [](const Steps&, Element& e) { e.add(0); }},
    {if_several_products, "Only every second product is there.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; k += 2) e.add(k);
     }},
    {if_many_steps, "Only every second step's products are there.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) {
         if (k / s.depth % 2 == 0) e.add(k);
       }
     }},
    // Products of the wrong step.
    {if_several_steps, "Every step uses the first step's tile of A and of B.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.count * s.depth; ++k) e.add(k % s.depth);
     }},
    {if_several_steps, "Every step uses the first step's tile of A and of B.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k % s.depth);
     }},
    {if_several_steps, "Every step uses the first step's tile of A.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k % s.depth, k);
     }},
    {if_several_steps, "Every step uses the first step's tile of B.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k, k % s.depth);
     }},
    {if_several_products, "Every product has the first value of A's row.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(0, k);
     }},
    {if_several_products, "Every product has the first value of B's column.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k, 0);
     }},
    {if_rest,
     "In the last step {too_many} products too many are added, those of the step before at the "
     "same places of the tiles.",
     [](const Steps& s, Element& e) {
       e.add_range(0, s.k);
       e.add_range(s.k - s.depth, s.last);
     }},
    {if_several_steps, "In each step, A's tile is multiplied by the step before's of B.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k, k - s.depth);
     }},
    {if_several_steps, "In each step, A's tile is multiplied by the step before's of B.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k, k < s.depth ? k : k - s.depth);
     }},
    {if_several_steps, "In each step, B's tile is multiplied by the step before's of A.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k - s.depth, k);
     }},
    {if_several_steps, "In each step, B's tile is multiplied by the step before's of A.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k < s.depth ? k : k - s.depth, k);
     }},
    {if_several_steps, "In each step, A's tile is multiplied by the next step's of B.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k, k < s.last ? k + s.depth : k);
     }},
    {if_several_steps, "In each step, B's tile is multiplied by the next step's of A.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k < s.last ? k + s.depth : k, k);
     }},
    {if_many_steps,
     "Every step multiplies the tiles of the step before it: the first ones are used twice, the "
     "last never.",
     [](const Steps& s, Element& e) {
       e.add_range(0, s.depth);
       e.add_range(0, s.last);
     }},
    {if_many_steps,
     "Every step multiplies the tiles of the step after it: the first ones are never used, the "
     "last twice.",
     [](const Steps& s, Element& e) {
       e.add_range(s.depth, s.k);
       e.add_range(s.last, s.k);
     }},
    {if_many_steps,
     "Tiles are used in two steps, those of every second step, and the others never.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k / s.depth % 2 == 0 ? k : k - s.depth);
     }},
    {if_many_steps,
     "The last step's products are missing, and those of the step before are there twice.",
     [](const Steps& s, Element& e) {
       e.add_range(0, s.last);
       e.add_range(s.last - s.depth, s.last);
     }},
    // Products that are added more than once.
    {if_several_steps, "The last step's products are added twice.",
     [](const Steps& s, Element& e) {
       e.add_range(0, s.k);
       e.add_range(s.last, s.k);
     }},
    {if_several_steps, "The first step's products are added twice.",
     [](const Steps& s, Element& e) {
       e.add_range(0, s.k);
       e.add_range(0, s.depth);
     }},
    {if_several_products, "The last of K = {k} products is added twice.",
     [](const Steps& s, Element& e) {
       e.add_range(0, s.k);
       e.add(s.k - 1);
     }},
    {if_several_steps,
     "What the sum holds is added to C after every step, with what was added before.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; k += s.depth) e.add_range(0, std::min(s.k, k + s.depth));
     }},
    {if_several_products,
     "What the sum holds is added to C after every product, with what was added before.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add_range(0, k + 1);
     }},
    {always, "C holds the sums of the thread's columns before this one as well.",
     [](const Steps&, Element& e) { add_row_of_thread(e); }},
    {always, "C holds the sums of the thread's rows before this one as well.",
     [](const Steps&, Element& e) { add_column_of_thread(e); }},
    // No products.
    {always, "C is the sum of A's and B's values, not of their products.",
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add_factors(k);
     }},
};

bool explains(const Mistake& mistake, const Evidence& evidence, const Steps& steps) {
  return mistake.is_possible(steps) && evidence.every([&](const WrongElement& sample) {
    Element element(evidence, sample);
    mistake.sum(steps, element);
    return element.sum().may_be(sample.value, steps.k);
  });
}

}  // namespace

std::string mistaken_steps(const Evidence& evidence) {
  const Steps steps(evidence);
  for (const Mistake& mistake : mistakes) {
    if (!explains(mistake, evidence, steps)) continue;
    return fmt::format(fmt::runtime(mistake.sentence), fmt::arg("k", steps.k),
                       fmt::arg("depth", steps.depth), fmt::arg("rest", steps.rest),
                       fmt::arg("are", steps.rest == 1 ? "is" : "are"),
                       fmt::arg("too_many", steps.depth - steps.rest));
  }
  return "";
}

}  // namespace gemm_tutor
