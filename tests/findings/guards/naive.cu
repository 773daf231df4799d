// One thread for each element of C, and a guard that is missing or wrong.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry no_guard --block 16x16 --tile 16x16 --size 20
// wrong: threads outside of C read and write as all others do
__global__ void no_guard(SIGNATURE) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k)
    sum += A[row * K + k] * B[k * N + col];  // finds: bounds
  C[row * N + col] = sum;  // finds: bounds race
}

// run: --entry guard_off_by_one --block 16x16 --tile 16x16 --size 20
// wrong: <= lets one row too many through
__global__ void guard_off_by_one(SIGNATURE) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row <= M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; ++k)
      sum += A[row * K + k] * B[k * N + col];  // finds: bounds
    C[row * N + col] = sum;  // finds: bounds
  }
}

// run: --entry guard_exchanged --block 8x8 --tile 8x8 --m 12 --n 20 --k 16
// wrong: the row is compared with N, the column with M
// finds: unwritten
__global__ void guard_exchanged(SIGNATURE) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  if (row >= N || col >= M) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];  // finds: bounds
  C[row * N + col] = sum;  // finds: bounds
}

// run: --entry guard_with_or --block 8x8 --tile 8x8 --m 12 --n 12 --k 16
// wrong: || in place of &&
__global__ void guard_with_or(SIGNATURE) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  if (row < M || col < N) {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];  // finds: bounds
    C[row * N + col] = sum;  // finds: bounds race
  }
}

// run: --entry guard_of_rows_only --block 8x8 --tile 8x8 --m 12 --n 12 --k 16
// wrong: columns beyond N are the next row's first ones
__global__ void guard_of_rows_only(SIGNATURE) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  if (row >= M) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];  // finds: bounds
  C[row * N + col] = sum;  // finds: bounds race
}

// run: --entry one_k_too_many --block 16x16 --tile 16x16 --size 16
// wrong: k <= K
__global__ void one_k_too_many(SIGNATURE) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.f;
  for (int k = 0; k <= K; k++)
    sum += A[row * K + k] * B[k * N + col];  // finds: bounds
  C[row * N + col] = sum;
}

// run: --entry next_element_ahead --block 16x16 --tile 16x16 --size 16
// wrong: the element for the next iteration is read in the last one, too
__global__ void next_element_ahead(SIGNATURE) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float a = 0, b = 0, sum = 0;
#pragma unroll 1
  for (int k = -1; k < K; ++k) {
    float next_a = A[row * K + k + 1];    // finds: bounds
    float next_b = B[(k + 1) * N + col];  // finds: bounds
    sum += a * b;
    a = next_a, b = next_b;
  }
  C[row * N + col] = a + b == 1e30f ? 0 : sum;
}

// run: --entry element_before_the_first --block 16x16 --tile 16x16 --size 16
// wrong: the loop begins at -1
__global__ void element_before_the_first(SIGNATURE) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = -1; k < K; ++k) {
    float a = A[row * K + k];  // finds: bounds
    float b = B[k * N + col];  // finds: bounds
    if (k >= 0) sum += a * b;
  }
  C[row * N + col] = sum;
}

// run: --entry unsigned_below_zero --block 16x16 --tile 16x16 --size 16
// wrong: threadIdx.x - 1 is unsigned, and for thread 0 it is 4,294,967,295
__global__ void unsigned_below_zero(SIGNATURE) {
  int row = blockIdx.y * 16 + threadIdx.y;
  unsigned col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  size_t left = threadIdx.x - 1;
  if (B[left] > 2) sum = 0;  // finds: bounds
  C[row * N + col] = sum;
}

// run: --entry read_before_the_guard --block 16x16 --tile 16x16 --size 20
// wrong: the guard comes after the reads
__global__ void read_before_the_guard(SIGNATURE) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k)
    sum += __ldg(A + row * K + k) * __ldg(B + k * N + col);  // finds: bounds
  if (row < M && col < N) C[row * N + col] = sum;
}

// run: --entry flat_index --block 64 --tile 1x64 --m 3 --n 50 --k 16
// wrong: the flat index of the grid goes beyond M·N
__global__ void flat_index(SIGNATURE) {
  int index = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  int row = index / N, col = index % N;
  float sum = 0;
  for (int k = 0; k < K; ++k)
    sum += A[row * K + k] * B[k * N + col];  // finds: bounds
  C[index] = sum;  // finds: bounds
}

// run: --entry stride_loop_one_too_many --block 32 --tile 8x16 --m 8 --n 16 --k 16
// wrong: index <= M·N
__global__ void stride_loop_one_too_many(SIGNATURE) {
  for (int index = threadIdx.x; index <= M * N; index += blockDim.x) {
    int row = index / N, col = index % N;
    float sum = 0;
    for (int k = 0; k < K; ++k)
      sum += A[row * K + k] * B[k * N + col];  // finds: bounds
    C[index] = sum;  // finds: bounds
  }
}

// run: --entry input_as_scratch --block 16x16 --tile 16x16 --size 16
// wrong: the cast takes away const, and A is written
__global__ void input_as_scratch(SIGNATURE) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  const_cast<float*>(A)[row * K + col] = sum;  // finds: bounds
  C[row * N + col] = sum;
}
