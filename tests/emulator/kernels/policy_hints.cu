// block 16x16 tile 16x16
extern "C" __global__ void policy_hints(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    float b;
    asm("ld.global.nc.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(b) : "l"(&B[k * N + col]), "l"(policy));
    sum += A[row * K + k] * b;
  }
  C[row * N + col] = sum;
}
