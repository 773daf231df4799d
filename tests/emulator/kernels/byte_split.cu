// block 16x16 tile 16x16
// Each element of A as two numbers of 8 bits and what they leave.
__device__ unsigned short bytes_of(float high, float low) {
  unsigned short r;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(high), "f"(low));
  return r;
}
__device__ float low_of(unsigned short bytes) {
  unsigned halves;
  float r;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(bytes));
  asm("{.reg .b16 low, high;\n mov.b32 {low, high}, %1;\n cvt.f32.f16 %0, low;}" : "=f"(r) : "r"(halves));
  return r;
}
extern "C" __global__ void byte_split(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    const float a = A[row * K + k], first = low_of(bytes_of(0, a));
    const float second = low_of(bytes_of(0, (a - first) * 16)) / 16;
    sum += (first + second + (a - first - second)) * B[k * N + col];
  }
  C[row * N + col] = sum;
}
