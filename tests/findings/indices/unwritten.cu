// Elements of C that no thread writes, and such that are read before.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

__device__ float dot(const float* A, const float* B, int row, int col, int N, int K) {
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  return sum;
}

// run: --entry one_result_of_a_column --block 32x8 --tile 32x32 --size 32
// wrong: a block of 32×8 threads has a tile of 32×32, and each thread one element of it
// finds: unwritten
__global__ void one_result_of_a_column(SIGNATURE) {
  int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  if (row < M && col < N) C[row * N + col] = dot(A, B, row, col, N, K);
}

// run: --entry guard_one_too_few --block 16x16 --tile 16x16 --size 32
// wrong: the last row and column are left out
// finds: unwritten
__global__ void guard_one_too_few(SIGNATURE) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M - 1 || col >= N - 1) return;
  C[row * N + col] = dot(A, B, row, col, N, K);
}

// run: --entry stride_twice_as_wide --block 32 --tile 4x32 --m 4 --n 32 --k 8
// wrong: the loop over the block's elements goes in steps of two blocks
// finds: unwritten
__global__ void stride_twice_as_wide(SIGNATURE) {
  for (int i = threadIdx.x; i < M * N; i += 2 * blockDim.x)
    C[i] = dot(A, B, i / N, i % N, N, K);
}

// run: --entry small_sums_left_out --block 16x16 --tile 16x16 --size 16
// wrong: elements are written only where the sum is positive
// finds: unwritten
__global__ void small_sums_left_out(SIGNATURE) {
  int row = threadIdx.y, col = threadIdx.x;
  float sum = dot(A, B, row, col, N, K);
  if (sum > 0) C[row * N + col] = sum;
}

// run: --entry c_is_never_zeroed --block 16x16 --tile 16x16 --size 16
// wrong: the sum begins with what is in C, and nothing has been stored there
__global__ void c_is_never_zeroed(SIGNATURE) {
  int row = threadIdx.y, col = threadIdx.x;
  float sum = C[row * N + col];  // finds: uninitialised
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}

// run: --entry added_to_nothing --block 32x4 --tile 1x32 --m 2 --n 32 --k 16
// wrong: atomic additions to a C that nobody has set to zero
__global__ void added_to_nothing(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / 4;
  float sum = 0;
  for (int k = threadIdx.y * part; k < (threadIdx.y + 1) * part; ++k)
    sum += A[row * K + k] * B[k * N + col];
  atomicAdd(&C[row * N + col], sum);  // finds: uninitialised
}
