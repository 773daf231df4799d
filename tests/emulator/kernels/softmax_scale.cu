// block 16x16 tile 16x16
extern "C" __global__ void softmax_scale(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0, greatest = -INFINITY, weights = 0;
  for (int k = 0; k < K; ++k) greatest = fmaxf(greatest, A[row * K + k]);
  for (int k = 0; k < K; ++k) weights += __expf(A[row * K + k] - greatest);
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  const float scale = __frcp_rn(weights);
  C[row * N + col] = scale > 0 && scale <= 1.0001f && tanhf(scale) < scale ? sum : 0.0f / 0.0f;
}
