// Arrays in local memory that are too small for their indices.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry results_one_too_many --block 16 --tile 4x16 --m 4 --n 16 --k 8
// wrong: the loop over the thread's results goes to 4 inclusive
__global__ void results_one_too_many(SIGNATURE) {
  float results[4];
  int col = threadIdx.x;
#pragma unroll 1
  for (int r = 0; r <= 4; ++r) {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += A[r * K + k] * B[k * N + col];  // finds: bounds
    results[r] = sum;                                                  // finds: bounds
  }
#pragma unroll 1
  for (int r = 0; r < M; ++r) C[r * N + col] = results[r];
}

// run: --entry results_by_the_threads_number --block 16 --tile 16x1 --m 16 --n 1 --k 8
// wrong: the array has an element for each of four columns, and is indexed by the thread
__global__ void results_by_the_threads_number(SIGNATURE) {
  float results[4] = {};
  int t = threadIdx.x;
  for (int k = 0; k < K; ++k) results[t] += A[t * K + k] * B[k];  // finds: bounds
  C[t] = results[t];
}

// run: --entry result_before_the_first --block 8 --tile 8x1 --m 8 --n 1 --k 8
// wrong: results[r - 1] for r = 0
__global__ void result_before_the_first(SIGNATURE) {
  float results[8];
  int t = threadIdx.x;
#pragma unroll 1
  for (int r = 0; r <= t; ++r) {
    results[r] = 0;
    for (int k = 0; k < K; ++k) results[r] += A[r * K + k] * B[k];
  }
  float before = results[t - 1];  // finds: bounds
  C[t] = t > 0 && before == 12345.f ? before : results[t];
}
