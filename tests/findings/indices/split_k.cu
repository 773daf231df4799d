// Sums along K that several threads or blocks share.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry split_k_last_one_stays --block 32x4 --tile 1x32 --m 2 --n 32 --k 16
// wrong: four threads have a quarter of K each, and each stores its part
__global__ void split_k_last_one_stays(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / 4;
  float sum = 0;
  for (int k = threadIdx.y * part; k < (threadIdx.y + 1) * part; ++k)
    sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;  // finds: race
}

// run: --entry split_k_plain_addition --block 32x4 --tile 1x32 --m 2 --n 32 --k 16 --c zero
// wrong: the parts are added to C without atomic additions
__global__ void split_k_plain_addition(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / 4;
  float sum = 0;
  for (int k = threadIdx.y * part; k < (threadIdx.y + 1) * part; ++k)
    sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] += sum;  // finds: race
}

// run: --entry split_k_over_blocks --block 32 --tile 1x8 --m 2 --n 32 --k 32 --c zero
// wrong: four blocks have a quarter of K each, and add to C without atomic additions
__global__ void split_k_over_blocks(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / gridDim.x;
  float sum = 0;
  for (int k = blockIdx.x * part; k < (blockIdx.x + 1) * part; ++k)
    sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] += sum;  // finds: race
}

// run: --entry split_k_one_plain_store --block 32x4 --tile 1x32 --m 2 --n 32 --k 16
// wrong: the first part is stored, the others are added, with no barrier between
__global__ void split_k_one_plain_store(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / 4;
  float sum = 0;
  for (int k = threadIdx.y * part; k < (threadIdx.y + 1) * part; ++k)
    sum += A[row * K + k] * B[k * N + col];
  if (threadIdx.y == 0)
    C[row * N + col] = sum;
  else
    atomicAdd(&C[row * N + col], sum);  // finds: race
}

// run: --entry zeroed_by_every_block --block 32 --tile 1x8 --m 2 --n 32 --k 32
// wrong: a block sets C to zero after another one may have added its part
__global__ void zeroed_by_every_block(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / gridDim.x;
  if (blockIdx.x == 0) C[row * N + col] = 0;
  __syncthreads();
  float sum = 0;
  for (int k = blockIdx.x * part; k < (blockIdx.x + 1) * part; ++k)
    sum += A[row * K + k] * B[k * N + col];
  atomicAdd(&C[row * N + col], sum);  // finds: race
}

// run: --entry read_of_what_others_add --block 32x4 --tile 1x32 --m 2 --n 32 --k 16 --c zero
// wrong: the sum is read while others still add to it
__global__ void read_of_what_others_add(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / 4;
  float sum = 0;
  for (int k = threadIdx.y * part; k < (threadIdx.y + 1) * part; ++k)
    sum += A[row * K + k] * B[k * N + col];
  atomicAdd(&C[row * N + col], sum);
  if (threadIdx.y == 3 && C[row * N + col] < -1000.0f) atomicAdd(&C[row * N + col], 1000.0f);  // finds: race
}

// run: --entry steps_of_k_in_memory --block 8x8 --tile 1x8 --m 2 --n 8 --k 8 --c zero
// wrong: each of eight threads adds its step of K to the same element
__global__ void steps_of_k_in_memory(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, k = threadIdx.y;
  C[row * N + col] += A[row * K + k] * B[k * N + col];  // finds: race
}
