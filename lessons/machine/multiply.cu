// Multiplies two matrices on the GPU: C = A·B, all stored row by row.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void multiply(const float* A, const float* B, float* C,
                         int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || column >= N) return;

  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}

// Ends the program if a call of CUDA failed.
void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

float* copy_to_gpu(const std::vector<float>& values) {
  const size_t bytes = values.size() * sizeof(float);
  float* on_gpu = nullptr;
  check(cudaMalloc(&on_gpu, bytes));
  check(cudaMemcpy(on_gpu, values.data(), bytes, cudaMemcpyHostToDevice));
  return on_gpu;
}

std::vector<float> random_matrix(int rows, int columns) {
  std::vector<float> values(static_cast<size_t>(rows) * columns);
  for (float& value : values) value = 2.0f * std::rand() / RAND_MAX - 1.0f;
  return values;
}

int main() {
  const int M = 1000, N = 1200, K = 800;
  const std::vector<float> a = random_matrix(M, K), b = random_matrix(K, N);
  std::vector<float> c(static_cast<size_t>(M) * N);

  // Allocate memory on the GPU, and copy A and B there.
  float* A = copy_to_gpu(a);
  float* B = copy_to_gpu(b);
  float* C = copy_to_gpu(c);

  // Enough blocks of 32×32 threads to cover C. The first launch also loads
  // the kernel, so it is not timed.
  const dim3 block(32, 32), grid((N + 31) / 32, (M + 31) / 32);
  multiply<<<grid, block>>>(A, B, C, M, N, K);
  check(cudaGetLastError());  // whether the launch was possible

  // Events record when the GPU reaches them.
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  check(cudaEventRecord(start));
  multiply<<<grid, block>>>(A, B, C, M, N, K);
  check(cudaEventRecord(stop));
  check(cudaEventSynchronize(stop));  // waits, and reports a failed kernel
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start, stop));

  // Copy C back, and compare an element with the sum in double precision.
  check(cudaMemcpy(c.data(), C, c.size() * sizeof(float),
                   cudaMemcpyDeviceToHost));
  const int row = 123, column = 456;
  double expected = 0;
  for (int k = 0; k < K; ++k) {
    expected += static_cast<double>(a[static_cast<size_t>(row) * K + k]) *
                b[static_cast<size_t>(k) * N + column];
  }
  const double error = c[static_cast<size_t>(row) * N + column] - expected;
  const bool is_right = error < 1e-3 && error > -1e-3;

  std::printf("%.3f ms, %.2f TFLOP/s, %s\n", milliseconds,
              2.0 * M * N * K / milliseconds / 1e9,
              is_right ? "right" : "WRONG");
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  check(cudaFree(A));
  check(cudaFree(B));
  check(cudaFree(C));
  return is_right ? 0 : 1;
}
