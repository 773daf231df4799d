// A tiled kernel as a host function whose pieces can be replaced by mistaken ones.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "course/lesson.hpp"
#include "gemm/matrices.hpp"

namespace gemm_tutor {

// As lesson 5 has it: a block computes 32×32 elements, in steps of 16 along K; a thread 4×2.
struct TiledProduct {
  static constexpr int BM = 32, BN = 32, BK = 16, TM = 4, TN = 2;

  explicit TiledProduct(const Problem& problem) : matrices(make_matrices(problem, 1)) {}

  static LaunchShape shape() {
    LaunchShape shape;
    shape.block = {BN / TN, BM / TM};
    shape.tile_rows = BM;
    shape.tile_columns = BN;
    shape.tile_depth = BK;
    return shape;
  }

  // 0 outside, as the emulator has it.
  float A(int row, int column) const { return at(matrices.a, row, column, M, K); }
  float B(int row, int column) const { return at(matrices.b, row, column, K, N); }
  float flat_a(int index) const { return flat(matrices.a, index); }
  float flat_b(int index) const { return flat(matrices.b, index); }
  void set(int index, float value) {
    if (index >= 0 && index < M * N) matrices.c[static_cast<std::size_t>(index)] = value;
  }

  void run() {
    for (int row0 = 0; row0 < M; row0 += BM) {
      for (int column0 = 0; column0 < N; column0 += BN) run_block(row0, column0);
    }
  }

  Matrices matrices;
  int M = matrices.problem.m, N = matrices.problem.n, K = matrices.problem.k;

  // The pieces: what comes into column k of a_tile for a row of C, and into row k of b_tile for a
  // column of C; nothing where it stays as it was.
  using Load = std::function<std::optional<float>(int row_or_column, int k0, int k)>;
  Load load_a = [this](int row, int k0, int k) { return A(row, k0 + k); };
  Load load_b = [this](int column, int k0, int k) { return B(k0 + k, column); };
  int k0_begin = 0, k0_end = K, k0_step = BK, k_begin = 0, k_end = BK, k_step = 1;
  bool begins_anew = false;  // the sum, in every step
  bool adds = true;          // else a product takes the place of the sum
  float factor = 1;          // of every product
  std::function<void(int row, int column, float sum)> store = [this](int row, int column,
                                                                     float sum) {
    if (row < M && column < N) set(row * N + column, sum);
  };
  std::function<void(int row, int column, float sum)> after_step = [](int, int, float) {};

 private:
  static float flat(const std::vector<float>& values, int index) {
    return index >= 0 && index < static_cast<int>(values.size())
               ? values[static_cast<std::size_t>(index)]
               : 0.0f;
  }
  static float at(const std::vector<float>& values, int row, int column, int rows, int columns) {
    return row < rows && column < columns ? flat(values, row * columns + column) : 0.0f;
  }

  void run_block(int row0, int column0) {
    float a_tile[BM][BK] = {}, b_tile[BK][BN] = {}, sum[BM][BN] = {};
    for (int k0 = k0_begin; k0 < k0_end; k0 += k0_step) {
      for (int k = 0; k < BK; ++k) {
        for (int i = 0; i < BM; ++i) a_tile[i][k] = load_a(row0 + i, k0, k).value_or(a_tile[i][k]);
        for (int j = 0; j < BN; ++j)
          b_tile[k][j] = load_b(column0 + j, k0, k).value_or(b_tile[k][j]);
      }
      for (int i = 0; i < BM; ++i) {
        for (int j = 0; j < BN; ++j) {
          if (begins_anew) sum[i][j] = 0;
          for (int k = k_begin; k < k_end; k += k_step) {
            const float product = factor * a_tile[i][k] * b_tile[k][j];
            sum[i][j] = adds ? sum[i][j] + product : product;
          }
          after_step(row0 + i, column0 + j, sum[i][j]);
        }
      }
    }
    for (int i = 0; i < BM; ++i) {
      for (int j = 0; j < BN; ++j) store(row0 + i, column0 + j, sum[i][j]);
    }
  }
};

}  // namespace gemm_tutor
