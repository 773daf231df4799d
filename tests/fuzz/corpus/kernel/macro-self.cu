#define M M
#define f(x) f(f(x))
#define g(x) h(x) h(x)
#define h(x) g(x) g(x)
__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
A[f(f(1))+g(1)+M];  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
