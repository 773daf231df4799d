// Right: addresses of shared memory, computed bit by bit.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void store(unsigned address, float value) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
}

// run: --entry buffer_by_a_bit_of_an_offset --block 16x16 --tile 16x16 --m 32 --n 32 --k 64
// right: the bit is one of the offset from the array's first element
__global__ void buffer_by_a_bit_of_an_offset(SIGNATURE) {
  __shared__ float s[1024];  // the buffers are its third and its fourth quarter
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  unsigned offset = sizeof(float) * (512 + 16 * ty + tx);
  for (int k0 = 0; k0 < K; k0 += 16) {
    store(shared_address(s) + offset, B[(k0 + ty) * N + col]);
    offset ^= 1024;
    __syncthreads();
    const float* tile = &s[512 + 256 * (k0 / 16 % 2)];
    for (int k = 0; k < 16; ++k) sum += A[row * K + k0 + k] * tile[16 * k + tx];
  }
  C[row * N + col] = sum;
}

// run: --entry aligned_by_hand --block 16x16 --tile 16x16 --m 32 --n 32 --k 64
// right: the tile begins at the next multiple of 2,048, whatever the array's address is
__global__ void aligned_by_hand(SIGNATURE) {
  __shared__ float s[1024];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  const unsigned begin = (shared_address(s) + 2047) / 2048 * 2048;
  unsigned to = begin + sizeof(float) * (16 * ty + tx);
  for (int k0 = 0, tile = 0; k0 < K; k0 += 16, tile ^= 256) {
    store(to, B[(k0 + ty) * N + col]);
    to ^= 1024;
    __syncthreads();
    const float* from = s + (begin - shared_address(s)) / sizeof(float) + tile;
    for (int k = 0; k < 16; ++k) sum += A[row * K + k0 + k] * from[16 * k + tx];
  }
  C[row * N + col] = sum;
}
