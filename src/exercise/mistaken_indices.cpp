// Add a mistake as a line in one of the tables.
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

struct Reading {
  const char* values;  // that the sums are of; with {depth} and {columns} of the tile
  double (*value)(const At& at);
};

double usual_a(const At& at) { return at.e.a_at(at.row * at.e.problem.k + at.k); }
double usual_b(const At& at) { return at.e.b_at(at.k * at.n() + at.column); }

// If two mistakes have the same result at all sizes, the first is reported.
const Reading readings_of_a[] = {
    {"A's values at index k·K + row, not row·K + k",
     [](const At& at) { return at.e.a_at(at.k * at.e.problem.k + at.row); }},
    {"A's values at index k·M + row, not row·K + k",
     [](const At& at) { return at.e.a_at(at.k * at.m() + at.row); }},
    {"A's values at index k·N + row, not row·K + k",
     [](const At& at) { return at.e.a_at(at.k * at.n() + at.row); }},
    {"A's values at index row·M + k, not row·K + k",
     [](const At& at) { return at.e.a_at(at.row * at.m() + at.k); }},
    {"A's values at index row·N + k, not row·K + k",
     [](const At& at) { return at.e.a_at(at.row * at.n() + at.k); }},
    {"A's values at index row·{depth} + k, not row·K + k",
     [](const At& at) {
       return at.depth() > 1 ? at.e.a_at(at.row * at.depth() + at.k) : usual_a(at);
     }},
    {"A's values at index column·K + k, not row·K + k",
     [](const At& at) { return at.e.a_at(at.column * at.e.problem.k + at.k); }},
    {"A's values at index k·K + column, not row·K + k",
     [](const At& at) { return at.e.a_at(at.k * at.e.problem.k + at.column); }},
    {"B's values at index row·K + k, not A's",
     [](const At& at) { return at.e.b_at(at.row * at.e.problem.k + at.k); }},
    {"A's tile with its rows and columns exchanged",
     [](const At& at) {
       if (at.depth() != at.e.shape.tile_rows) return usual_a(at);
       return at.e.a_at(static_cast<int>(at.row) - at.tile_row() + at.tile_k(),
                        at.first_k() + at.tile_row());
     }},
    {"A's column k0 + the row's place in its tile, in every product of a step",
     [](const At& at) {
       return at.depth() > 1 ? at.e.a_at(static_cast<int>(at.row), at.first_k() + at.tile_row())
                             : usual_a(at);
     }},
};

const Reading readings_of_b[] = {
    {"B's values at index column·K + k, not k·N + column",
     [](const At& at) { return at.e.b_at(at.column * at.e.problem.k + at.k); }},
    {"B's values at index column·N + k, not k·N + column",
     [](const At& at) { return at.e.b_at(at.column * at.n() + at.k); }},
    {"B's values at index column·M + k, not k·N + column",
     [](const At& at) { return at.e.b_at(at.column * at.m() + at.k); }},
    {"B's values at index k·K + column, not k·N + column",
     [](const At& at) { return at.e.b_at(at.k * at.e.problem.k + at.column); }},
    {"B's values at index k·M + column, not k·N + column",
     [](const At& at) { return at.e.b_at(at.k * at.m() + at.column); }},
    {"B's values at index k·{columns} + column, not k·N + column",
     [](const At& at) { return at.e.b_at(at.k * at.e.shape.tile_columns + at.column); }},
    {"B's values at index k·N + row, not k·N + column",
     [](const At& at) { return at.e.b_at(at.k * at.n() + at.row); }},
    {"B's values at index row·N + k, not k·N + column",
     [](const At& at) { return at.e.b_at(at.row * at.n() + at.k); }},
    {"B's values at index row·N + column, not k·N + column",
     [](const At& at) { return at.e.b_at(at.row * at.n() + at.column); }},
    {"A's values at index k·N + column, not B's",
     [](const At& at) { return at.e.a_at(at.k * at.n() + at.column); }},
    {"B's tile with its rows and columns exchanged",
     [](const At& at) {
       if (at.depth() != at.e.shape.tile_columns) return usual_b(at);
       return at.e.b_at(at.first_k() + at.tile_column(),
                        static_cast<int>(at.column) - at.tile_column() + at.tile_k());
     }},
    {"B's row k0 + the column's place in its tile, in every product of a step",
     [](const At& at) {
       return at.depth() > 1
                  ? at.e.b_at(at.first_k() + at.tile_column(), static_cast<int>(at.column))
                  : usual_b(at);
     }},
};

using Value = double (*)(const At& at);

// At all sizes: where M = N = K, several readings give the same.
bool explains(const Evidence& evidence, Value a, Value b) {
  const int k_end = evidence.problem.k;
  const bool here = evidence.every([&](const WrongElement& sample) {
    MistakenSum sum;
    for (int k = 0; k < k_end; ++k) {
      const At at{evidence, sample.row, sample.column, k};
      sum.add(a(at) * b(at));
    }
    return sum.may_be(sample.value, k_end);
  });
  return here && std::ranges::all_of(evidence.others,
                                     [&](const Evidence& other) { return explains(other, a, b); });
}

// Numbers, and not BK or BN: the file may have other names for them.
std::string values_of(const Reading& reading, const Evidence& evidence) {
  return fmt::format(fmt::runtime(reading.values), fmt::arg("depth", evidence.shape.tile_depth),
                     fmt::arg("columns", evidence.shape.tile_columns));
}

std::string sentence(const Reading& reading, const Evidence& evidence) {
  return fmt::format("The sums are of {}.", values_of(reading, evidence));
}

std::string one_matrix(const Evidence& evidence) {
  for (const Reading& a : readings_of_a) {
    if (explains(evidence, a.value, usual_b)) return sentence(a, evidence);
  }
  for (const Reading& b : readings_of_b) {
    if (explains(evidence, usual_a, b.value)) return sentence(b, evidence);
  }
  return "";
}

std::string exchanged_operands(const Evidence& evidence) {
  const Value a = [](const At& at) { return at.e.b_at(at.row * at.e.problem.k + at.k); };
  const Value b = [](const At& at) { return at.e.a_at(at.k * at.n() + at.column); };
  if (!explains(evidence, a, b)) return "";
  return "The values are those of B·A.";
}

std::string both_matrices(const Evidence& evidence) {
  for (const Reading& a : readings_of_a) {
    for (const Reading& b : readings_of_b) {
      if (!explains(evidence, a.value, b.value)) continue;
      return fmt::format("The sums are of {}; and of {}.", values_of(a, evidence),
                         values_of(b, evidence));
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
