__global__ void gemm(const float* A, const float4* B, float4* C, int M, int N, int K) {
  int q = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= M || q * 4 >= N) return;
  float4 s = {0, 0, 0, 0};
  for (int k = 0; k < K; ++k) {
    float a = A[row * K + k];
    float4 b = B[k * (N / 4) + q];
    s.x += a * b.x; s.y += a * b.y; s.z += a * b.z; s.w += a * b.w;
  }
  C[row * (N / 4) + q] = s;
}
