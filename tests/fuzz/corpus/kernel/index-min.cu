__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  int x = -2147483647 - 1; int y = x / -1; int z = x % -1; long w = (-9223372036854775807 - 1) / -1; C[y] = A[z] + A[w] + A[-x] + A[x << 40] + A[1 << -1] + A[5 >> 99];
}
