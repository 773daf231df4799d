// The next mistake is a line in one of the tables.
#include <fmt/format.h>

#include "exercise/evidence.hpp"

namespace gemm_tutor {
namespace {

// The step that an element of C is at: k of the K products of row and column.
struct At {
  const Evidence& e;
  std::int64_t row, column, k;

  int m() const { return e.problem.m; }
  int n() const { return e.problem.n; }
  int depth() const { return e.shape.tile_depth; }
  int first_k() const { return static_cast<int>(k) / depth() * depth(); }  // of the tile: k0
  int tile_row() const { return static_cast<int>(row) % e.shape.tile_rows; }
  int tile_column() const { return static_cast<int>(column) % e.shape.tile_columns; }
  int tile_k() const { return static_cast<int>(k) % depth(); }
};

constexpr const char* exchanged = "rows and columns are exchanged";
constexpr const char* leading = "from one row to the next it is another number of floats";
constexpr const char* other_thread = "it is not what this element's products need";

struct Reading {
  const char* index;  // as the kernel would have it
  const char* right;  // what it should be
  const char* reason;
  double (*value)(const At& at);
};

constexpr const char* right_a = "A[row * K + k]";
constexpr const char* right_b = "B[k * N + column]";
constexpr const char* right_a_tile = "a_tile[row][k]";
constexpr const char* right_b_tile = "b_tile[k][column]";

double usual_a(const At& at) { return at.e.a_at(at.row * at.e.problem.k + at.k); }
double usual_b(const At& at) { return at.e.b_at(at.k * at.n() + at.column); }

// Of two with the same result, as there are where M = N = K, the first is named.
const Reading readings_of_a[] = {
    {"A[k * K + row]", right_a, exchanged,
     [](const At& at) { return at.e.a_at(at.k * at.e.problem.k + at.row); }},
    {"A[k * M + row]", right_a, exchanged,
     [](const At& at) { return at.e.a_at(at.k * at.m() + at.row); }},
    {"A[k * N + row]", right_a, exchanged,
     [](const At& at) { return at.e.a_at(at.k * at.n() + at.row); }},
    {"A[row * M + k]", right_a, leading,
     [](const At& at) { return at.e.a_at(at.row * at.m() + at.k); }},
    {"A[row * N + k]", right_a, leading,
     [](const At& at) { return at.e.a_at(at.row * at.n() + at.k); }},
    {"A[row * BK + k]", right_a, leading,
     [](const At& at) {
       return at.depth() > 1 ? at.e.a_at(at.row * at.depth() + at.k) : usual_a(at);
     }},
    {"A[column * K + k]", right_a, other_thread,
     [](const At& at) { return at.e.a_at(at.column * at.e.problem.k + at.k); }},
    {"A[k * K + column]", right_a, other_thread,
     [](const At& at) { return at.e.a_at(at.k * at.e.problem.k + at.column); }},
    {"B[row * K + k]", right_a, "it is the other matrix",
     [](const At& at) { return at.e.b_at(at.row * at.e.problem.k + at.k); }},
    {"a_tile[k][row]", right_a_tile, "in the tile, rows and columns are exchanged",
     [](const At& at) {
       if (at.depth() != at.e.shape.tile_rows) return usual_a(at);
       return at.e.a_at(static_cast<int>(at.row) - at.tile_row() + at.tile_k(),
                        at.first_k() + at.tile_row());
     }},
    {"A[row * K + k0 + ty]", "A[row * K + k0 + tx]",
     "a row's neighbours along K are loaded by the threads along x",
     [](const At& at) {
       return at.depth() > 1 ? at.e.a_at(static_cast<int>(at.row), at.first_k() + at.tile_row())
                             : usual_a(at);
     }},
};

const Reading readings_of_b[] = {
    {"B[column * K + k]", right_b, exchanged,
     [](const At& at) { return at.e.b_at(at.column * at.e.problem.k + at.k); }},
    {"B[column * N + k]", right_b, exchanged,
     [](const At& at) { return at.e.b_at(at.column * at.n() + at.k); }},
    {"B[column * M + k]", right_b, exchanged,
     [](const At& at) { return at.e.b_at(at.column * at.m() + at.k); }},
    {"B[k * K + column]", right_b, leading,
     [](const At& at) { return at.e.b_at(at.k * at.e.problem.k + at.column); }},
    {"B[k * M + column]", right_b, leading,
     [](const At& at) { return at.e.b_at(at.k * at.m() + at.column); }},
    {"B[k * BN + column]", right_b, leading,
     [](const At& at) { return at.e.b_at(at.k * at.e.shape.tile_columns + at.column); }},
    {"B[k * N + row]", right_b, other_thread,
     [](const At& at) { return at.e.b_at(at.k * at.n() + at.row); }},
    {"B[row * N + k]", right_b, other_thread,
     [](const At& at) { return at.e.b_at(at.row * at.n() + at.k); }},
    {"B[row * N + column]", right_b, "the row of B is k",
     [](const At& at) { return at.e.b_at(at.row * at.n() + at.column); }},
    {"A[k * N + column]", right_b, "it is the other matrix",
     [](const At& at) { return at.e.a_at(at.k * at.n() + at.column); }},
    {"b_tile[column][k]", right_b_tile, "in the tile, rows and columns are exchanged",
     [](const At& at) {
       if (at.depth() != at.e.shape.tile_columns) return usual_b(at);
       return at.e.b_at(at.first_k() + at.tile_column(),
                        static_cast<int>(at.column) - at.tile_column() + at.tile_k());
     }},
    {"B[(k0 + tx) * N + column]", "B[(k0 + ty) * N + column]",
     "the tile's rows are loaded by the threads along y",
     [](const At& at) {
       return at.depth() > 1
                  ? at.e.b_at(at.first_k() + at.tile_column(), static_cast<int>(at.column))
                  : usual_b(at);
     }},
};

using Value = double (*)(const At& at);

bool explains(const Evidence& evidence, Value a, Value b) {
  const int k_end = evidence.problem.k;
  return evidence.most([&](const WrongElement& sample) {
    MistakenSum sum;
    for (int k = 0; k < k_end; ++k) {
      const At at{evidence, sample.row, sample.column, k};
      sum.add(a(at) * b(at));
    }
    return sum.may_be(sample.value, k_end);
  });
}

std::string in_place_of(const Reading& reading) {
  return fmt::format("{} in place of {}", reading.index, reading.right);
}

std::string sentence(const Reading& reading) {
  return fmt::format("The values are those of {}: {}.", in_place_of(reading), reading.reason);
}

std::string one_matrix(const Evidence& evidence) {
  for (const Reading& a : readings_of_a) {
    if (explains(evidence, a.value, usual_b)) return sentence(a);
  }
  for (const Reading& b : readings_of_b) {
    if (explains(evidence, usual_a, b.value)) return sentence(b);
  }
  return "";
}

std::string exchanged_operands(const Evidence& evidence) {
  const Value a = [](const At& at) { return at.e.b_at(at.row * at.e.problem.k + at.k); };
  const Value b = [](const At& at) { return at.e.a_at(at.k * at.n() + at.column); };
  if (!explains(evidence, a, b)) return "";
  return "The values are those of B·A: the matrices are exchanged.";
}

std::string both_matrices(const Evidence& evidence) {
  for (const Reading& a : readings_of_a) {
    for (const Reading& b : readings_of_b) {
      if (!explains(evidence, a.value, b.value)) continue;
      return fmt::format("The values are those of {}, and of {}.", in_place_of(a), in_place_of(b));
    }
  }
  return "";
}

}  // namespace

std::string mistaken_indices(const Evidence& evidence) {
  for (const auto probe : {one_matrix, exchanged_operands, both_matrices}) {
    std::string text = probe(evidence);
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace gemm_tutor
