struct T { int a, b; T* next; };
struct U { U u; };
struct { int x; };
__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  T t{1, 2}; T s = {3}; U u = {{{{1}}}}; C[t.a + s.b] = A[t.c + u.u.u];
}
