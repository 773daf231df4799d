template <int X, typename T>
__device__ T f(T a) { return X + a; }
__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  C[f<3>(1)] = A[f<3, int, 5>(2)] + A[f<>(2)] + A[f<f<3>(1)>(2)];
}
