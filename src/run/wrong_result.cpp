// A formula is a line in one of the tables.
#include "run/wrong_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "gemm/matrices.hpp"
#include "gemm/reference.hpp"
#include "gemm/scalar.hpp"
#include "source/kernel.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

// As an XOR with `by`, if that is a power of 2.
constexpr std::int64_t exchanged(std::int64_t i, std::int64_t by) {
  return i / by % 2 == 0 ? i + by : i - by;
}

// --- Which of the products are added

struct Selection {
  TermOf term;
  bool has_steps;    // it depends on the step's depth
  const char* text;  // with {k} and, for the number of products before the last step, {last}
};

constexpr Selection selections[] = {
    {[](const Along&, int k) { return only_if(true, k); }, false, ""},
    {[](const Along& s, int k) { return only_if(k < s.k - 1, k); }, false,
     "The last product is missing: the sums are of k < {before} of {k}"},
    {[](const Along&, int k) { return only_if(k > 0, k); }, false,
     "The first product is missing: the sums begin at k = 1"},
    {[](const Along& s, int k) { return only_if(k == s.k - 1, k); }, false,
     "Only the last of the {k} products is there, as if each took the place of the sum"},
    {[](const Along&, int k) { return only_if(k == 0, k); }, false,
     "Only the first of the {k} products is there"},
    {[](const Along& s, int k) { return only_if(true, k, k == s.k - 1 ? 2 : 1); }, false,
     "The last product is added twice"},
    {[](const Along&, int k) { return only_if(true, k, k == 0 ? 2 : 1); }, false,
     "The first product is added twice"},
    {[](const Along&, int k) { return only_if(k % 2 == 0, k); }, false,
     "C is half of the sum: only the products of even k are there"},
    {[](const Along&, int k) { return only_if(k % 2 == 1, k); }, false,
     "C is half of the sum: only the products of odd k are there"},
    {[](const Along& s, int k) { return only_if(k < s.k / 2, k); }, false,
     "C is half of the sum: only the products of the first half of K are there, k < {half} of "
     "{k}"},
    {[](const Along& s, int k) { return only_if(k < (s.k + 1) / 2, k); }, false,
     "C is half of the sum: only the products of the first half of K are there, k < {half_up} of "
     "{k}"},
    {[](const Along& s, int k) { return only_if(k >= s.k / 2, k); }, false,
     "C is half of the sum: only the products of the second half of K are there, from k = {half} "
     "of {k}"},
    {[](const Along& s, int k) { return only_if(k >= (s.k + 1) / 2, k); }, false,
     "C is half of the sum: only the products of the second half of K are there, from k = "
     "{half_up} of {k}"},
    {[](const Along& s, int k) { return only_if(true, k, s.k - k); }, false,
     "What the sum holds is added to C after every product, with what was added before"},
    {[](const Along& s, int k) { return only_if(k < s.last, k); }, true,
     "The last step along K is missing: the sums are of k < {last} of {k}"},
    {[](const Along& s, int k) { return only_if(k < s.k / s.depth * s.depth, k); }, true,
     "Only whole steps along K are added: the sums are of k < {whole} of {k}"},
    {[](const Along& s, int k) { return only_if(k < s.k / s.depth * s.depth - s.depth, k); }, true,
     "The last products are missing: the sums are of k < {before_whole} of {k}"},
    {[](const Along& s, int k) { return only_if(k >= s.depth, k); }, true,
     "The first step along K is missing: the sums begin at k = {depth}"},
    {[](const Along& s, int k) { return only_if(true, k, k >= s.last ? 2 : 1); }, true,
     "The last step along K is added twice: the products from k = {last} of {k}"},
    {[](const Along& s, int k) { return only_if(true, k, k < s.depth ? 2 : 1); }, true,
     "The first step along K is added twice: the products of k < {depth}"},
    {[](const Along& s, int k) { return only_if(k < s.depth, k); }, true,
     "Only the first step along K is there: the sums are of k < {depth} of {k}"},
    {[](const Along& s, int k) { return only_if(k >= s.last, k); }, true,
     "Only the last step along K is there: the sums begin at k = {last} of {k}"},
    {[](const Along& s, int k) { return only_if(k / s.depth % 2 == 0, k); }, true,
     "Only every second step along K is there, from the first"},
    {[](const Along& s, int k) { return only_if(k / s.depth % 2 == 1, k); }, true,
     "Only every second step along K is there, from the second"},
    {[](const Along& s, int k) { return only_if(k % s.depth != s.depth - 1, k); }, true,
     "The last product of every step along K is missing: k = {depth_less}, {depth_more}, …"},
    {[](const Along& s, int k) { return only_if(k % s.depth != 0, k); }, true,
     "The first product of every step along K is missing: k = 0, {depth}, …"},
    {[](const Along& s, int k) { return only_if(k % s.depth < s.depth / 2, k); }, true,
     "Only the first {half_depth} of every {depth} products along K are there"},
    {[](const Along& s, int k) { return only_if(k % s.depth >= s.depth / 2, k); }, true,
     "Only the last {other_half} of every {depth} products along K are there"},
    {[](const Along& s, int k) { return only_if(k % s.depth == 0, k); }, true,
     "Of every step along K only the first product is there: k = 0, {depth}, …"},
    {[](const Along& s, int k) { return only_if(k < s.k / s.depth, k); }, true,
     "Only the first of {depth} parts of K is there: the sums are of k < {part} of {k}"},
    {[](const Along& s, int k) { return only_if(k < (s.k - 1) / s.depth + 1, k); }, true,
     "Only the first of {depth} parts of K is there: the sums are of k < {part_up} of {k}"},
    {[](const Along& s, int k) { return product_of(k % s.depth, k % s.depth, 1); }, true,
     "Every step along K uses the first step's tile of A and of B"},
    {[](const Along& s, int k) { return product_of(k % s.depth, k % s.depth, k < s.k ? 1 : 0); },
     true, "Every step along K uses the first step's tile of A and of B"},
    {[](const Along& s, int k) { return product_of(k % s.depth, k, 1); }, true,
     "Every step along K uses the first step's tile of A"},
    {[](const Along& s, int k) { return product_of(k, k % s.depth, 1); }, true,
     "Every step along K uses the first step's tile of B"},
    {[](const Along& s, int k) { return product_of(k, k - s.depth, 1); }, true,
     "In each step along K, A's tile is multiplied by the previous step's tile of B"},
    {[](const Along& s, int k) { return product_of(k - s.depth, k, 1); }, true,
     "In each step along K, B's tile is multiplied by the previous step's tile of A"},
    {[](const Along& s, int k) { return product_of(k, k < s.depth ? k : k - s.depth, 1); }, true,
     "In each step along K but the first, A's tile is multiplied by the previous step's tile of B"},
    {[](const Along& s, int k) { return product_of(k < s.depth ? k : k - s.depth, k, 1); }, true,
     "In each step along K but the first, B's tile is multiplied by the previous step's tile of A"},
    {[](const Along& s, int k) { return product_of(k, k < s.last ? k + s.depth : k, 1); }, true,
     "In each step along K but the last, A's tile is multiplied by the next step's tile of B"},
    {[](const Along& s, int k) { return product_of(k < s.last ? k + s.depth : k, k, 1); }, true,
     "In each step along K but the last, B's tile is multiplied by the next step's tile of A"},
    {[](const Along& s, int k) { return only_if(k < s.last, k, k < s.depth ? 2 : 1); }, true,
     "Every step along K multiplies the tiles of the step before it: the first are used twice, the "
     "last never"},
    {[](const Along& s, int k) { return only_if(k >= s.depth, k, k >= s.last ? 2 : 1); }, true,
     "Every step along K multiplies the tiles of the step after it: the first are never used, the "
     "last twice"},
    {[](const Along& s, int k) { return only_if(true, k, s.count - k / s.depth); }, true,
     "What the sum holds is added to C after every step along K, with what was added before"},
    {[](const Along& s, int k) {
       return only_if(true, k, k >= s.k - s.depth && k < s.last ? 2 : 1);
     },
     true,
     "In the last step along K, which is not whole, the previous step's values at the same places "
     "of the tiles are added once more"},
    {[](const Along& s, int k) {
       const int begin = k - k % s.depth, end = std::min(s.k, begin + s.depth);
       return product_of(k, begin + end - 1 - k, 1);
     },
     true, "In each {depth} values of k, A's are multiplied by B's in the opposite order"},
    {[](const Along& s, int k) {
       const auto other = static_cast<int>(exchanged(k, s.depth));
       return product_of(k, other, other < s.k ? 1 : 0);
     },
     true,
     "The halves of each {twice} values of k are exchanged: A's column 0 is multiplied by B's row "
     "{depth}, A's column {depth} by B's row 0, and so on"},
};

constexpr Selection only_first = {[](const Along&, int k) { return only_if(k == 0, k); }, false,
                                  ""};

// --- Where A and B are read, and where C is written

// A pointer that each step along K moves on by some elements.
struct Movement {
  int depth = 0;                  // of a step; 0 if the index does not depend on steps
  bool is_whole = false;          // by `depth` times the size, else by the size alone
  std::optional<Role> size = {};  // none for 1
  bool along_rows = false;        // B's rows are along K; of A, the columns

  std::int64_t elements(const Problem& problem) const {
    return std::int64_t{is_whole ? depth : 1} * (size ? size_of(*size, problem) : 1);
  }
  bool operator==(const Movement&) const = default;
};

// Rows of A, or columns of B, that a warp's lanes hold in one register.
constexpr int rows_of_fragment = 8;

// Tiles of `side` rows or columns that begin `step` of them apart.
struct Tiles {
  int side = 0, step = 0;
  bool of_columns = false;
  bool operator==(const Tiles&) const = default;
};

// Tiles of A's rows or B's columns that begin where the step along K does, not where the block's
// do.
struct FromStep {
  int side = 0;
  bool of_columns = false;  // of B
  bool operator==(const FromStep&) const = default;
};

// The element of row i and column j is at index i·stride + j, or, down the columns, j·stride + i;
// by mistake that many elements or rows further on.
struct Layout {
  Role stride = Role::k;
  bool down = false;
  bool exchanged = false;  // of A, i is C's column; of B, j is C's row
  int elements = 0, rows = 0;
  int tile = 0;   // rows and columns are exchanged in each tile of this side; 0: in none
  int tiles = 0;  // the tiles of this side are exchanged, and not what is in them; 0: none are
  // As if registers of a fragment were exchanged: in each 16 rows of A, or columns of B, and
  // 2·quarters values of k, the quarter of the first rows and the last k with that of the last rows
  // and the first k.
  int quarters = 0;
  bool of_c = false;  // i and j are C's row and column, for every k
  Movement movement = {};
  Tiles apart = {};
  FromStep from_step = {};

  std::int64_t index(std::int64_t row, std::int64_t column, const Problem& problem) const {
    const std::int64_t by = size_of(stride, problem);
    if (tiles > 0) {
      const std::int64_t in_row = row % tiles, in_column = column % tiles;
      std::tie(row, column) = std::pair(column - in_column + in_row, row - in_row + in_column);
    }
    if (apart.side > 0) {
      std::int64_t& one = apart.of_columns ? column : row;
      one = one / apart.side * apart.step + one % apart.side;
    }
    if (from_step.side > 0) {
      std::int64_t& one = from_step.of_columns ? column : row;
      const std::int64_t k = from_step.of_columns ? row : column;
      one = k / from_step.side * from_step.side + one % from_step.side;
    }
    std::int64_t moved = 0;
    if (movement.depth > 0) {
      std::int64_t& k = movement.along_rows ? row : column;
      moved = k / movement.depth * movement.elements(problem);
      k %= movement.depth;
    }
    return (down ? column * by + row : row * by + column) + moved + offset(problem);
  }
  std::int64_t offset(const Problem& problem) const {
    return elements + std::int64_t{rows} * size_of(stride, problem);
  }
  // Whether neighbours in a row, and in a column, are at the same distance everywhere.
  bool is_even() const {
    const Layout even{stride, down, exchanged, elements, rows};
    return *this == even;
  }
  bool operator==(const Layout&) const = default;
};

std::vector<Layout> all_layouts() {
  std::vector<Layout> result;
  for (const bool down : {false, true}) {
    for (const Role stride : {Role::m, Role::n, Role::k}) result.push_back({stride, down});
  }
  return result;
}

std::string index_text(const Layout& layout, const char* row, const char* column) {
  const std::string stride(name_of(layout.stride));
  const auto [outer, inner] = layout.down ? std::pair{column, row} : std::pair{row, column};
  const auto shifted = [](const std::string& text, int by) {
    return by == 0 ? text : fmt::format("{} {} {}", text, by > 0 ? '+' : '-', std::abs(by));
  };
  const std::string line =
      layout.rows == 0 ? outer : fmt::format("({})", shifted(outer, layout.rows));
  return shifted(fmt::format("{}·{} + {}", line, stride, inner), layout.elements);
}

// --- What is added

struct Operation {
  double (*value)(double a, double b);
  double (*magnitude)(double a, double b);
  int terms;  // of the sum, for each k
  const char* text;
};

constexpr Operation operations[] = {
    {[](double a, double b) { return a * b; }, [](double a, double b) { return std::abs(a * b); },
     1, ""},
    {[](double a, double b) { return a + b; },
     [](double a, double b) { return std::abs(a) + std::abs(b); }, 2,
     "C is the sum of A's and B's values, not of their products"},
    {[](double a, double b) { return a - b; },
     [](double a, double b) { return std::abs(a) + std::abs(b); }, 2,
     "C is the sum of the differences of A's and B's values, not of their products"},
    {[](double a, double) { return a; }, [](double a, double) { return std::abs(a); }, 1,
     "C is the sum of A's values alone"},
    {[](double, double b) { return b; }, [](double, double b) { return std::abs(b); }, 1,
     "C is the sum of B's values alone"},
    {[](double a, double b) { return std::abs(a * b); },
     [](double a, double b) { return std::abs(a * b); }, 1,
     "C is the sum of the products without their signs"},
};

// What is done with the result. None makes an error larger.
struct Afterwards {
  double (*value)(double sum);
  const char* text;
};

constexpr Afterwards afterwards[] = {
    {[](double sum) { return sum; }, ""},
    {[](double sum) { return std::max(sum, 0.0); },
     "C is what is right where that is positive, and else 0, as of a ReLU"},
    {[](double sum) { return std::abs(sum); }, "C is what is right without its sign"},
};

// --- What is done with the sum

struct Applied {
  double of_product = 1, of_c = 0, added = 0;
};

constexpr Applied scaled(double of_product, double of_c, double added = 0) {
  return {of_product, of_c, added};
}

// What a kernel must have, so that the formula is one of its own.
enum class Needs { nothing, alpha, beta, both };

struct Scale {
  Applied (*scales)(double alpha, double beta);
  Needs needs;
  const char* text;  // with {product} and {expected}, and {leave}, the option to leave out
};

constexpr Scale scale_table[] = {
    {[](double alpha, double beta) { return scaled(alpha, beta); }, Needs::nothing, ""},
    {[](double, double) { return scaled(0, 0); }, Needs::nothing, "C is 0 everywhere"},
    {[](double, double) { return scaled(0, 1); }, Needs::nothing,
     "C holds what it held before: nothing new was written"},
    {[](double alpha, double) { return scaled(alpha, 0); }, Needs::nothing,
     "C is {product}, not {expected}: the kernel overwrites what C held{leave}"},
    {[](double alpha, double) { return scaled(alpha, 1); }, Needs::nothing,
     "C is {product} + C, not {expected}: what C held before is added as it is"},
    {[](double, double beta) { return scaled(1, beta); }, Needs::alpha, "alpha is ignored"},
    {[](double alpha, double beta) { return scaled(alpha * alpha, beta); }, Needs::alpha,
     "alpha is applied twice"},
    {[](double alpha, double beta) { return scaled(alpha, beta * beta); }, Needs::beta,
     "beta is applied twice"},
    {[](double, double) { return scaled(1, 1); }, Needs::both,
     "alpha and beta are ignored: C is A·B + C"},
    {[](double, double) { return scaled(1, 0); }, Needs::both,
     "alpha and beta are ignored: C is A·B"},
    {[](double alpha, double beta) { return scaled(beta, alpha); }, Needs::both,
     "alpha and beta are exchanged: C is beta·A·B + alpha·C"},
    {[](double alpha, double beta) { return scaled(alpha, 0, beta); }, Needs::beta,
     "C is {product} + beta: beta itself is added, not beta·C"},
    {[](double alpha, double beta) { return scaled(1, beta, alpha); }, Needs::alpha,
     "alpha is added to A·B, which it should scale"},
    {[](double alpha, double beta) { return scaled(alpha, alpha * beta); }, Needs::both,
     "alpha scales what C held as well: C is alpha·(A·B + beta·C)"},
    {[](double alpha, double beta) { return scaled(alpha + alpha * beta, 0); }, Needs::beta,
     "beta scales the new product, not what C held, which is overwritten before: C is "
     "(1 + beta)·{product}"},
    {[](double alpha, double) { return scaled(alpha, alpha); }, Needs::both,
     "beta is ignored, and alpha scales what C held: C is alpha·(A·B + C)"},
    {[](double alpha, double beta) { return scaled(alpha * beta, beta); }, Needs::both,
     "beta scales the product as well: C is beta·(alpha·A·B + C)"},
    {[](double, double beta) { return scaled(0, beta); }, Needs::beta,
     "The product is missing: C is beta·C"},
    {[](double alpha, double beta) { return scaled(alpha, -beta); }, Needs::nothing,
     "What C held is subtracted, not added"},
};

// A number that all of C is too large by, or a size of the grid.
struct Factor {
  double number = 1;
  std::uint32_t simt::Dim3::*extent = nullptr;
  const char* name = "";  // "gridDim.x"

  double value(const simt::Dim3& grid) const { return extent ? grid.*extent : number; }
};

// --- Whose sum an element holds

using Index = std::int64_t;

struct Place {
  Index row = 0, column = 0;
};

// Where C is right; elsewhere it is 0, or as it was.
Index right_if(bool holds, Index i) { return holds ? i : -1; }
Place right_if(bool holds, const Place& at) { return holds ? at : Place{-1, -1}; }

Index wrapped(Index i, Index size) { return (i % size + size) % size; }

enum class Axis { rows, columns, both };

// `by` is a side of a tile, or 1.
struct Misplacement {
  // Of one of `size` rows or columns, the one whose sums it holds.
  Index (*index)(Index i, Index by, Index size);
  bool has_side;
  const char* text;               // for places_text()
  const char* of_both = nullptr;  // the same if rows and columns are so; null if that is not tried
  Place (*place)(const Place& at, Index by) = nullptr;  // in place of index()

  Place source(const Place& at, Axis axis, Index by, const Problem& problem) const {
    if (place) return place(at, by);
    return {axis == Axis::columns ? at.row : index(at.row, by, problem.m),
            axis == Axis::rows ? at.column : index(at.column, by, problem.n)};
  }
};

constexpr const char* same_text = "";

constexpr Misplacement misplacements[] = {
    {[](Index i, Index, Index) { return i; }, false, ""},
    {[](Index i, Index, Index size) { return size - 1 - i; }, false,
     "C's {ones} are in the opposite order"},
    {[](Index i, Index by, Index) { return i - by; }, true,
     "C's {ones} are shifted: {one} {by} holds what belongs to {one} 0, and so on"},
    {[](Index i, Index by, Index) { return i + by; }, true,
     "C's {ones} are shifted: {one} 0 holds what belongs to {one} {by}, and so on"},
    {[](Index i, Index by, Index size) { return std::min(i + by, size - 1); }, true,
     "C's {ones} are shifted: {one} 0 holds what belongs to {one} {by}, and so on up to the last "
     "{one}, whose values come more than once"},
    {[](Index i, Index by, Index) { return std::max(i - by, Index{0}); }, true,
     "C's {ones} are shifted: {one} {by} holds what belongs to {one} 0, and so on, and so does "
     "each {one} before it"},
    {[](Index i, Index by, Index size) { return wrapped(i + by, size); }, true,
     "C's {ones} are rotated: {one} 0 holds what belongs to {one} {by}, and the last {one} what "
     "belongs to {one} {by_less}"},
    {[](Index i, Index by, Index size) { return wrapped(i - by, size); }, true,
     "C's {ones} are rotated: {one} {by} holds what belongs to {one} 0, and {one} {by_less} what "
     "belongs to the last {one}"},
    {[](Index i, Index by, Index) { return exchanged(i, by); }, true,
     "C's {ones} are exchanged: 0 with {by}, and so on, in each {twice}", same_text},
    {[](Index i, Index by, Index) { return i % by; }, true,
     "C's {ones} repeat: {one} {by} holds what belongs to {one} 0, and so on",
     "C repeats its first {by} rows and columns"},
    {[](Index i, Index by, Index) { return i / by * by; }, true,
     "Each {by} {ones} of C hold what belongs to the first of them"},
    {nullptr, true, "Rows and columns are exchanged in each {by}×{by} elements of C", nullptr,
     [](const Place& at, Index by) {
       return Place{at.row / by * by + at.column % by, at.column / by * by + at.row % by};
     }},
    {[](Index i, Index by, Index) { return i / by * by + by - 1 - i % by; }, true,
     "Each {by} {ones} of C are in the opposite order"},
    {[](Index i, Index, Index size) { return right_if(i < size - 1, i); }, false,
     "C's last {one} is missing, and the rest is right",
     "C's last row and last column are missing, and the rest is right"},
    {[](Index i, Index, Index) { return right_if(i > 0, i); }, false,
     "C's first {one} is missing, and the rest is right"},
    {[](Index i, Index, Index) { return right_if(i % 2 == 0, i); }, false,
     "Only C's even {ones} are there"},
    {[](Index i, Index, Index size) { return right_if(i < (size + 1) / 2, i); }, false,
     "Only the first half of C's {ones} is there",
     "Only the first half of C's rows and of its columns is there"},
    {nullptr, false, "Only the elements of C on its diagonal and above are there", nullptr,
     [](const Place& at, Index) { return right_if(at.row <= at.column, at); }},
    {nullptr, false, "Only the elements of C on its diagonal and below are there", nullptr,
     [](const Place& at, Index) { return right_if(at.row >= at.column, at); }},
    {[](Index i, Index by, Index) { return right_if(i % by != by - 1, i); }, true,
     "The last of each {by} {ones} of C is missing, and the rest is right"},
    {[](Index i, Index by, Index) { return right_if(i % by == 0, i); }, true,
     "Only the first of each {by} {ones} of C is there"},
    {[](Index i, Index by, Index size) { return right_if(i < size / by * by, i); }, true,
     "C's last {ones} are missing, from {from}, and the rest is right", same_text},
    {nullptr, true, "Only the tiles of {by}×{by} elements on C's diagonal are there", nullptr,
     [](const Place& at, Index by) { return right_if(at.row / by == at.column / by, at); }},
    {[](Index i, Index by, Index) { return right_if(i < by, i); }, true,
     "Only C's first {by} {ones} are there", same_text},
    {nullptr, true,
     "The tiles of C are exchanged: of {by}×{by} elements each, the tile in row i and column j of "
     "the tiles with that in row j and column i",
     nullptr,
     [](const Place& at, Index by) {
       return Place{at.column / by * by + at.row % by, at.row / by * by + at.column % by};
     }},
};

// In each group of so many columns or rows of C, which of them each one holds; -1 if it is missing.
struct Order {
  bool of_rows = false;
  std::vector<int> from;

  Place source(const Place& at) const {
    const auto size = std::ssize(from);
    const std::int64_t index = of_rows ? at.row : at.column;
    const int source = from[index % size];
    if (source < 0) return {-1, -1};
    const std::int64_t moved = index - index % size + source;
    return of_rows ? Place{moved, at.column} : Place{at.row, moved};
  }
};

// --- The precision of A and B

float with_mantissa(float value, int bits, bool is_rounded) {
  const auto all = std::bit_cast<std::uint32_t>(value);
  const int lost = 23 - bits;
  const std::uint32_t half = is_rounded ? 1u << (lost - 1) : 0;
  return std::bit_cast<float>((all + half) >> lost << lost);
}

struct Precision {
  float (*rounded)(float value);
  const char* text;
};

constexpr Precision precisions[] = {
    {[](float value) { return value; }, ""},
    {[](float value) { return with_mantissa(value, 10, true); },
     "A and B are rounded to TF32, with 10 bits after the leading one, and then the sums are "
     "right"},
    {[](float value) { return with_mantissa(value, 10, false); },
     "A and B are cut off to TF32, with 10 bits after the leading one, and then the sums are "
     "right"},
    {[](float value) { return gemm_tutor::rounded(value, Scalar::f16); },
     "A and B are rounded to half precision, and then the sums are right"},
    {[](float value) { return gemm_tutor::rounded(value, Scalar::bf16); },
     "A and B are rounded to bfloat16, and then the sums are right"},
};

// --- Formulas

// A scale that multiplies the sums so far once for each step along K. Those of the last step are
// multiplied by it `after` times.
struct Repeated {
  enum class Of { nothing, alpha, beta } of = Of::nothing;
  int depth = 1;
  int after = 1;
};

struct Formula {
  Role first = Role::a, second = Role::b;  // the matrices that are read in place of A and B
  Layout a, b, c;
  const Selection* selection = &selections[0];
  int depth = 1;
  const Scale* scale = &scale_table[0];
  Factor factor = {};
  double added = 0;
  Repeated repeated = {};
  const Misplacement* misplacement = &misplacements[0];
  Axis axis = Axis::rows;  // of which the misplacement is
  int by = 1;
  Order order = {};
  const Precision* precision = &precisions[0];
  const Operation* operation = &operations[0];
  const Afterwards* after = &afterwards[0];
};

Formula right_formula(const Transposed& transposed) {
  return {.a = transposed.a ? Layout{Role::m, true} : Layout{Role::k},
          .b = transposed.b ? Layout{Role::k, true} : Layout{Role::n},
          .c = Layout{Role::n}};
}

// A computed C with its operands, as they are stored.
class Instance {
 public:
  explicit Instance(const ComputedC& computed)
      : computed_(computed),
        matrices_(make_matrices(computed.problem, computed.seed, nullptr, computed.update)) {}

  const ComputedC& computed() const { return computed_; }
  const Problem& problem() const { return computed_.problem; }

  // Computed values of some elements, with those that a right kernel gives and their error bounds.
  struct Compared {
    double value = 0, reference = 0, bound = 0;
  };
  std::vector<Compared> compared() const {
    return compared_with(right_formula(computed_.transposed));
  }

  // For each of `by` columns or rows of a group, the first whose right sums are there instead.
  // Nothing if one holds the sums of none, or if each holds its own.
  std::optional<Order> order_of(bool of_rows, int by) const {
    Formula formula = right_formula(computed_.transposed);
    std::vector<std::vector<const ComputedElement*>> samples(static_cast<std::size_t>(by));
    constexpr std::size_t enough = 4;
    for (const ComputedElement& element : computed_.elements) {
      const std::int64_t index =
          of_rows ? element.index / problem().n : element.index % problem().n;
      std::vector<const ComputedElement*>& some = samples[index % by];
      if (some.size() < enough) some.push_back(&element);
    }
    Order order{of_rows, {}};
    bool is_right = true;
    formula.order.of_rows = of_rows;
    const Evaluation evaluation(*this, formula);  // with the order that the formula has then
    for (int at = 0; at < by; ++at) {
      const auto gives = [&](int from) {
        formula.order.from.assign(static_cast<std::size_t>(by), from);
        bool has_sums = false;
        return std::ranges::all_of(
            samples[at], [&](const auto* one) { return evaluation.gives(*one, has_sums); });
      };
      if (samples[at].empty()) return {};
      int from = at;  // where it belongs comes first, and nothing last
      for (int next = 0; !gives(from); ++next) {
        if (from < 0) return {};
        from = next == by ? -1 : next;
      }
      order.from.push_back(from);
      is_right = is_right && from == at;
    }
    const bool is_empty = std::ranges::count(order.from, -1) == by;
    return is_right || is_empty ? std::nullopt : std::optional(std::move(order));
  }

  bool is_given_by(const Formula& formula) const {
    // A formula that is wrong fails at the first few elements.
    const Evaluation evaluation(*this, formula);
    if (!evaluation.is_possible()) return false;
    bool has_sums = false;  // else a formula whose sums all lie outside of C would fit a C of zeros
    for (const bool is_sum : {false, true}) {  // the sum of a NaN refutes few formulas
      for (const ComputedElement& element : computed_.elements) {
        const bool is_nan = std::isnan(element.value) && !is_poison(element.value);
        if (is_nan == is_sum && !evaluation.gives(element, has_sums)) return false;
      }
    }
    return has_sums && tells_values_apart(formula);
  }

 private:
  // The same with what a formula gives.
  std::vector<Compared> compared_with(const Formula& formula) const {
    const Evaluation evaluation(*this, formula);
    std::vector<Compared> result;
    constexpr std::size_t enough = 64;
    for (const ComputedElement& element : computed_.elements) {
      if (result.size() == enough) break;
      if (!std::isfinite(element.value)) continue;
      const Place at{element.index / problem().n, element.index % problem().n};
      const auto [value, bound] = evaluation.expected(at, element.index);
      result.push_back({element.value, value, bound});
    }
    return result;
  }

  // Not if nearly any values were within the formula's bounds, as in low precision where it adds
  // products thousands of times.
  bool tells_values_apart(const Formula& formula) const {
    constexpr double widest = 0.25;
    double bounds = 0, values = 0;
    for (const Compared& one : compared_with(formula)) bounds += one.bound;
    for (const Compared& one : compared())
      values += std::max(std::abs(one.value), std::abs(one.reference));
    return bounds <= widest * values;
  }

  struct Terms {
    std::vector<Term> all;
    int count = 0;  // each as often as it is added
  };

  // One formula at this size.
  class Evaluation {
   public:
    Evaluation(const Instance& instance, const Formula& formula)
        : instance_(instance),
          formula_(formula),
          problem_(instance.problem()),
          c_before_(instance.matrices_.c_before),
          terms_(instance.terms(*formula.selection, formula.depth)),
          scales_(scales()),
          bound_(number_of_terms(), scaling()),
          is_even_(formula.a.is_even() && formula.b.is_even() &&
                   formula.operation == &operations[0] && formula.precision == &precisions[0] &&
                   formula.repeated.of == Repeated::Of::nothing) {}

    Scaling scaling() const {
      Scaling result = scaling_of(instance_.computed_.update, {});
      result.alpha = scales_.of_product, result.beta = scales_.of_c;
      return result;
    }

    // Without numbers in C there is nothing to add.
    bool is_possible() const { return scales_.of_c == 0 || !c_before_.empty(); }

    // Sets `has_sums` if the element holds a sum.
    bool gives(const ComputedElement& element, bool& has_sums) const {
      bool has_source = false, is_given = false;
      for_each_source(element.index, [&](const Place& at) {
        const Place source =
            formula_.order.from.empty()
                ? formula_.misplacement->source(at, formula_.axis, formula_.by, problem_)
                : formula_.order.source(at);
        const bool is_inside = source.row >= 0 && source.row < problem_.m && source.column >= 0 &&
                               source.column < problem_.n;
        has_source = true;
        has_sums = has_sums || (is_inside && std::isfinite(element.value));
        is_given = is_given || (is_inside ? is_sum(source, element)
                                          : element.value == 0 || is_untouched(element));
      });
      return has_source ? is_given : is_untouched(element);
    }

    std::pair<double, double> expected(const Place& source, std::int64_t index) const {
      const Operation& operation = *formula_.operation;
      const std::int64_t row = formula_.a.exchanged ? source.column : source.row;
      const std::int64_t column = formula_.b.exchanged ? source.row : source.column;
      double value = 0, magnitude = 0;
      if (is_even_) {  // as most are: then the sum takes a fifth of the time
        const Line a = line_of(formula_.first, formula_.a, row, 0, 0, 1);
        const Line b = line_of(formula_.second, formula_.b, 0, column, 1, 0);
        for (const Term& term : terms_.all) {
          const double product = term.times * (a.at(term.a) * b.at(term.b));
          value += product;
          magnitude += std::abs(product);
        }
      } else {
        for (const Term& term : terms_.all) {
          const auto [of_a, of_b] = elements_of(term, row, column, source);
          const double a = value_at(of_a), b = value_at(of_b);
          const double times = term.times * times_of_step(term.b);
          value += times * operation.value(a, b);
          magnitude += std::abs(times) * operation.magnitude(a, b);
        }
      }
      value *= scales_.of_product;
      magnitude *= std::abs(scales_.of_product);
      if (scales_.of_c != 0) {
        value += scales_.of_c * c_before_[index];
        magnitude += std::abs(scales_.of_c * c_before_[index]);
      }
      return {formula_.after->value(value + scales_.added),
              bound_(magnitude + std::abs(scales_.added))};
    }

   private:
    Applied scales() const {
      const Update& update = instance_.computed_.update;
      Applied result = formula_.scale->scales(update.scale_of_product(), update.scale_of_c());
      result.of_product *= formula_.factor.value(instance_.computed_.grid);
      result.added += formula_.added;
      if (formula_.repeated.of == Repeated::Of::alpha) result.of_product /= *update.alpha;
      if (formula_.repeated.of == Repeated::Of::beta) result.of_c = std::pow(*update.beta, steps());
      return result;
    }

    int steps() const { return (problem_.k - 1) / formula_.repeated.depth + 1; }

    // By how much the products of k are multiplied in the steps along K.
    double times_of_step(int k) const {
      const auto& [of, depth, after] = formula_.repeated;
      if (of == Repeated::Of::nothing) return 1;
      const Update& update = instance_.computed_.update;
      return std::pow(of == Repeated::Of::alpha ? *update.alpha : *update.beta,
                      steps() - 1 - k / depth + after);
    }

    // The number of terms of a sum, or that of a right sum if it is larger.
    int number_of_terms() const {
      return std::max(terms_.count * formula_.operation->terms, problem_.k) +
             (formula_.added != 0 ? 1 : 0) +
             (formula_.repeated.of == Repeated::Of::nothing ? 0 : steps());
    }

    // Values at the same distance from one another, for k = 0, 1 and so on; 0 outside of the
    // matrix.
    struct Line {
      std::span<const float> values;
      std::int64_t begin = 0, step = 1;
      double at(int k) const {
        const std::int64_t index = begin + step * k;
        return index < 0 || index >= std::ssize(values) ? 0 : values[index];
      }
    };

    // From a row and a column on, each so much further with each k, of a layout that is even.
    Line line_of(Role matrix, const Layout& layout, std::int64_t row, std::int64_t column,
                 std::int64_t by_rows, std::int64_t by_columns) const {
      const std::int64_t begin = layout.index(row, column, problem_);
      return {values_of(matrix), begin,
              layout.index(row + by_rows, column + by_columns, problem_) - begin};
    }

    const std::vector<float>& values_of(Role matrix) const {
      return matrix == Role::a ? instance_.matrices_.a : instance_.matrices_.b;
    }

    // Null outside of the matrix.
    const float* element_of(Role matrix, const Layout& layout, std::int64_t row,
                            std::int64_t column) const {
      if (const int tile = layout.tile; tile > 0) {
        const std::int64_t in_row = row % tile, in_column = column % tile;
        row += in_column - in_row, column += in_row - in_column;
        const bool is_a = matrix == Role::a;
        if (row >= (is_a ? problem_.m : problem_.k) || column >= (is_a ? problem_.k : problem_.n))
          return nullptr;
      }
      if (layout.quarters > 0) {
        const auto [k, other] = matrix == Role::a ? std::tie(column, row) : std::tie(row, column);
        const bool is_other_quarter = k / layout.quarters % 2 != other / rows_of_fragment % 2;
        if (is_other_quarter) k ^= layout.quarters, other ^= rows_of_fragment;
        if (k >= problem_.k || other >= (matrix == Role::a ? problem_.m : problem_.n))
          return nullptr;
      }
      const std::vector<float>& values = values_of(matrix);
      const std::int64_t index = layout.index(row, column, problem_);
      return index < 0 || index >= std::ssize(values) ? nullptr : &values[index];
    }

    std::pair<const float*, const float*> elements_of(const Term& term, std::int64_t row,
                                                      std::int64_t column,
                                                      const Place& of_c) const {
      return {element_of(formula_.first, formula_.a, row, formula_.a.of_c ? of_c.column : term.a),
              element_of(formula_.second, formula_.b, formula_.b.of_c ? of_c.row : term.b, column)};
    }

    // Where a kernel guards its reads, 0.
    double value_at(const float* element) const {
      return element ? formula_.precision->rounded(*element) : 0;
    }

    // Where it does not, the emulator's value is a NaN.
    bool reads_outside(const Place& source) const {
      const std::int64_t row = formula_.a.exchanged ? source.column : source.row;
      const std::int64_t column = formula_.b.exchanged ? source.row : source.column;
      return std::ranges::any_of(terms_.all, [&](const Term& term) {
        const auto [a, b] = elements_of(term, row, column, source);
        return !a || !b;
      });
    }

    bool is_untouched(const ComputedElement& element) const {
      return is_poison(element.value) ||
             (!c_before_.empty() && element.value == c_before_[element.index]);
    }

    bool is_sum(const Place& source, const ComputedElement& element) const {
      if (std::isnan(element.value) && !is_poison(element.value)) return reads_outside(source);
      const auto [value, bound] = expected(source, element.index);
      return std::abs(element.value - value) <= bound;
    }

    // The elements that are stored at this index: one, or several of which any may be last.
    template <class Take>
    void for_each_source(std::int64_t index, const Take& take) const {
      index -= formula_.c.offset(problem_);
      if (index < 0) return;
      const std::int64_t stride = size_of(formula_.c.stride, problem_);
      const std::int64_t outer_count = formula_.c.down ? problem_.n : problem_.m;
      const std::int64_t inner_count = formula_.c.down ? problem_.m : problem_.n;
      for (std::int64_t outer = std::min(index / stride, outer_count - 1); outer >= 0; --outer) {
        const std::int64_t inner = index - outer * stride;
        if (inner >= inner_count) return;
        take_tiles(formula_.c.down ? Place{inner, outer} : Place{outer, inner}, take);
      }
    }

    // The elements of all tiles that are written there.
    template <typename Take>
    void take_tiles(const Place& at, const Take& take) const {
      const auto& [side, step, of_columns] = formula_.c.apart;
      if (side == 0) return take(at);
      const std::int64_t place = of_columns ? at.column : at.row;
      for (std::int64_t tile = place / step; tile >= 0 && place - tile * step < side; --tile) {
        const std::int64_t from = tile * side + place - tile * step;
        if (from >= (of_columns ? problem_.n : problem_.m)) continue;
        take(of_columns ? Place{at.row, from} : Place{from, at.column});
      }
    }

    const Instance& instance_;
    const Formula& formula_;
    const Problem& problem_;
    const std::vector<float>& c_before_;
    const Terms& terms_;
    Applied scales_;
    ErrorBound bound_;
    bool is_even_;  // A and B are read at even distances and multiplied as they are
  };

  // Thousands of formulas share them.
  const Terms& terms(const Selection& selection, int depth) const {
    const auto [place, is_new] = terms_.try_emplace({&selection, depth});
    Terms& terms = place->second;
    if (is_new) {
      terms.all = terms_of(selection.term, {problem().k, depth});
      for (const Term& term : terms.all) terms.count += term.times;
    }
    return terms;
  }

  const ComputedC& computed_;
  Matrices matrices_;
  mutable std::map<std::pair<const Selection*, int>, Terms> terms_;
};

// --- The formulas to try

// The factors that the numbers of a wrong result suggest. Each is tried as any other formula.
std::vector<Factor> likely_factors(const Instance& wrong) {
  std::vector<Factor> result = {{1, &simt::Dim3::z, "gridDim.z"},
                                {1, &simt::Dim3::x, "gridDim.x"},
                                {1, &simt::Dim3::y, "gridDim.y"},
                                {-1}};
  const auto compared = wrong.compared();
  const auto size = [](const auto& one) { return std::abs(one.reference); };
  const auto largest = std::ranges::max_element(compared, {}, size);
  if (largest == compared.end() || largest->reference == 0) return result;
  const double ratio = largest->value / largest->reference;
  constexpr double most = 4096;
  if (std::abs(ratio) <= most && std::round(ratio) != 0 && std::round(ratio) != 1)
    result.push_back({std::round(ratio)});
  if (ratio != 0 && std::abs(1 / ratio) <= most && std::abs(std::round(1 / ratio)) > 1)
    result.push_back({1 / std::round(1 / ratio)});
  return result;
}

// What may have been added to all of C: a whole number.
std::optional<double> likely_addition(const Instance& wrong) {
  const auto compared = wrong.compared();
  const auto best = std::ranges::min_element(compared, {}, &Instance::Compared::bound);
  if (best == compared.end()) return {};
  const double by = std::round(best->value - best->reference);
  return by == 0 || !std::isfinite(by) ? std::nullopt : std::optional(by);
}

// How many of the layouts are not the right ones.
int wrong_layouts(const Formula& one, const Formula& right) {
  return static_cast<int>(one.a != right.a) + static_cast<int>(one.b != right.b) +
         static_cast<int>(one.c != right.c);
}

// Each begins as the right one, and is changed in one or two things.
struct Formulas {
  Formula right;
  std::vector<Formula> all = {};

  Formula& add() { return all.emplace_back(right); }
};

// A pointer that moves too far or not far enough, from each step along K to the next.
void add_movements(Formulas& formulas, const std::vector<int>& sides) {
  for (Layout Formula::*const of : {&Formula::a, &Formula::b}) {
    for (const int depth : sides) {
      if (depth == 1) continue;
      for (const bool is_whole : {true, false}) {
        for (const std::optional<Role> size : {std::optional<Role>(), std::optional(Role::m),
                                               std::optional(Role::n), std::optional(Role::k)})
          (formulas.add().*of).movement = {depth, is_whole, size, of == &Formula::b};
      }
    }
  }
}

// blockIdx.y * BN where BM is meant.
void add_tiles_apart(Formulas& formulas, const std::vector<int>& sides) {
  constexpr int least = 4;
  for (const int side : sides) {
    for (const int step : sides) {
      if (side == step || side < least || step < least) continue;
      formulas.add().a.apart = {side, step, false};
      formulas.add().c.apart = {side, step, false};
      formulas.add().b.apart = {side, step, true};
      formulas.add().c.apart = {side, step, true};
    }
  }
}

// A[row * N + column] * B[row * N + column], once or for every k.
void add_products_of_elements(Formulas& formulas) {
  for (const Role stride : {Role::k, Role::n}) {
    for (const Selection* selection : {&selections[0], &only_first}) {
      Formula& one = formulas.add();
      one.selection = selection;
      one.a = {.stride = stride, .of_c = true};
      one.b = {.stride = Role::n, .of_c = true};
    }
  }
}

void add_layouts(Formulas& formulas, const std::vector<int>& sides) {
  const Formula& right = formulas.right;
  Formulas found{right};
  for (const Layout& a : all_layouts()) {
    for (const Layout& b : all_layouts()) {
      for (const Layout& c : all_layouts()) {
        Formula& one = found.add();
        one.a = a, one.b = b, one.c = c;
      }
    }
  }
  std::ranges::stable_sort(found.all, {},
                           [&](const auto& one) { return wrong_layouts(one, right); });
  formulas.all.insert(formulas.all.end(), found.all.begin() + 1, found.all.end());  // not the right
  for (Layout Formula::*const of : {&Formula::a, &Formula::b}) {
    std::vector<Layout> layouts = all_layouts();
    layouts.insert(layouts.begin(), right.*of);  // at square sizes any stride would do
    for (Layout& layout : layouts) {
      layout.exchanged = true;
      formulas.add().*of = layout;
    }
  }
  for (Layout Formula::*const of : {&Formula::a, &Formula::b, &Formula::c}) {
    for (const int elements : {1, -1}) (formulas.add().*of).elements = elements;
    for (const int rows : {1, -1}) (formulas.add().*of).rows = rows;
    for (const int side : sides) {
      for (const int elements : {side, -side})
        if (side > 1) (formulas.add().*of).elements = elements;
    }
  }
  if (!right.a.down && !right.b.down) {
    add_movements(formulas, sides);
    add_products_of_elements(formulas);
  }
  for (Layout Formula::*const of : {&Formula::a, &Formula::b}) {
    for (const int of_register : {4, 8, 16}) {  // values of k: of TF32, of 16 bits, of 8
      (formulas.add().*of).quarters = of_register;
    }
    for (const int side : sides) {
      if (side == 1) continue;
      (formulas.add().*of).tile = side;
      (formulas.add().*of).tiles = side;
      (formulas.add().*of).from_step = {side, of == &Formula::b};
    }
  }
  for (const auto& [first, second] :
       {std::pair{Role::b, Role::a}, std::pair{Role::a, Role::a}, std::pair{Role::b, Role::b}}) {
    for (const Layout& a : all_layouts()) {
      for (const Layout& b : all_layouts()) {
        Formula& one = formulas.add();
        one.first = first, one.second = second;
        one.a = a, one.b = b;
      }
    }
  }
}

void add_misplacements(Formulas& formulas, const std::vector<int>& sides) {
  for (const Misplacement& one : std::span(misplacements).subspan(1)) {
    for (const Axis axis : {Axis::rows, Axis::columns, Axis::both}) {
      const bool is_tried = one.place ? axis == Axis::both : axis != Axis::both || one.of_both;
      if (!is_tried) continue;
      for (const int side : one.has_side ? sides : std::vector{1}) {
        Formula& added = formulas.add();
        added.misplacement = &one, added.axis = axis, added.by = side;
      }
    }
  }
}

std::vector<Formula> formulas_to_try(const Instance& wrong, const std::vector<int>& sides) {
  Formulas formulas{right_formula(wrong.computed().transposed)};
  const Update& update = wrong.computed().update;
  for (const Scale& scale : std::span(scale_table).subspan(1)) {
    const bool needs_alpha = scale.needs == Needs::alpha || scale.needs == Needs::both;
    const bool needs_beta = scale.needs == Needs::beta || scale.needs == Needs::both;
    if ((needs_alpha && !update.alpha) || (needs_beta && !update.beta)) continue;
    formulas.add().scale = &scale;
  }
  const auto is_scale = [](const std::optional<double>& one) {
    return one && *one != 0 && *one != 1;
  };
  for (const int depth : sides) {
    for (const int after : {1, 0, 2}) {
      for (const auto of : {Repeated::Of::alpha, Repeated::Of::beta}) {
        if (is_scale(of == Repeated::Of::alpha ? update.alpha : update.beta))
          formulas.add().repeated = {of, depth, after};
      }
    }
  }
  for (const Factor& factor : likely_factors(wrong)) formulas.add().factor = factor;
  if (const auto addition = likely_addition(wrong)) formulas.add().added = *addition;
  // The kernel's own numbers come first: every second step of 4 is half of each step of 8.
  for (const int side : sides) {
    for (const Selection& selection : std::span(selections).subspan(1)) {
      if (selection.has_steps ? side == 1 : side != sides.front()) continue;
      Formula& one = formulas.add();
      one.selection = &selection, one.depth = side;
    }
  }
  add_layouts(formulas, sides);
  add_tiles_apart(formulas, sides);
  add_misplacements(formulas, sides);
  const auto add_each = [&](const auto& table, auto Formula::*const of) {
    for (const auto& one : std::span(table).subspan(1)) formulas.add().*of = &one;
  };
  add_each(precisions, &Formula::precision);
  add_each(operations, &Formula::operation);
  add_each(afterwards, &Formula::after);
  return std::move(formulas.all);
}

// Two mistakes at once: one matrix is read or written at wrong places, and products are missing or
// added too often. Of the kernel's own numbers the first are tried as the steps' depth.
std::vector<Formula> pairs_to_try(const Instance& wrong, const std::vector<int>& sides) {
  Formulas formulas{right_formula(wrong.computed().transposed)};
  constexpr std::size_t most = 6;
  for (Layout Formula::*const of : {&Formula::a, &Formula::b, &Formula::c}) {
    for (const Layout& layout : all_layouts()) {
      if (layout == formulas.right.*of) continue;
      for (const Selection& selection : std::span(selections).subspan(1)) {
        for (std::size_t i = 0; i < std::min(sides.size(), selection.has_steps ? most : 1); ++i) {
          Formula& one = formulas.add();
          one.*of = layout;
          one.selection = &selection, one.depth = sides[i];
        }
      }
    }
  }
  return std::move(formulas.all);
}

// Orders are not listed but found, which takes longer than to try a formula.
std::vector<Formula> orders_to_try(const Instance& wrong, const std::vector<int>& sides) {
  constexpr int largest = 128;
  std::vector<int> groups;
  std::ranges::copy_if(sides, std::back_inserter(groups),
                       [](int side) { return side > 1 && side <= largest; });
  std::ranges::sort(groups);
  std::vector<Formula> formulas;
  for (const int by : groups) {
    for (const bool of_rows : {false, true}) {
      if (by > (of_rows ? wrong.problem().m : wrong.problem().n)) continue;
      auto order = wrong.order_of(of_rows, by);
      if (!order) continue;
      formulas.push_back(right_formula(wrong.computed().transposed));
      formulas.back().order = std::move(*order);
    }
  }
  return formulas;
}

// --- Words

// "In each 4 columns of C, column 3 holds what belongs to column 2".
std::string order_text(const Order& order) {
  const char* one = order.of_rows ? "row" : "column";
  const auto size = static_cast<int>(order.from.size());
  std::vector<std::string> parts;
  std::vector<int> missing;
  int moved = 0;
  for (int at = 0; at < size; ++at) {
    const int from = order.from[at];
    if (from == at) continue;
    ++moved;
    const bool is_exchange = from >= 0 && order.from[from] == at;
    if (from < 0)
      missing.push_back(at);
    else if (!is_exchange)
      parts.push_back(fmt::format("{} {} holds what belongs to {} {}", one, at, one, from));
    else if (at < from)
      parts.push_back(fmt::format("{}s {} and {} are exchanged", one, at, from));
  }
  if (!missing.empty())
    parts.push_back(fmt::format("{}{} {} {} missing", one, missing.size() == 1 ? "" : "s",
                                set_text(missing), missing.size() == 1 ? "is" : "are"));
  constexpr int most = 4;
  if (moved <= most || std::ssize(missing) == moved)
    return fmt::format("In each {} {}s of C, {}", size, one, join(parts, ", and "));
  std::vector<std::string> first;
  const auto begin = static_cast<int>(
      std::ranges::find_if(order.from, [at = 0](int from) mutable { return from != at++; }) -
      order.from.begin());
  const int end = std::min(size, begin + 8);
  for (int at = begin; at < end; ++at) {
    const int from = order.from[at];
    first.push_back(from < 0 ? "none" : std::to_string(from));
  }
  return fmt::format("In each {} {}s of C, {}s {}, {}, {} and so on hold what belongs to {}s {}{}",
                     size, one, one, begin, begin + 1, begin + 2, one, join(first, ", "),
                     end < size ? ", …" : "");
}

// "Aᵀ·B", "(A·B)ᵀ"; for square matrices "B·A", which is (Aᵀ·Bᵀ)ᵀ.
std::string product_text(const Formula& one, bool is_square) {
  if (is_square && one.a.down && one.b.down && one.c.down)
    return fmt::format("{}·{}", name_of(one.second), name_of(one.first));
  const auto factor = [](Role matrix, const Layout& layout) {
    return std::string(name_of(matrix)) + (layout.down ? "ᵀ" : "");
  };
  const std::string product =
      fmt::format("{}·{}", factor(one.first, one.a), factor(one.second, one.b));
  return one.c.down ? fmt::format("({})ᵀ", product) : product;
}

// "16·N elements", or their number at a square size.
std::string movement_text(const Movement& one, const Problem& problem, bool is_square) {
  if (is_square) return fmt::format("{} elements", one.elements(problem));
  const std::string size = one.size ? std::string(name_of(*one.size)) : "";
  if (!one.is_whole) return one.size ? size + " elements" : "1 element";
  return fmt::format("{}{}{} elements", one.depth, one.size ? "·" : "", size);
}

// At square sizes the strides of the indices are not known.
std::string layout_text(const Formula& one, const ComputedC& wrong, bool is_square) {
  const Transposed& transposed = wrong.transposed;
  const Formula right = right_formula(transposed);
  for (const auto& [name, layout] : {std::pair{"A", &one.a}, std::pair{"B", &one.b}}) {
    if (layout->tile > 0)
      return fmt::format("{0}'s rows and columns are exchanged in each {1}×{1} elements", name,
                         layout->tile);
    if (layout->tiles > 0)
      return fmt::format(
          "{0}'s tiles of {1}×{1} elements are exchanged: the tile in row i and column j of the "
          "tiles "
          "with that in row j and column i",
          name, layout->tiles);
    if (layout->quarters > 0)
      return fmt::format(
          "In each {0} {1} of {2} and {3} values of k, the first {4} {1} with the last {5} values "
          "of k are exchanged with the last {4} {1} and the first {5} values of k",
          2 * rows_of_fragment, layout == &one.a ? "rows" : "columns", name, 2 * layout->quarters,
          rows_of_fragment, layout->quarters);
    if (layout->movement.depth > 0) {
      Movement usual{layout->movement.depth, true};
      if (layout == &one.b) usual.size = Role::n;
      return fmt::format("{} moves on by {} from each step along K to the next, not by {}", name,
                         movement_text(layout->movement, wrong.problem, is_square),
                         movement_text(usual, wrong.problem, is_square));
    }
  }
  if (one.a.of_c) {
    const char* times = one.selection == &only_first ? "" : "K times ";
    if (is_square) return fmt::format("C is {}the product of A and B element by element", times);
    return fmt::format("C is {}the product of one element of A, at index {}, and one of B, at {}",
                       times, index_text(one.a, "row", "column"),
                       index_text(one.b, "row", "column"));
  }
  const bool is_usual = one.first == Role::a && one.second == Role::b;
  const auto is_plain = [](const Layout& layout) {
    return !layout.exchanged && layout.elements == 0 && layout.rows == 0 && layout.tile == 0 &&
           layout.quarters == 0;
  };
  const bool is_turned =
      one.a.down != right.a.down || one.b.down != right.b.down || one.c.down != right.c.down;
  const bool is_product = transposed == Transposed{} && (!is_usual || is_turned) &&
                          is_plain(one.a) && is_plain(one.b) && is_plain(one.c);
  const std::string product = is_product ? "C is " + product_text(one, is_square) : "";
  if (is_product && is_usual && one.c.down && one.a.down != one.b.down) {
    // Column by column, each matrix is the transpose of what it is row by row.
    return product + fmt::format(", which is A{}·B{} of matrices that are stored column by column",
                                 one.a.down ? "" : "ᵀ", one.b.down ? "" : "ᵀ");
  }
  if (is_square && is_product) return product;
  std::vector<std::string> parts;
  const auto add = [&](const std::string& what, const Layout& is, const std::string& index,
                       const Layout& should_be, const std::string& right_index) {
    if (is == should_be) return;
    parts.push_back(fmt::format("{} at index {}, not {}", what, index, right_index));
  };
  if (is_usual) {
    add("A is read", one.a, index_text(one.a, one.a.exchanged ? "column" : "row", "k"), right.a,
        index_text(right.a, "row", "k"));
    add("B is read", one.b, index_text(one.b, "k", one.b.exchanged ? "row" : "column"), right.b,
        index_text(right.b, "k", "column"));
    add("C is written", one.c, index_text(one.c, "row", "column"), right.c,
        index_text(right.c, "row", "column"));
  } else {
    parts = {
        fmt::format("{} is read at index {}", name_of(one.first), index_text(one.a, "row", "k")),
        fmt::format("{} at index {}", name_of(one.second), index_text(one.b, "k", "column"))};
  }
  return product + (product.empty() ? "" : ": ") + join(parts, ", and ");
}

std::string factor_text(const Factor& factor, const simt::Dim3& grid,
                        const SourceNumbers& numbers) {
  const double value = factor.value(grid);
  if (value == -1) return "C has the wrong sign everywhere";
  const double large = std::abs(value) >= 1 ? value : 1 / value;
  std::vector<std::string> names;
  for (const auto& [name, number] : numbers.names) {
    if (number == large) names.push_back(name);
  }
  if (factor.extent) names.emplace_back(factor.name);
  std::string text = value == large ? fmt::format("C is exactly {} times too large", large)
                                    : fmt::format("C is exactly 1/{} of what is right", large);
  if (!names.empty())
    text += fmt::format(", and {} is the value of {}", large, join(names, " and of "));
  return text;
}

std::string scale_text(const Scale& scale, const Update& update) {
  const std::string product = update.alpha ? "alpha·A·B" : "A·B";
  const std::string expected = update.beta                ? product + " + beta·C"
                               : update.scale_of_c() == 0 ? product
                                                          : product + " + C";
  const char* leave = update.beta ? "" : " (leave --c out, if it is meant to)";
  return fmt::format(fmt::runtime(scale.text), fmt::arg("product", product),
                     fmt::arg("expected", expected), fmt::arg("leave", leave));
}

std::string selection_text(const Formula& one, int k) {
  const Along along(k, one.depth);
  return fmt::format(
      fmt::runtime(one.selection->text), fmt::arg("k", k), fmt::arg("before", k - 1),
      fmt::arg("half", k / 2), fmt::arg("half_up", (k + 1) / 2), fmt::arg("last", along.last),
      fmt::arg("whole", k / one.depth * one.depth),
      fmt::arg("before_whole", k / one.depth * one.depth - one.depth), fmt::arg("depth", one.depth),
      fmt::arg("depth_less", one.depth - 1), fmt::arg("depth_more", 2 * one.depth - 1),
      fmt::arg("half_depth", one.depth / 2), fmt::arg("other_half", one.depth - one.depth / 2),
      fmt::arg("twice", 2 * one.depth), fmt::arg("part", k / one.depth),
      fmt::arg("part_up", (k - 1) / one.depth + 1));
}

std::string places_text(const Formula& one, const Problem& problem) {
  const auto& [text, of_both] = std::pair(one.misplacement->text, one.misplacement->of_both);
  const std::string row = fmt::format("row {} of {}", problem.m / one.by * one.by, problem.m);
  const std::string column = fmt::format("column {} of {}", problem.n / one.by * one.by, problem.n);
  const bool of_rows = one.axis == Axis::rows, of_columns = one.axis == Axis::columns;
  return fmt::format(fmt::runtime(one.axis == Axis::both && of_both && *of_both ? of_both : text),
                     fmt::arg("one", of_rows ? "row" : "column"),
                     fmt::arg("ones", of_rows      ? "rows"
                                      : of_columns ? "columns"
                                                   : "rows and columns"),
                     fmt::arg("from", of_rows      ? row
                                      : of_columns ? column
                                                   : row + " and " + column),
                     fmt::arg("by", one.by), fmt::arg("by_less", one.by - 1),
                     fmt::arg("twice", 2 * one.by));
}

WrongKind kind_of(const Formula& one, const ComputedC& wrong, bool is_square,
                  const SourceNumbers& numbers) {
  if (one.scale != &scale_table[0]) {
    const bool is_zero = one.scale == &scale_table[1] && !numbers.whole_sum.empty();
    return {"scaling", scale_text(*one.scale, wrong.update) +
                           (is_zero ? fmt::format(": '{}' is an integer, and loses what is after "
                                                  "the point",
                                                  numbers.whole_sum)
                                    : "")};
  }
  if (one.factor.value(wrong.grid) != 1)
    return {"factor", factor_text(one.factor, wrong.grid, numbers)};
  if (one.repeated.of != Repeated::Of::nothing) {
    const int depth = one.repeated.depth;
    return {"scaling",
            fmt::format("{} scales all sums so far again {}, not once",
                        one.repeated.of == Repeated::Of::alpha ? "alpha" : "beta",
                        depth == 1 ? "for each k" : fmt::format("for each {} values of k", depth))};
  }
  if (one.added != 0)
    return {"added", fmt::format("Each element of C is {} too {}", std::abs(one.added),
                                 one.added > 0 ? "large" : "small")};
  if (!one.order.from.empty()) return {"places", order_text(one.order)};
  for (const auto& [of, name] :
       {std::pair{&Formula::a, "A"}, std::pair{&Formula::b, "B"}, std::pair{&Formula::c, "C"}}) {
    const Tiles& apart = (one.*of).apart;
    if (apart.side == 0) continue;
    const char* what = apart.of_columns ? "columns" : "rows";
    return {"layout", fmt::format("Tiles of {} {} of {} are {} {} {} apart", apart.side, what, name,
                                  of == &Formula::c ? "written" : "read", apart.step, what)};
  }
  for (const auto& [of, name] : {std::pair{&Formula::a, "A"}, std::pair{&Formula::b, "B"}}) {
    const FromStep& from = (one.*of).from_step;
    if (from.side == 0) continue;
    const char* what = from.of_columns ? "columns" : "rows";
    return {"layout", fmt::format("{} is read in tiles of {} {} that begin where the step along K "
                                  "does, not where the block's {} do",
                                  name, from.side, what, what)};
  }
  const int layouts = wrong_layouts(one, right_formula(wrong.transposed));
  if (one.selection != &selections[0] && !one.a.of_c) {
    const std::string text = selection_text(one, wrong.problem.k);
    if (layouts == 0) return {"products", text};
    return {"layout", layout_text(one, wrong, is_square) + ", and " + in_sentence(text)};
  }
  if (one.misplacement != &misplacements[0]) return {"places", places_text(one, wrong.problem)};
  if (one.precision != &precisions[0]) return {"precision", one.precision->text};
  if (one.operation != &operations[0]) return {"operation", one.operation->text};
  if (one.after != &afterwards[0]) return {"operation", one.after->text};
  return {"layout", layout_text(one, wrong, is_square), std::max(1, layouts)};
}

// The first variable of an integer type to which products of elements are added; empty if none.
std::string whole_sum(std::span<const source::Token> tokens) {
  std::set<std::string_view> whole;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::string_view word = tokens[i].text;
    if (source::integer_type(word) && tokens[i + 1].is_name()) whole.insert(tokens[i + 1].text);
    if (!whole.contains(word)) continue;
    std::size_t next = i + 1;
    while (next < tokens.size() && tokens[next].is("[")) next = closing(tokens, next) + 1;
    if (next >= tokens.size() || !tokens[next].is("+=")) continue;
    bool has_product = false, has_element = false;
    for (; next < tokens.size() && !tokens[next].is(";"); ++next) {
      has_product = has_product || tokens[next].is("*");
      has_element = has_element || tokens[next].is("[");
    }
    if (has_product && has_element) return std::string(word);
  }
  return {};
}

bool has_equal_sizes(const ComputedC& one) {
  const auto& [m, n, k] = one.problem;
  return m == n || n == k || m == k;
}

}  // namespace

std::string set_text(const std::vector<int>& numbers) {
  const int first = numbers.front(), last = numbers.back();
  const auto count = static_cast<int>(numbers.size());
  if (last - first == count - 1 && count > 2) return fmt::format("{} to {}", first, last);
  const int step = count > 1 ? numbers[1] - first : 1;
  bool is_regular = true;
  for (int i = 1; i < count; ++i) is_regular = is_regular && numbers[i] == first + i * step;
  std::vector<std::string> texts;
  for (const int one : numbers) texts.push_back(std::to_string(one));
  constexpr std::size_t most = 5;
  if (texts.size() <= most) return join(texts, ", ");
  texts.resize(3);
  return join(texts, ", ") + (is_regular ? fmt::format(", …, {}", last) : ", …");
}

std::vector<ComputedElement> elements_to_explain(const Problem& problem, std::span<const float> c,
                                                 const std::vector<Region>& regions,
                                                 const std::optional<WrongElement>& first_wrong) {
  std::vector<ComputedElement> result;
  const auto take = [&](std::int64_t row, std::int64_t column) {
    const std::int64_t index = row * problem.n + column;
    result.push_back({index, c[index]});
  };
  if (first_wrong) take(first_wrong->row, first_wrong->column);
  const std::vector<Region> all = {{0, problem.m, 0, problem.n}};
  const std::vector<Region>& checked = regions.empty() ? all : regions;
  std::int64_t elements = 0;
  for (const Region& region : checked) elements += region.elements();
  // A random one from each of as many equal parts.
  constexpr std::int64_t multiply_adds = 1 << 22;  // for each formula that fits
  const std::int64_t wanted =
      std::min(elements, std::max<std::int64_t>(64, multiply_adds / problem.k));
  constexpr std::uint64_t stream = 4;  // of random numbers; others have 0 to 3
  const RandomSequence random(1, stream);
  auto region = checked.begin();
  std::int64_t before = 0;  // elements of the regions before this one
  for (std::int64_t part = 0; part < wanted; ++part) {
    const std::int64_t begin = part * elements / wanted, end = (part + 1) * elements / wanted;
    const std::int64_t number =
        begin + static_cast<std::int64_t>(random[static_cast<std::uint64_t>(part)] %
                                          static_cast<std::uint64_t>(end - begin));
    while (number - before >= region->elements()) before += (region++)->elements();
    take(region->row_begin + (number - before) / region->columns(),
         region->column_begin + (number - before) % region->columns());
  }
  return result;
}

SourceNumbers source_numbers(std::string_view source, std::string_view name_expression) {
  const source::Kernel kernel(source, name_expression);
  SourceNumbers result;
  constexpr int largest_side = 256;
  std::vector<int>& sides = result.sides;
  const auto add = [&](std::int64_t value) {
    if (value < 1 || value > largest_side) return;
    if (!std::ranges::count(sides, value)) sides.push_back(static_cast<int>(value));
  };
  for (const source::Definition& one : kernel.definitions) {
    if (!one.value || one.value->kind != source::Node::Kind::number) continue;
    const std::int64_t value = one.value->number.value;
    add(value);
    constexpr std::int64_t largest_factor = 4096;
    if (value > 1 && value <= largest_factor)
      result.names.emplace_back(one.name, static_cast<int>(value));
  }
  for (const source::SharedArray& array : source::shared_arrays(source, name_expression)) {
    for (const std::int64_t extent : array.extents) add(extent);
  }
  for (const source::Token& token : kernel.tokens) {
    if (token.kind != source::Token::Kind::number) continue;
    if (const auto number = source::integer_literal(token.text)) add(number->value);
  }
  for (int side = 1; side <= largest_side; side *= 2) add(side);
  result.whole_sum = whole_sum(kernel.tokens);
  return result;
}

bool has_values(const ComputedC& computed) {
  return std::ranges::any_of(computed.elements,
                             [](const ComputedElement& one) { return std::isfinite(one.value); });
}

std::string in_columns(const std::string& text) {
  static const std::map<std::string, std::string, std::less<>> others = {
      {"A", "B"},        {"B", "A"},          {"M", "N"},        {"N", "M"},
      {"row", "column"}, {"rows", "columns"}, {"column", "row"}, {"columns", "rows"}};
  std::string result, word;
  const auto take = [&] {
    const auto other = others.find(word);
    result += other == others.end() ? word : other->second;
    word.clear();
  };
  constexpr std::string_view mark = "ᵀ", times = "·";
  for (std::size_t at = 0; at < text.size(); ++at) {
    // The transpose of a product is that of the transposed factors in the other order.
    const std::string_view rest = std::string_view(text).substr(at);
    const std::size_t of_first = rest.substr(1).starts_with(mark) ? mark.size() : 0;
    const std::size_t second = 1 + of_first + times.size();
    const bool is_product = word.empty() && (rest[0] == 'A' || rest[0] == 'B') &&
                            rest.substr(1 + of_first).starts_with(times) && second < rest.size() &&
                            (rest[second] == 'A' || rest[second] == 'B');
    if (is_product) {
      const std::size_t of_second = rest.substr(second + 1).starts_with(mark) ? mark.size() : 0;
      result += others.find(rest.substr(second, 1))->second;
      result += rest.substr(second + 1, of_second);
      result += times;
      result += others.find(rest.substr(0, 1))->second;
      result += rest.substr(1, of_first);
      at += second + of_second;
    } else if (std::isalpha(static_cast<unsigned char>(text[at]))) {
      word += text[at];
    } else {
      take();
      result += text[at];
    }
  }
  take();
  return result;
}

std::optional<WrongKind> zeros_in(const ComputedC& wrong, const SourceNumbers& numbers) {
  std::vector<int> groups = numbers.sides;
  std::ranges::sort(groups);
  for (const int by : groups) {
    for (const bool of_rows : {false, true}) {
      if (by < 2 || by > (of_rows ? wrong.problem.m : wrong.problem.n)) continue;
      enum class Seen { nothing, zeros, nans, missing, others };
      std::vector<Seen> seen(static_cast<std::size_t>(by), Seen::nothing);
      bool is_uniform = true;
      for (const ComputedElement& element : wrong.elements) {
        const std::int64_t index =
            of_rows ? element.index / wrong.problem.n : element.index % wrong.problem.n;
        const Seen is = element.value == 0          ? Seen::zeros
                        : is_poison(element.value)  ? Seen::missing
                        : std::isnan(element.value) ? Seen::nans
                                                    : Seen::others;
        Seen& before = seen[index % by];
        is_uniform = is_uniform && (before == Seen::nothing || before == is);
        before = is;
      }
      const auto is_special = [](Seen is) { return is != Seen::nothing && is != Seen::others; };
      const auto first = std::ranges::find_if(seen, is_special);
      if (!is_uniform || first == seen.end() || !std::ranges::count(seen, Seen::others)) continue;
      const Seen value = *first;
      const auto last =
          std::ranges::find_if(first, seen.end(), [&](Seen is) { return is != value; });
      if (std::any_of(last, seen.end(), is_special)) continue;
      const char* one = of_rows ? "row" : "column";
      const auto from = static_cast<int>(first - seen.begin());
      const auto to = static_cast<int>(last - seen.begin()) - 1;
      const char* what = value == Seen::zeros ? "0" : value == Seen::nans ? "NaN" : "never written";
      return WrongKind{
          "places", fmt::format("In each {} {}s of C, {} {} {}", by, one, range_text(one, from, to),
                                from == to ? "is" : "are", what)};
    }
  }
  return {};
}

std::optional<WrongKind> kind_of_wrong(std::span<const ComputedC> results,
                                       const SourceNumbers& numbers) {
  const auto wrong = std::ranges::find(results, false, &ComputedC::is_right);
  if (wrong == results.end() || !std::ranges::all_of(results, has_values)) return {};
  // Smaller results refute sooner.
  std::vector<const ComputedC*> order;
  for (const ComputedC& one : results) order.push_back(&one);
  std::ranges::stable_sort(order, {},
                           [](const ComputedC* one) { return one->problem.multiply_adds(); });
  const auto keep_true = [&](std::vector<Formula> formulas) {
    for (const ComputedC* one : order) {
      if (formulas.empty()) break;
      const Instance instance(*one);
      std::erase_if(formulas,
                    [&](const Formula& formula) { return !instance.is_given_by(formula); });
    }
    return formulas;
  };
  std::vector<Formula> formulas = keep_true(formulas_to_try(Instance(*wrong), numbers.sides));
  if (formulas.empty()) {
    const auto smallest =
        std::ranges::find(order, false, [](const ComputedC* one) { return one->is_right; });
    formulas = keep_true(orders_to_try(Instance(**smallest), numbers.sides));
  }
  if (formulas.empty()) formulas = keep_true(pairs_to_try(Instance(*wrong), numbers.sides));
  if (formulas.empty()) return {};
  WrongKind kind =
      kind_of(formulas.front(), *wrong, std::ranges::all_of(results, has_equal_sizes), numbers);
  return kind.text.empty() ? std::nullopt : std::optional(std::move(kind));
}

}  // namespace gemm_tutor
