// Right: float4 and float2, also over what is not used.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry padding_in_a_float4 --block 16 --tile 1x16 --m 2 --n 16 --k 14
// right: the last float4 covers two elements that nothing has written, and they are not used
__global__ void padding_in_a_float4(SIGNATURE) {
  __shared__ alignas(16) float a[16];
  int t = threadIdx.x, row = blockIdx.y;
  if (t < K) a[t] = A[row * K + t];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < K; k += 4) {
    float4 four = *(const float4*)(a + k);
    sum += four.x * B[k * N + t] + four.y * B[(k + 1) * N + t];
    if (k + 2 < K) sum += four.z * B[(k + 2) * N + t];
    if (k + 3 < K) sum += four.w * B[(k + 3) * N + t];
  }
  C[row * N + t] = sum;
}

// run: --entry three_of_four --block 32 --tile 4x32 --m 4 --n 32 --k 3
// right: rows of three elements in a float4 each, whose last one is read with them, and not used
__global__ void three_of_four(SIGNATURE) {
  __shared__ float4 a[4];
  int t = threadIdx.x;
  if (t < 12) ((float*)&a[t / 3])[t % 3] = A[t];
  __syncthreads();
  for (int r = 0; r < M; ++r) {
    float4 four = a[r];
    C[r * N + t] = four.x * B[t] + four.y * B[N + t] + four.z * B[2 * N + t];
  }
}

// run: --entry float4_through_registers --block 8x8 --tile 8x32 --m 16 --n 32 --k 8
// right: four columns for each thread, in rows whose length is a multiple of four
__global__ void float4_through_registers(SIGNATURE) {
  int row = blockIdx.y * 8 + threadIdx.y, col = threadIdx.x * 4;
  float4 sum = {};
  for (int k = 0; k < K; ++k) {
    float a = A[row * K + k];
    float4 b = *(const float4*)&B[k * N + col];
    sum.x += a * b.x, sum.y += a * b.y, sum.z += a * b.z, sum.w += a * b.w;
  }
  *(float4*)&C[row * N + col] = sum;
}

// run: --entry float4_where_it_fits --block 8x8 --tile 8x32 --m 8 --n 20 --k 8
// right: float4 inside, single floats at the edge
__global__ void float4_where_it_fits(SIGNATURE) {
  int row = threadIdx.y, col = threadIdx.x * 4;
  float sum[4] = {};
  for (int k = 0; k < K; ++k) {
    float b[4] = {};
    if (N % 4 == 0 && col + 4 <= N)
      *(float4*)b = *(const float4*)&B[k * N + col];
    else
      for (int j = 0; j < 4 && col + j < N; ++j) b[j] = B[k * N + col + j];
    for (int j = 0; j < 4; ++j) sum[j] += A[row * K + k] * b[j];
  }
  for (int j = 0; j < 4 && col + j < N; ++j) C[row * N + col + j] = sum[j];
}

// run: --entry float2_of_even_rows --block 8x8 --tile 8x16 --m 8 --n 14 --k 6
// right: rows of 14 floats are aligned to 8 bytes
__global__ void float2_of_even_rows(SIGNATURE) {
  int row = threadIdx.y, col = threadIdx.x * 2;
  if (col >= N) return;
  float2 sum = {0, 0};
  for (int k = 0; k < K; ++k) {
    float2 b = *(const float2*)(B + k * N + col);
    sum.x += A[row * K + k] * b.x;
    sum.y += A[row * K + k] * b.y;
  }
  *(float2*)(C + row * N + col) = sum;
}

// run: --entry transposed_through_float4 --block 16x4 --tile 16x16 --size 16
// right: A's tile is loaded as float4 and stored transposed, in rows of 20 that float4 can read
__global__ void transposed_through_float4(SIGNATURE) {
  __shared__ alignas(16) float a[16][20], b[16][16];
  int t = threadIdx.y * 16 + threadIdx.x, r = t / 4, k4 = t % 4 * 4;
  float4 from_a = *(const float4*)&A[r * K + k4];
  a[k4][r] = from_a.x, a[k4 + 1][r] = from_a.y, a[k4 + 2][r] = from_a.z, a[k4 + 3][r] = from_a.w;
  *(float4*)&b[r][k4] = *(const float4*)&B[r * N + k4];
  __syncthreads();
  int row = threadIdx.y * 4, col = threadIdx.x;
  float sum[4] = {};
  for (int k = 0; k < 16; ++k) {
    float4 four = *(const float4*)&a[k][row];
    sum[0] += four.x * b[k][col], sum[1] += four.y * b[k][col];
    sum[2] += four.z * b[k][col], sum[3] += four.w * b[k][col];
  }
  for (int i = 0; i < 4; ++i) C[(row + i) * N + col] = sum[i];
}

// run: --entry dynamic_memory_of_two_tiles --block 16x16 --tile 16x16 --size 32 --shared 2112
// right: two tiles in dynamic shared memory, one with padding
__global__ void dynamic_memory_of_two_tiles(SIGNATURE) {
  extern __shared__ float memory[];
  float *a = memory, *b = memory + 16 * 17;
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 16) {
    a[tx * 17 + ty] = A[row * K + k0 + tx];
    b[ty * 16 + tx] = B[(k0 + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a[k * 17 + ty] * b[k * 16 + tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry values_read_and_not_used --block 16x16 --tile 16x16 --m 16 --n 16 --k 12
// right: the tail of the tile is never written; it is read, and a condition leaves it out
__global__ void values_read_and_not_used(SIGNATURE) {
  __shared__ float a[16][16], b[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  if (tx < K) a[ty][tx] = A[ty * K + tx];
  if (ty < K) b[ty][tx] = B[ty * N + tx];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k)
    if (k < K) sum += a[ty][k] * b[k][tx];
  C[ty * N + tx] = sum;
}
