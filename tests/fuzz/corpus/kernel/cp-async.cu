#include <cuda_pipeline.h>
__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float t[4]; __pipeline_memcpy_async(t, A, 16); __pipeline_commit(); __pipeline_wait_prior(99); C[0] = t[0];
}
