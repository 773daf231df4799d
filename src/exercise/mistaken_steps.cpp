// A mistake is a sum and the sentence for it; the next one is a line in the table.
#include <fmt/format.h>

#include "exercise/evidence.hpp"
#include "exercise/thread_tile.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

// The loop along K as it should be.
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

// One element's sum, to be made wrong.
class Element {
 public:
  Element(const Evidence& evidence, const WrongElement& sample)
      : evidence_(evidence), row_(sample.row), column_(sample.column) {}

  void add(int k) { add(k, k); }
  // A of one place along K with B of another; before the beginning and beyond the end is 0.
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
  // The right value of the element that many rows and columns before this one.
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
  void (*sum)(const Steps& steps, Element& element);
  std::string (*sentence)(const Steps& steps);
};

bool always(const Steps&) { return true; }
bool if_several_products(const Steps& steps) { return steps.k > 1; }
bool if_several_steps(const Steps& steps) { return steps.tiled() && steps.count > 1; }
bool if_many_steps(const Steps& steps) { return steps.tiled() && steps.count > 2; }
bool if_rest(const Steps& steps) { return if_several_steps(steps) && steps.rest > 0; }
bool if_whole(const Steps& steps) { return if_several_steps(steps) && steps.rest == 0; }

std::string other_steps_tile(const char* which, const char* other) {
  return fmt::format(
      "In each step, {0}'s tile is multiplied by {1}'s: take both from the same buffer, filled "
      "with "
      "the same k0.",
      which, other);
}

std::string first_tile(const char* matrices) {
  return fmt::format(
      "Every step uses the first step's tile of {}: the loads along K need k0 in their index.",
      matrices);
}

// Of two with the same result, as there may be where K is small, the first is named.
const Mistake mistakes[] = {
    // Products that are left out.
    {if_rest, [](const Steps& s, Element& e) { e.add_range(0, s.last); },
     [](const Steps& s) {
       return fmt::format(
           "The last {} of K = {} products {} missing: the loop along K must also take the step "
           "that BK = {} does not fill, with zeros beyond the edge.",
           s.rest, s.k, s.rest == 1 ? "is" : "are", s.depth);
     }},
    {if_whole, [](const Steps& s, Element& e) { e.add_range(0, s.last); },
     [](const Steps& s) {
       return fmt::format(
           "The last step's products are missing, {} of K = {}: the loop along K ends one step "
           "early, or the tiles that are loaded last are never multiplied.",
           s.depth, s.k);
     }},
    {if_several_products, [](const Steps& s, Element& e) { e.add_range(0, s.k - 1); },
     [](const Steps& s) {
       return fmt::format(
           "The last of K = {} products is missing: the loop over k ends one too early.", s.k);
     }},
    {if_several_products, [](const Steps& s, Element& e) { e.add_range(1, s.k); },
     [](const Steps& s) {
       return fmt::format("The first of K = {} products is missing: k begins at 0, not at 1.", s.k);
     }},
    {if_several_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) {
         if (k % s.depth != s.depth - 1) e.add(k);
       }
     },
     [](const Steps&) {
       return std::string(
           "The last product of every step is missing: the loop over the tile ends one too early, "
           "it goes on while k < BK.");
     }},
    {if_several_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) {
         if (k % s.depth != 0) e.add(k);
       }
     },
     [](const Steps&) {
       return std::string(
           "The first product of every step is missing: in the tile, k begins at 0, not at 1.");
     }},
    {if_several_steps, [](const Steps& s, Element& e) { e.add_range(s.last, s.k); },
     [](const Steps&) {
       return std::string(
           "Only the last step's products are there: the sum begins anew in every step. Set it to "
           "0 once, before the loop along K.");
     }},
    {if_many_steps, [](const Steps& s, Element& e) { e.add_range(0, s.depth); },
     [](const Steps&) {
       return std::string(
           "Only the first step's products are there: the loop along K ends after one step.");
     }},
    {if_many_steps, [](const Steps& s, Element& e) { e.add_range(s.depth, s.k); },
     [](const Steps&) {
       return std::string(
           "The first step's products are missing: the loop along K begins one step late, or "
           "the tiles that are loaded first are filled again before they are multiplied.");
     }},
    {if_several_products, [](const Steps& s, Element& e) { e.add(s.k - 1); },
     [](const Steps& s) {
       return fmt::format(
           "Only the last of K = {} products is there: each takes the place of the sum. Add it, "
           "with += for =.",
           s.k);
     }},
    {if_several_products, [](const Steps&, Element& e) { e.add(0); },
     [](const Steps& s) {
       return fmt::format(
           "Only the first of K = {} products is there: the loop over k ends after one.", s.k);
     }},
    {if_several_products,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; k += 2) e.add(k);
     },
     [](const Steps&) {
       return std::string("Only every second product is there: k goes up by 2, not by 1.");
     }},
    {if_many_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) {
         if (k / s.depth % 2 == 0) e.add(k);
       }
     },
     [](const Steps&) {
       return std::string(
           "Only every second step's products are there: k0 goes up by BK, once a step.");
     }},
    // Products of the wrong step.
    {if_several_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.count * s.depth; ++k) e.add(k % s.depth);
     },
     [](const Steps&) { return first_tile("A and of B"); }},
    {if_several_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k % s.depth);
     },
     [](const Steps&) { return first_tile("A and of B"); }},
    {if_several_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k % s.depth, k);
     },
     [](const Steps&) { return first_tile("A"); }},
    {if_several_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k, k % s.depth);
     },
     [](const Steps&) { return first_tile("B"); }},
    {if_several_products,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(0, k);
     },
     [](const Steps&) {
       return std::string(
           "Every product has the first value of A's row: the index into A needs k.");
     }},
    {if_several_products,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k, 0);
     },
     [](const Steps&) {
       return std::string(
           "Every product has the first value of B's column: the index into B needs k.");
     }},
    {if_rest,
     [](const Steps& s, Element& e) {
       e.add_range(0, s.k);
       e.add_range(s.k - s.depth, s.last);
     },
     [](const Steps& s) {
       return fmt::format(
           "In the last step {} products too many are added, of what the step before left in the "
           "tiles: fill them with 0 where k0 + k is not below K = {}.",
           s.depth - s.rest, s.k);
     }},
    {if_several_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k, k - s.depth);
     },
     [](const Steps&) { return other_steps_tile("A", "the step before's of B"); }},
    {if_several_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k, k < s.depth ? k : k - s.depth);
     },
     [](const Steps&) { return other_steps_tile("A", "the step before's of B"); }},
    {if_several_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k - s.depth, k);
     },
     [](const Steps&) { return other_steps_tile("B", "the step before's of A"); }},
    {if_several_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k < s.depth ? k : k - s.depth, k);
     },
     [](const Steps&) { return other_steps_tile("B", "the step before's of A"); }},
    {if_several_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k, k < s.last ? k + s.depth : k);
     },
     [](const Steps&) { return other_steps_tile("A", "the next step's of B"); }},
    {if_several_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k < s.last ? k + s.depth : k, k);
     },
     [](const Steps&) { return other_steps_tile("B", "the next step's of A"); }},
    {if_many_steps,
     [](const Steps& s, Element& e) {
       e.add_range(0, s.depth);
       e.add_range(0, s.last);
     },
     [](const Steps&) {
       return std::string(
           "Every step multiplies the tiles of the step before it: the first ones are used twice, "
           "the last never. Exchange the buffers once a step, after the products.");
     }},
    {if_many_steps,
     [](const Steps& s, Element& e) {
       e.add_range(s.depth, s.k);
       e.add_range(s.last, s.k);
     },
     [](const Steps&) {
       return std::string(
           "Every step multiplies the tiles of the step after it: the first ones are never used, "
           "the last twice. The next step's tiles overwrite those that are still needed.");
     }},
    {if_many_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add(k / s.depth % 2 == 0 ? k : k - s.depth);
     },
     [](const Steps&) {
       return std::string(
           "Tiles are used in two steps, those of every second step, and the others never: fill "
           "the buffer that the next step multiplies.");
     }},
    {if_many_steps,
     [](const Steps& s, Element& e) {
       e.add_range(0, s.last);
       e.add_range(s.last - s.depth, s.last);
     },
     [](const Steps&) {
       return std::string(
           "The last step's products are missing, and those of the step before are there twice: "
           "the "
           "last tiles are in the other buffer.");
     }},
    // Products that are added more than once.
    {if_several_steps,
     [](const Steps& s, Element& e) {
       e.add_range(0, s.k);
       e.add_range(s.last, s.k);
     },
     [](const Steps&) {
       return std::string(
           "The last step's products are added twice: in the loop along K, and once more after "
           "it.");
     }},
    {if_several_steps,
     [](const Steps& s, Element& e) {
       e.add_range(0, s.k);
       e.add_range(0, s.depth);
     },
     [](const Steps&) {
       return std::string(
           "The first step's products are added twice: before the loop along K, and again in it.");
     }},
    {if_several_products,
     [](const Steps& s, Element& e) {
       e.add_range(0, s.k);
       e.add(s.k - 1);
     },
     [](const Steps& s) {
       return fmt::format("The last of K = {} products is added twice.", s.k);
     }},
    {if_several_steps,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; k += s.depth) e.add_range(0, std::min(s.k, k + s.depth));
     },
     [](const Steps&) {
       return std::string(
           "What the sum holds is added to C after every step, with what was added before: store "
           "it once, after the loop along K.");
     }},
    {if_several_products,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add_range(0, k + 1);
     },
     [](const Steps&) {
       return std::string(
           "What the sum holds is added to C after every product, with what was added before: "
           "store it once, after the loop over k.");
     }},
    {always, [](const Steps&, Element& e) { add_row_of_thread(e); },
     [](const Steps&) {
       return std::string(
           "C holds the sums of the thread's columns before this one as well: each element needs "
           "a sum of its own, that begins with 0.");
     }},
    {always, [](const Steps&, Element& e) { add_column_of_thread(e); },
     [](const Steps&) {
       return std::string(
           "C holds the sums of the thread's rows before this one as well: each element needs a "
           "sum of its own, that begins with 0.");
     }},
    // No products.
    {always,
     [](const Steps& s, Element& e) {
       for (int k = 0; k < s.k; ++k) e.add_factors(k);
     },
     [](const Steps&) {
       return std::string("C is the sum of A's and B's values: multiply them, with * for +.");
     }},
};

bool explains(const Mistake& mistake, const Evidence& evidence, const Steps& steps) {
  return mistake.is_possible(steps) && evidence.most([&](const WrongElement& sample) {
    Element element(evidence, sample);
    mistake.sum(steps, element);
    return element.sum().may_be(sample.value, steps.k);
  });
}

}  // namespace

std::string mistaken_steps(const Evidence& evidence) {
  const Steps steps(evidence);
  for (const Mistake& mistake : mistakes) {
    if (explains(mistake, evidence, steps)) return mistake.sentence(steps);
  }
  return "";
}

}  // namespace gemm_tutor
