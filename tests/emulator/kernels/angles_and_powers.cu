// block 16x16 tile 16x16
// Each sum times ones that are made by functions without an instruction, of small numbers and large.
// Only for NVRTC.
#include <cmath>

__device__ __noinline__ double one(double x) {
  double result = sin(x) * sin(x) + cos(x) * cos(x);
  result *= exp(log(x)) / x;
  result *= pow(x, 0.5) / sqrt(x);
  if (x < 100) result *= tan(atan2(x, 3.0)) * 3.0 / x;
  return result * exp2(3.0) / ldexp(1.0, 3);
}
extern "C" __global__ void angles_and_powers(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  double sum = 0;
  for (int k = 0; k < K; ++k) sum += (double)A[row * K + k] * B[k * N + col];
  const float x = 1e20f * (row + 1);
  const float float_one = sinf(x) * sinf(x) + cosf(x) * cosf(x) + fmodf(x, 1.0f);
  C[row * N + col] = (float)(sum * one(1.5 + col) * one(1e15 * (row + 1))) * (std::fabs(float_one - 1) < 1e-5f);
}
