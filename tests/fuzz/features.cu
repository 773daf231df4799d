// Most of what the PTX reader knows, for the fuzzer to start from: features.ptx is what NVRTC makes of it.
#include <cuda_pipeline.h>

extern __shared__ float dynamic[];

__device__ __forceinline__ float twice(float x) { return x + x; }

extern "C" __global__ void features(const float* A, const float4* B, float* C, int M, int N, int K) {
  __shared__ float4 tile[64];
  __shared__ char narrow[64];
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  float local[8];
  for (int k = 0; k < 8; ++k) local[k] = A[k * i];
  __pipeline_memcpy_async(&tile[threadIdx.x % 64], &B[i], 16);
  __pipeline_commit();
  narrow[threadIdx.x % 64] = static_cast<char>(M);
  __pipeline_wait_prior(0);
  __syncthreads();
  float sum = dynamic[i % N] + narrow[i % 64];
#pragma unroll 1
  for (int k = 0; k < K; ++k) {
    if ((k ^ i) % 3 == 0) continue;
    sum = fmaf(tile[(i + k) % 64].y, local[k % 8], sum);
    sum += __shfl_xor_sync(~0u, sum, 1);
  }
  if (i < M) C[static_cast<long long>(i) * N] = twice(sum) / 3.0f;
}
