// block 16x16 tile 16x16
// Two indices in one word.
extern "C" __global__ void swar_tiles(const float* A, const float* B, float* C, int M, int N, int K) {
  const unsigned block = blockIdx.y << 16 | blockIdx.x, thread = threadIdx.y << 16 | threadIdx.x;
  const unsigned place = __vadd2(__vadd2(block << 4, 0), thread);
  const unsigned limit = (unsigned)M << 16 | (unsigned)N;
  if (__vcmpltu2(place, limit) != 0xffffffffu) return;
  const int row = place >> 16, col = place & 0xffff;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}
