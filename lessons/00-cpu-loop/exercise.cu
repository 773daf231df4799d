// Lesson 0's product in another order of its three loops: k is the outermost.
// It runs once, from its first line to its last, as on a CPU: the words before
// `void` only mark it as code for a GPU.

__global__ void loops(const float* A, const float* B, float* C, int M, int N,
                      int K) {
  for (int row = 0; row < M; ++row) {
    for (int column = 0; column < N; ++column) {
      C[row * N + column] = 0.0f;
    }
  }
  for (int k = 0; k < K; ++k) {
    for (int row = 0; row < M; ++row) {
      for (int column = 0; column < N; ++column) {
        C[row * N + column] += A[row * K + k] * B[k * N + column];
      }
    }
  }
}
