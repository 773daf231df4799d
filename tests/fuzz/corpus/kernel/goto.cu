__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
again: C[0] = A[0]; if (C[0] > 0) goto again; goto nowhere;
}
