// A lesson that there is not: the simplest kernel whose blocks share tiles, in tiles of 16×16 and
// steps of 4.
#pragma once

#include <string>

#include "course/lesson.hpp"

namespace gemm_tutor {

inline constexpr const char* stream_k_source = R"(
template <int BM, int BN, int BK, int GROUP, int BLOCKS>
__device__ void place_of_tile(int tile, int M, int N, int& row, int& column) {
  const int rows_of_tiles = (M + BM - 1) / BM, columns_of_tiles = (N + BN - 1) / BN;
  const int per = GROUP * columns_of_tiles, g = tile / per;
  const int rows = min(GROUP, rows_of_tiles - g * GROUP);
  row = (g * GROUP + tile % per % rows) * BM;
  column = tile % per / rows * BN;
}

template <int BM, int BN, int BK, int GROUP, int BLOCKS>
__global__ void share_tiles(const float* A, const float* B, float* C, int M, int N, int K,
                            float* partial) {
  const int T = ((M + BM - 1) / BM) * ((N + BN - 1) / BN), S = (K + BK - 1) / (BK);
  const int W = T / BLOCKS, R = T - W * BLOCKS, b = blockIdx.x;
  const long long end = (b + 1LL) * R * S / BLOCKS;
  long long next = (long long)b * R * S / BLOCKS;
  int pieces = 0;
  for (int wave = 0; wave < W || next < end; ++wave) {
    int tile = wave * BLOCKS + b, first = 0, steps = S;
    if (wave >= W) {
      tile = W * BLOCKS + (int)(next / S);
      first = (int)(next % S);
      steps = (int)min(end - next, (long long)(S - first));
      next += steps;
    }
    int row, column;
    place_of_tile<BM, BN, BK, GROUP, BLOCKS>(tile, M, N, row, column);
    float* part = partial + (2LL * b + pieces) * BM * BN;
    if (steps < S) ++pieces;
    for (int e = threadIdx.x; e < BM * BN; e += blockDim.x) {
      const int i = row + e / BN, j = column + e % BN;
      float sum = 0.0f;
      for (int k = first * BK; k < min(K, (first + steps) * BK); ++k) {
        if (i < M && j < N) sum += A[(long long)i * K + k] * B[(long long)k * N + j];
      }
      if (steps < S) {
        part[e] = sum;
      } else if (i < M && j < N) {
        C[(long long)i * N + j] = sum;
      }
    }
  }
}

template <int BM, int BN, int BK, int GROUP, int BLOCKS>
__global__ void add_partial_tiles(const float* A, const float* B, float* C, int M, int N, int K,
                                  float* partial) {
  const int T = ((M + BM - 1) / BM) * ((N + BN - 1) / BN), S = (K + BK - 1) / (BK);
  const int W = T / BLOCKS, R = T - W * BLOCKS;
  const long long begin = (long long)blockIdx.y * S, end = begin + S;
  int row, column;
  place_of_tile<BM, BN, BK, GROUP, BLOCKS>(W * BLOCKS + blockIdx.y, M, N, row, column);
  for (int e = blockIdx.x * 1024 + threadIdx.x; e < min(BM * BN, blockIdx.x * 1024 + 1024);
       e += blockDim.x) {
    float sum = 0.0f;
    bool is_whole = false;
    for (int b = 0; b < BLOCKS; ++b) {
      const long long from = (long long)b * R * S / BLOCKS, to = (b + 1LL) * R * S / BLOCKS;
      if (from >= to || from >= end || to <= begin) continue;
      if (from <= begin && to >= end) is_whole = true;
      const int piece = from < begin;  // its first is of the tile before
      if (!is_whole) sum += partial[(2LL * b + piece) * BM * BN + e];
    }
    const int i = row + e / BN, j = column + e % BN;
    if (!is_whole && i < M && j < N) C[(long long)i * N + j] = sum;
  }
}
)";

inline Lesson stream_k_lesson() {
  Kernel kernel;
  kernel.name = kernel.function = "share_tiles";
  kernel.second_pass = "add_partial_tiles";
  kernel.settings = {{"BM", 16}, {"BN", 16}, {"BK", 4}, {"GROUP", 2}, {"BLOCKS", 3}};
  kernel.shape = [](const Settings& s) {
    LaunchShape shape;
    shape.block = {64};
    shape.tile_rows = s["BM"];
    shape.tile_columns = s["BN"];
    shape.tile_depth = s["BK"];
    shape.stream_k = StreamK{s["BLOCKS"], s["GROUP"]};
    return shape;
  };
  Lesson lesson;
  lesson.number = lesson.place = 99;
  lesson.slug = "shared-tiles";
  lesson.title = "Shared tiles";
  lesson.text = "# Shared tiles\n\nBlocks share them.\n";
  lesson.source_file = "stream_k.cu";
  lesson.source = stream_k_source;
  lesson.kernels = {kernel};
  return lesson;
}

inline Settings settings_with(const Kernel& kernel, int blocks) {
  Settings settings = kernel.settings;
  settings.set("BLOCKS", blocks);
  return settings;
}

}  // namespace gemm_tutor
