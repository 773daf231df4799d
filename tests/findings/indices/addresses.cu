// Addresses of shared memory, computed bit by bit.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

__device__ void store(unsigned address, float value) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
}

// run: --entry buffer_by_a_bit_of_the_address --block 16x16 --tile 16x16 --m 32 --n 32 --k 64
// wrong: shared memory begins at 0x400, so the flipped bit leads out of both buffers
__global__ void buffer_by_a_bit_of_the_address(SIGNATURE) {
  __shared__ __align__(4096) float s[1024];  // the buffers are its third and its fourth quarter
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[512 + 16 * ty + tx]));
  for (int k0 = 0; k0 < K; k0 += 16) {
    store(to, B[(k0 + ty) * N + col]);
    to ^= 1024;
    __syncthreads();
    const float* tile = &s[512 + 256 * (k0 / 16 % 2)];
    for (int k = 0; k < 16; ++k) sum += A[row * K + k0 + k] * tile[16 * k + tx];  // finds: uninitialised
  }
  C[row * N + col] = sum;
}
