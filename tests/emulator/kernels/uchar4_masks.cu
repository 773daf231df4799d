// block 16x16 tile 16x16
// Which columns are inside, as bytes of a word in shared memory.
extern "C" __global__ void uchar4_masks(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ uchar4 inside[4];
  __shared__ short order[16];
  const int t = threadIdx.y * 16 + threadIdx.x;
  if (t < 4) {
    const int first = blockIdx.x * 16 + 4 * t;
    inside[t] = make_uchar4(first < N, first + 1 < N, first + 2 < N, first + 3 < N);
  }
  if (t < 16) order[t] = (short)(15 - t);
  __syncthreads();
  const int c = order[threadIdx.x], col = blockIdx.x * 16 + c, row = blockIdx.y * 16 + threadIdx.y;
  const uchar4 four = inside[c / 4];
  const unsigned char mine = c % 4 == 0 ? four.x : c % 4 == 1 ? four.y : c % 4 == 2 ? four.z : four.w;
  if (!mine || row >= M) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}
