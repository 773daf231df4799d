// Results of kernels with one mistake each, and what is said of them.
#include "exercise/diagnosis.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "exercise/tiled_product.hpp"
#include "gemm/matrices.hpp"

namespace gemm_tutor {
namespace {

constexpr int BM = TiledProduct::BM, BN = TiledProduct::BN, BK = TiledProduct::BK;
constexpr int TM = TiledProduct::TM, TN = TiledProduct::TN;

const Problem odd{67, 45, 41}, whole{64, 96, 48}, square{64, 64, 64}, odd_square{45, 45, 45};
const std::vector<Problem> any = {odd, whole, square, odd_square};
const std::vector<Problem> not_whole = {odd, odd_square}, of_whole_tiles = {whole, square};
const std::vector<Problem> not_square = {odd, whole}, squares = {square, odd_square};

struct Mistake {
  std::string values;  // the beginning of what is said of them
  std::vector<Problem> problems;
  std::function<void(TiledProduct&)> make;
};

using Load = std::optional<float>;

const std::vector<Mistake> mistakes = {
    // Values.
    {"C is 0 there", any, [](auto& t) { t.factor = 0; }},
    {"C is 0 there.", not_whole, [](auto& t) { t.adds = false; }},
    {"C is 0 there.", {{20, 20, 9}}, [](auto& t) { t.k0_end = 0; }},
    {"C is infinite or not a number there", any,
     [](auto& t) { t.factor = std::numeric_limits<float>::quiet_NaN(); }},
    {"C is infinite or not a number there", any,
     [](auto& t) { t.factor = std::numeric_limits<float>::infinity(); }},
    {"C is a whole number there", any,
     [](auto& t) {
       t.store = [&t](int row, int column, float sum) {
         if (row < t.M && column < t.N) t.set(row * t.N + column, std::trunc(sum));
       };
     }},
    {"C is -1 times what is right", any, [](auto& t) { t.factor = -1; }},
    {"C is 2 times what is right.", any, [](auto& t) { t.factor = 2; }},
    {"C is 32 times what is right.", any, [](auto& t) { t.factor = 32; }},
    // Steps along K.
    {"The last 9 of K = 41 products are missing", {odd}, [](auto& t) { t.k0_end = t.K / BK * BK; }},
    {"The last 1 of K = 33 products is missing",
     {{67, 45, 33}},
     [](auto& t) { t.k0_end = t.K / BK * BK; }},
    {"The last step's products are missing, 16 of K = ", of_whole_tiles,
     [](auto& t) { t.k0_end = t.K - BK; }},
    {"The last of K = ", any,
     [](auto& t) {
       t.load_a = [&t](int row, int k0, int k) {
         return k0 + k < t.K - 1 ? t.A(row, k0 + k) : 0.0f;
       };
     }},
    {"The first of K = ", any,
     [](auto& t) {
       t.load_a = [&t](int row, int k0, int k) { return k0 + k > 0 ? t.A(row, k0 + k) : 0.0f; };
     }},
    {"The last product of every step is missing", any, [](auto& t) { t.k_end = BK - 1; }},
    {"The first product of every step is missing", any, [](auto& t) { t.k_begin = 1; }},
    {"Only the last step's products are there", any, [](auto& t) { t.begins_anew = true; }},
    {"Only the first step's products are there", any, [](auto& t) { t.k0_end = 1; }},
    {"The first step's products are missing", any, [](auto& t) { t.k0_begin = BK; }},
    {"Only the last of K = ", of_whole_tiles, [](auto& t) { t.adds = false; }},
    {"Only the first of K = ", any,
     [](auto& t) {
       t.k0_end = 1;
       t.k_end = 1;
     }},
    {"Only every second product is there", any, [](auto& t) { t.k_step = 2; }},
    {"Only every second step's products are there", any, [](auto& t) { t.k0_step = 2 * BK; }},
    {"Every step uses the first step's tile of A and of B", any,
     [](auto& t) {
       t.load_a = [&t](int row, int, int k) { return t.A(row, k); };
       t.load_b = [&t](int column, int, int k) { return t.B(k, column); };
     }},
    {"Every step uses the first step's tile of A and of B", not_whole,
     [](auto& t) {  // with zeros beyond K all the same
       t.load_a = [&t](int row, int k0, int k) { return k0 + k < t.K ? t.A(row, k) : 0.0f; };
       t.load_b = [&t](int column, int, int k) { return t.B(k, column); };
     }},
    {"Every step uses the first step's tile of A.", any,
     [](auto& t) { t.load_a = [&t](int row, int, int k) { return t.A(row, k); }; }},
    {"Every step uses the first step's tile of B.", any,
     [](auto& t) { t.load_b = [&t](int column, int, int k) { return t.B(k, column); }; }},
    {"Every product has the first value of A's row", any,
     [](auto& t) { t.load_a = [&t](int row, int, int) { return t.A(row, 0); }; }},
    {"Every product has the first value of B's column", any,
     [](auto& t) {
       t.load_b = [&t](int column, int k0, int k) { return k0 + k < t.K ? t.B(0, column) : 0.0f; };
     }},
    {"In the last step 7 products too many are added",
     {odd},
     [](auto& t) {
       t.load_a = [&t](int row, int k0, int k) -> Load {
         if (k0 + k >= t.K) return {};
         return t.A(row, k0 + k);
       };
       t.load_b = [&t](int column, int k0, int k) -> Load {
         if (k0 + k >= t.K) return {};
         return t.B(k0 + k, column);
       };
     }},
    {"In each step, A's tile is multiplied by the step before's of B", any,
     [](auto& t) {
       t.load_b = [&t](int column, int k0, int k) {
         return k0 == 0 ? 0.0f : t.B(k0 - BK + k, column);
       };
     }},
    {"In each step, A's tile is multiplied by the step before's of B", any,
     [](auto& t) {
       t.load_b = [&t](int column, int k0, int k) { return t.B(std::max(k0 - BK, 0) + k, column); };
     }},
    {"In each step, B's tile is multiplied by the step before's of A", any,
     [](auto& t) {
       t.load_a = [&t](int row, int k0, int k) { return k0 == 0 ? 0.0f : t.A(row, k0 - BK + k); };
     }},
    {"In each step, A's tile is multiplied by the next step's of B", of_whole_tiles,
     [](auto& t) {
       t.load_b = [&t](int column, int k0, int k) {
         return t.B(std::min(k0 + BK, t.K - BK) + k, column);
       };
     }},
    {"In each step, B's tile is multiplied by the next step's of A", of_whole_tiles,
     [](auto& t) {
       t.load_a = [&t](int row, int k0, int k) {
         return t.A(row, std::min(k0 + BK, t.K - BK) + k);
       };
     }},
    {"In each step, B's tile is multiplied by the step before's of A", any,
     [](auto& t) {
       t.load_a = [&t](int row, int k0, int k) {
         return k0 + k < t.K ? t.A(row, std::max(k0 - BK, 0) + k) : 0.0f;
       };
     }},
    // With zeros beyond the edge the same as one step back, of the other matrix.
    {"In each step, B's tile is multiplied by the step before's of A", any,
     [](auto& t) {
       t.load_b = [&t](int column, int k0, int k) { return t.B(k0 + BK + k, column); };
     }},
    {"In each step, A's tile is multiplied by the step before's of B", any,
     [](auto& t) { t.load_a = [&t](int row, int k0, int k) { return t.A(row, k0 + BK + k); }; }},
    {"Every step multiplies the tiles of the step before it", any,
     [](auto& t) {
       t.load_a = [&t](int row, int k0, int k) { return t.A(row, std::max(k0 - BK, 0) + k); };
       t.load_b = [&t](int column, int k0, int k) { return t.B(std::max(k0 - BK, 0) + k, column); };
     }},
    {"Every step multiplies the tiles of the step after it", any,
     [](auto& t) {
       const int last = (t.K - 1) / BK * BK;
       t.load_a = [&t, last](int row, int k0, int k) {
         return t.A(row, std::min(k0 + BK, last) + k);
       };
       t.load_b = [&t, last](int column, int k0, int k) {
         return t.B(std::min(k0 + BK, last) + k, column);
       };
     }},
    {"Tiles are used in two steps", any,
     [](auto& t) {
       t.load_a = [&t](int row, int k0, int k) {
         if (k0 + k >= t.K) return 0.0f;
         return t.A(row, k0 / (2 * BK) * 2 * BK + k);
       };
       t.load_b = [&t](int column, int k0, int k) {
         return t.B(k0 / (2 * BK) * 2 * BK + k, column);
       };
     }},
    {"The last step's products are added twice", any,
     [](auto& t) {
       t.k0_end = t.K + (t.K % BK == 0 ? 1 : BK - t.K % BK + 1);
       t.load_a = [&t](int row, int k0, int k) {
         return t.A(row, std::min(k0, (t.K - 1) / BK * BK) + k);
       };
       t.load_b = [&t](int column, int k0, int k) {
         return t.B(std::min(k0, (t.K - 1) / BK * BK) + k, column);
       };
     }},
    {"The first step's products are added twice", any,
     [](auto& t) {
       t.k0_begin = -BK;
       t.load_a = [&t](int row, int k0, int k) { return t.A(row, std::max(k0, 0) + k); };
       t.load_b = [&t](int column, int k0, int k) { return t.B(std::max(k0, 0) + k, column); };
     }},
    {"What the sum holds is added to C after every step", any,
     [](auto& t) {
       std::fill(t.matrices.c.begin(), t.matrices.c.end(), 0.0f);
       t.store = [](int, int, float) {};
       t.after_step = [&t](int row, int column, float sum) {
         if (row >= t.M || column >= t.N) return;
         t.matrices.c[static_cast<std::size_t>(row * t.N + column)] += sum;
       };
     }},
    {"C holds the sums of the thread's columns before this one as well", any,
     [](auto& t) {
       t.store = [&t, carried = 0.0f](int row, int column, float sum) mutable {
         carried = column % TN == 0 ? sum : carried + sum;
         if (row < t.M && column < t.N) t.set(row * t.N + column, carried);
       };
     }},
    {"C is the sum of A's and B's values",
     {odd, whole},
     [](auto& t) {
       t.store = [&t](int row, int column, float) {
         float sum = 0;
         for (int k = 0; k < t.K; ++k) sum += t.A(row, k) + t.B(k, column);
         if (row < t.M && column < t.N) t.set(row * t.N + column, sum);
       };
     }},
    // Indices into A and B.
    {"The sums are of A's values at index k·K + row, not row·K + k.", any,
     [](auto& t) {
       t.load_a = [&t](int row, int k0, int k) { return t.flat_a((k0 + k) * t.K + row); };
     }},
    {"The sums are of A's values at index k·M + row, not row·K + k.", not_square,
     [](auto& t) {
       t.load_a = [&t](int row, int k0, int k) { return t.flat_a((k0 + k) * t.M + row); };
     }},
    {"The sums are of A's values at index row·N + k, not row·K + k.", not_square,
     [](auto& t) {
       t.load_a = [&t](int row, int k0, int k) { return t.flat_a(row * t.N + k0 + k); };
     }},
    {"The sums are of B's values at index column·K + k, not k·N + column.", any,
     [](auto& t) {
       t.load_b = [&t](int column, int k0, int k) {
         return k0 + k < t.K ? t.flat_b(column * t.K + k0 + k) : 0.0f;
       };
     }},
    {"The sums are of B's values at index column·N + k, not k·N + column.", not_square,
     [](auto& t) {
       t.load_b = [&t](int column, int k0, int k) {
         return k0 + k < t.K ? t.flat_b(column * t.N + k0 + k) : 0.0f;
       };
     }},
    {"The sums are of B's values at index k·K + column, not k·N + column.", not_square,
     [](auto& t) {
       t.load_b = [&t](int column, int k0, int k) {
         return k0 + k < t.K ? t.flat_b((k0 + k) * t.K + column) : 0.0f;
       };
     }},
    {"The sums are of B's values at index k·M + column, not k·N + column.", not_square,
     [](auto& t) {
       t.load_b = [&t](int column, int k0, int k) {
         return k0 + k < t.K ? t.flat_b((k0 + k) * t.M + column) : 0.0f;
       };
     }},
    {"The sums are of B's values at index k·N + row, not k·N + column.", any,
     [](auto& t) {
       t.store = [&t](int row, int column, float) {
         float sum = 0;
         for (int k = 0; k < t.K; ++k) sum += t.A(row, k) * t.flat_b(k * t.N + row);
         if (row < t.M && column < t.N) t.set(row * t.N + column, sum);
       };
     }},
    {"The sums are of A's column k0 + the row's place in its tile", any,
     [](auto& t) {
       t.load_a = [&t](int row, int k0, int k) {
         return k0 + k < t.K ? t.A(row, k0 + row % BM) : 0.0f;
       };
     }},
    {"The values are those of B·A", any,
     [](auto& t) {
       t.load_a = [&t](int row, int k0, int k) {
         return k0 + k < t.K ? t.flat_b(row * t.K + k0 + k) : 0.0f;
       };
       t.load_b = [&t](int column, int k0, int k) {
         return k0 + k < t.K ? t.flat_a((k0 + k) * t.N + column) : 0.0f;
       };
     }},
    {"The sums are of A's values at index k·K + row, not row·K + k; and of B's values at index "
     "column·K + k, not k·N + column.",
     any,
     [](auto& t) {
       t.load_a = [&t](int row, int k0, int k) { return t.flat_a((k0 + k) * t.K + row); };
       t.load_b = [&t](int column, int k0, int k) {
         return k0 + k < t.K ? t.flat_b(column * t.K + k0 + k) : 0.0f;
       };
     }},
};

void check_values(const Mistake& mistake, const Problem& problem) {
  TiledProduct product(problem);
  mistake.make(product);
  product.run();
  const Matrices& m = product.matrices;
  const Diagnosis diagnosis = diagnose({problem, TiledProduct::shape(), m.a, m.b, m.c});
  INFO(problem.m << "x" << problem.n << "x" << problem.k << ": " << diagnosis.where);
  CHECK(diagnosis.values.substr(0, mistake.values.size()) == mistake.values);
}

// A right product whose values are then stored elsewhere, or taken from elsewhere.
struct Misplacement {
  std::string reason;  // part of what is said of the values
  std::vector<Problem> problems;
  // The index that an element is stored at.
  std::function<int(const TiledProduct&, int row, int column)> index;
};

const std::vector<Misplacement> misplacements = {
    {"as if the rows and columns of C were exchanged", squares,
     [](auto& t, int r, int c) { return c * t.N + r; }},
    {"as if it were at index column·M + row", not_square,
     [](auto& t, int r, int c) { return c * t.M + r; }},
    {"as if it were at index row·K + column", not_square,
     [](auto& t, int r, int c) { return r * t.K + c; }},
    {"as if it were at index row·M + column",
     {whole},
     [](auto& t, int r, int c) { return r * t.M + c; }},
    {"each has the value of the element 1 column further left", any,
     [](auto& t, int r, int c) { return r * t.N + c + 1; }},
    {"each has the value of the element 2 rows further down", any,
     [](auto& t, int r, int c) { return (r - 2) * t.N + c; }},
    {"the sums are right, but not where they belong", any,
     [](auto& t, int r, int c) { return r * t.N + c * 7 % t.N; }},
};

struct MistakenSource {
  std::string reason;
  std::vector<Problem> problems;
  std::function<std::pair<int, int>(int row, int column)> source;
};

int in_tile(int index, int tile, int within) { return index - index % tile + within; }

const std::vector<MistakenSource> mistaken_sources = {
    {"each row were that of the first tile", any,
     [](int r, int c) { return std::pair(r % BM, c); }},
    {"each column were that of the first tile", any,
     [](int r, int c) { return std::pair(r, c % BN); }},
    {"all threads of a block had the same rows", any,
     [](int r, int c) { return std::pair(in_tile(r, BM, r % TM), c); }},
    {"all rows of a thread were its first one", any,
     [](int r, int c) { return std::pair(r - r % TM, c); }},
    {", and all columns of a thread were its first one", any,
     [](int r, int c) { return std::pair(r - r % TM, c - c % TN); }},
    {"a thread's rows began at its index in the block", any,
     [](int r, int c) { return std::pair(in_tile(r, BM, r % BM / TM + r % TM), c); }},
    {"each thread's columns, which lie side by side, lay apart", of_whole_tiles,
     [](int r, int c) { return std::pair(r, in_tile(c, BN, c % BN / TN + c % TN * (BN / TN))); }},
    {"the halves of each tile's rows were exchanged", of_whole_tiles,
     [](int r, int c) { return std::pair(in_tile(r, BM, (r + BM / 2) % BM), c); }},
    {"each thread's rows were in the opposite order", of_whole_tiles,
     [](int r, int c) { return std::pair(in_tile(r, TM, TM - 1 - r % TM), c); }},
    {"rows and columns were exchanged within each block's tile", of_whole_tiles,
     [](int r, int c) { return std::pair(in_tile(r, BM, c % BN), in_tile(c, BN, r % BM)); }},
    {"the tiles' rows and columns were exchanged",
     {square},
     [](int r, int c) { return std::pair(c / BN * BM + r % BM, r / BM * BN + c % BN); }},
};

std::vector<float> right_product(const Problem& problem) {
  TiledProduct product(problem);
  product.run();
  return product.matrices.c;
}

std::string values_of(const TiledProduct& product) {
  const Matrices& m = product.matrices;
  return diagnose({m.problem, TiledProduct::shape(), m.a, m.b, m.c}).values;
}

}  // namespace

TEST_CASE("each common mistake is named, and no other") {
  for (const Mistake& mistake : mistakes) {
    for (const Problem& problem : mistake.problems) check_values(mistake, problem);
  }
}

TEST_CASE("sums that are stored where they do not belong") {
  for (const Misplacement& mistake : misplacements) {
    for (const Problem& problem : mistake.problems) {
      TiledProduct product(problem);
      product.store = [&](int row, int column, float sum) {
        if (row < product.M && column < product.N)
          product.set(mistake.index(product, row, column), sum);
      };
      product.run();
      const std::string values = values_of(product);
      INFO(problem.m << "x" << problem.n << "x" << problem.k << ": " << values);
      CHECK(values.find(mistake.reason) != std::string::npos);
      CHECK(values.find(" holds what belongs to C[") != std::string::npos);
    }
  }
}

TEST_CASE("sums that are formed for another element") {
  for (const MistakenSource& mistake : mistaken_sources) {
    for (const Problem& problem : mistake.problems) {
      const std::vector<float> right = right_product(problem);
      TiledProduct product(problem);
      for (int row = 0; row < problem.m; ++row) {
        for (int column = 0; column < problem.n; ++column) {
          const auto [from_row, from_column] = mistake.source(row, column);
          REQUIRE(from_row * problem.n + from_column < problem.m * problem.n);
          product.set(row * problem.n + column,
                      right[static_cast<std::size_t>(from_row * problem.n + from_column)]);
        }
      }
      const std::string values = values_of(product);
      INFO(problem.m << "x" << problem.n << "x" << problem.k << ": " << values);
      CHECK(values.find(mistake.reason) != std::string::npos);
    }
  }
}

TEST_CASE("the element that is named holds what is said to be another's") {
  TiledProduct product({3, 3, 5});
  product.store = [&](int row, int column, float sum) {
    if (row < 3 && column < 3) product.set(column * 3 + row, sum);
  };
  product.run();
  const Matrices& m = product.matrices;
  const Diagnosis diagnosis = diagnose({m.problem, TiledProduct::shape(), m.a, m.b, m.c});
  CHECK(diagnosis.values ==
        "C[0][1] holds what belongs to C[1][0], as if the rows and columns of C were exchanged.");
  CHECK(diagnosis.where == "all but the diagonal");
  CHECK(diagnosis.wrong == 6);
  CHECK(diagnosis.unwritten == 0);
  CHECK(diagnosis.map.lines == std::vector<std::string>{".xx", "x.x", "xx."});
  CHECK(diagnosis.first.row == 0);
  CHECK(diagnosis.first.column == 1);
  CHECK(std::abs(diagnosis.first.value - diagnosis.first.reference) > diagnosis.first.bound);
}

TEST_CASE("of values that follow no rule no cause is told") {
  for (const Problem& problem : any) {
    for (const std::uint64_t seed : {2, 3, 4, 5, 6}) {
      TiledProduct product(problem);
      fill_random(product.matrices.c, seed, 7);
      CHECK(values_of(product) == "");
      for (float& value : product.matrices.c) value *= 4;
      CHECK(values_of(product) == "");
    }
  }
}

TEST_CASE("one sum of which the bound is too wide says nothing") {
  TiledProduct product({1, 1, 1 << 20});
  for (const float value : {-1e6f, -12345.6f, 54321.0f, 98765.4f, 1234567.5f}) {
    product.matrices.c[0] = value + 0.25f;
    CHECK(values_of(product) == "");
  }
  product.matrices.c[0] = 1e6f;
  const Matrices& m = product.matrices;
  CHECK(diagnose({m.problem, TiledProduct::shape(), m.a, m.b, m.c}).wrong == 1);
}

TEST_CASE("sums that are all a little off have no cause among the common mistakes") {
  for (const Problem& problem : any) {
    TiledProduct product(problem);
    product.factor = 1.001f;
    product.run();
    CHECK(values_of(product) == "");
  }
}

TEST_CASE("two mistakes, each in one half, are not told as one") {
  TiledProduct product(square);
  product.store = [&](int row, int column, float sum) {
    product.set(row * 64 + column, row < 32 ? 0.0f : 2 * sum);
  };
  product.run();
  CHECK(values_of(product) == "");
}

TEST_CASE("a rule that is wrong of right elements is not told") {
  // Rows 0 to 15 of a tile are right, and rows 16 to 31 hold theirs.
  TiledProduct halves(square);
  const std::vector<float> right = right_product(square);
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < 64; ++column) {
      const int from = row % 32 < 16 ? row : row - 16;
      halves.set(row * 64 + column, right[static_cast<std::size_t>(from * 64 + column)]);
    }
  }
  CHECK(values_of(halves).find("halves") == std::string::npos);

  // Only row 7 of a tile lacks its last product.
  TiledProduct one_row(odd);
  one_row.load_a = [&](int row, int k0, int k) {
    return row % BM == 7 && k0 + k == odd.k - 1 ? 0.0f : one_row.A(row, k0 + k);
  };
  one_row.run();
  CHECK(values_of(one_row) == "");

  // And only row 7 is twice what is right, which is said of that row.
  TiledProduct twice(odd);
  twice.store = [&](int row, int column, float sum) {
    if (row < odd.m && column < odd.n) twice.set(row * odd.n + column, row == 7 ? 2 * sum : sum);
  };
  twice.run();
  CHECK(values_of(twice) == "C is 2 times what is right there.");
}

TEST_CASE("the index that is named is the right one at the other sizes as well") {
  const auto by_m = [](TiledProduct& t) {
    t.load_a = [&t](int row, int k0, int k) { return t.flat_a((k0 + k) * t.M + row); };
    t.run();
  };
  TiledProduct first(square), other(whole);
  by_m(first);
  by_m(other);
  const Matrices &m = first.matrices, &n = other.matrices;
  const WrongProduct product{m.problem, TiledProduct::shape(), m.a, m.b, m.c};
  const WrongProduct further{n.problem, TiledProduct::shape(), n.a, n.b, n.c};
  CHECK(diagnose(product).values ==
        "The sums are of A's values at index k·K + row, not row·K + k.");
  CHECK(diagnose(product, nullptr, {&further, 1}).values ==
        "The sums are of A's values at index k·M + row, not row·K + k.");
}

TEST_CASE("of a right product nothing is said") {
  TiledProduct product(odd);
  product.run();
  const Matrices& m = product.matrices;
  const Diagnosis diagnosis = diagnose({odd, TiledProduct::shape(), m.a, m.b, m.c});
  CHECK(diagnosis.wrong == 0);
  CHECK(diagnosis.where == "");
  CHECK(diagnosis.values == "");
}

TEST_CASE("what was never written is told from what was written wrong") {
  TiledProduct product(odd);
  product.store = [&](int row, int column, float sum) {
    if (row < 64 && column < odd.n) product.set(row * odd.n + column, sum);
  };
  product.run();
  const Matrices& m = product.matrices;
  const Diagnosis unwritten = diagnose({odd, TiledProduct::shape(), m.a, m.b, m.c});
  CHECK(unwritten.wrong == 3 * 45);
  CHECK(unwritten.unwritten == 3 * 45);
  CHECK(unwritten.first.row == 64);
  CHECK(unwritten.where == "rows 64 to 66, which are beyond the last whole tile");
  REQUIRE(unwritten.map.lines.size() == 14);  // of 5 rows
  CHECK(unwritten.map.lines[11] == std::string(23, '.'));
  CHECK(unwritten.map.lines[12] == std::string(23, '+'));
  CHECK(unwritten.map.lines[13] == std::string(23, '?'));
  CHECK(unwritten.values == "");

  const std::vector<float> nothing(m.c.size(), m.c.back());
  CHECK(diagnose({odd, TiledProduct::shape(), m.a, m.b, nothing}).unwritten == odd.c_elements());

  product.matrices.c.back() = 0;  // the last element is written, but wrong
  const Diagnosis both = diagnose({odd, TiledProduct::shape(), m.a, m.b, m.c});
  CHECK(both.wrong == 3 * 45);
  CHECK(both.unwritten == 3 * 45 - 1);
  CHECK(both.first.row == 66);
  CHECK(both.first.column == 44);
  CHECK(both.values == "");  // which says nothing of the others
}

TEST_CASE("what is wrong is wrong of alpha·A·B + beta·C, and of its values no more is said") {
  const Matrices m = make_matrices({20, 30, 40}, 1, nullptr, {.c = InitialC::random});
  WrongProduct product{m.problem, TiledProduct::shape(), m.a, m.b, {}, {}, false};
  product.scaling = {2, 0.5, m.c_before};
  std::vector<float> c = m.c_before;
  for (int row = 0; row < 20; ++row) {
    for (int column = 0; column < 30; ++column) {
      float sum = 0;
      for (int k = 0; k < 40; ++k) sum += m.a[row * 40 + k] * m.b[k * 30 + column];
      c[row * 30 + column] = 2 * sum + 0.5f * c[row * 30 + column];
    }
  }
  product.c = c;
  CHECK(diagnose(product).wrong == 0);
  for (int column = 0; column < 30; ++column) c[30 + column] = c[column];  // row 1 is row 0
  const Diagnosis diagnosis = diagnose(product);
  CHECK(diagnosis.where == "row 1");
  CHECK(diagnosis.values == "");
}

}  // namespace gemm_tutor
