// Sizes and coordinates that are taken for each other.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry leading_dimension_of_a --block 8x8 --tile 8x8 --m 16 --n 24 --k 8
// wrong: the rows of A are K apart, not N
__global__ void leading_dimension_of_a(SIGNATURE) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k)
    sum += A[row * N + k] *  // finds: bounds
           B[k * N + col];
  C[row * N + col] = sum;
}

// run: --entry leading_dimension_of_b --block 8x8 --tile 8x8 --m 16 --n 8 --k 24
// wrong: the rows of B are N apart, not K
__global__ void leading_dimension_of_b(SIGNATURE) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    float b = B[k * K + col];  // finds: bounds
    sum += A[row * K + k] * b;
  }
  C[row * N + col] = sum;
}

// run: --entry leading_dimension_of_c --block 8x8 --tile 8x8 --m 24 --n 16 --k 8
// wrong: the rows of C are N apart, not M
// finds: unwritten
__global__ void leading_dimension_of_c(SIGNATURE) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * M + col] = sum;  // finds: bounds
}

// run: --entry column_major_c --block 8x8 --tile 8x8 --m 8 --n 24 --k 8
// wrong: C is written as if it were transposed, with the pitch of the rows
// finds: unwritten
__global__ void column_major_c(SIGNATURE) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[col * N + row] = sum;  // finds: bounds
}

// run: --entry exchanged_blocks --block 8x8 --tile 8x8 --m 8 --n 32 --k 8
// wrong: blockIdx.x counts tiles along N, and is taken for that of the rows
// finds: unwritten
__global__ void exchanged_blocks(SIGNATURE) {
  int row = blockIdx.x * 8 + threadIdx.x, col = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];  // finds: bounds
  C[row * N + col] = sum;  // finds: bounds
}
