// The product on one CPU thread. `Float` is float. lesson.cpp also passes a type that behaves like
// float and counts the reads and writes of memory.

// excerpt: cpu_loop
template <typename Float>
void cpu_loop(const Float* A, const Float* B, Float* C, int M, int N, int K) {
  for (int row = 0; row < M; ++row) {
    for (int column = 0; column < N; ++column) {
      float sum = 0.0f;
      for (int k = 0; k < K; ++k) {
        sum += A[row * K + k] * B[k * N + column];
      }
      C[row * N + column] = sum;
    }
  }
}
// end excerpt

// excerpt: cpu_loop_reordered
template <typename Float>
void cpu_loop_reordered(const Float* A, const Float* B, Float* C, int M, int N, int K) {
  for (int row = 0; row < M; ++row) {
    for (int column = 0; column < N; ++column) {
      C[row * N + column] = 0.0f;
    }
    for (int k = 0; k < K; ++k) {
      const float a = A[row * K + k];
      for (int column = 0; column < N; ++column) {
        C[row * N + column] += a * B[k * N + column];
      }
    }
  }
}
// end excerpt
