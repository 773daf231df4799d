__device__ int f0(int x) { return x; }
__device__ int f1(int x) { return f0(x) + f0(x); }
__device__ int f2(int x) { return f1(x) + f1(x); }
__device__ int f3(int x) { return f2(x) + f2(x); }
__device__ int f4(int x) { return f3(x) + f3(x); }
__device__ int f5(int x) { return f4(x) + f4(x); }
__device__ int f6(int x) { return f5(x) + f5(x); }
__device__ int f7(int x) { return f6(x) + f6(x); }
__device__ int f8(int x) { return f7(x) + f7(x); }
__device__ int f9(int x) { return f8(x) + f8(x); }
__device__ int f10(int x) { return f9(x) + f9(x); }
__device__ int f11(int x) { return f10(x) + f10(x); }
__device__ int f12(int x) { return f11(x) + f11(x); }
__device__ int f13(int x) { return f12(x) + f12(x); }
__device__ int f14(int x) { return f13(x) + f13(x); }
__device__ int f15(int x) { return f14(x) + f14(x); }
__device__ int f16(int x) { return f15(x) + f15(x); }
__device__ int f17(int x) { return f16(x) + f16(x); }
__device__ int f18(int x) { return f17(x) + f17(x); }
__device__ int f19(int x) { return f18(x) + f18(x); }
__device__ int f20(int x) { return f19(x) + f19(x); }
__device__ int f21(int x) { return f20(x) + f20(x); }
__device__ int f22(int x) { return f21(x) + f21(x); }
__device__ int f23(int x) { return f22(x) + f22(x); }
__device__ int f24(int x) { return f23(x) + f23(x); }
__device__ int f25(int x) { return f24(x) + f24(x); }
__device__ int f26(int x) { return f25(x) + f25(x); }
__device__ int f27(int x) { return f26(x) + f26(x); }
__device__ int f28(int x) { return f27(x) + f27(x); }
__device__ int f29(int x) { return f28(x) + f28(x); }
__device__ int f30(int x) { return f29(x) + f29(x); }
__device__ int f31(int x) { return f30(x) + f30(x); }
__device__ int f32(int x) { return f31(x) + f31(x); }
__device__ int f33(int x) { return f32(x) + f32(x); }
__device__ int f34(int x) { return f33(x) + f33(x); }
__device__ int f35(int x) { return f34(x) + f34(x); }
__device__ int f36(int x) { return f35(x) + f35(x); }
__device__ int f37(int x) { return f36(x) + f36(x); }
__device__ int f38(int x) { return f37(x) + f37(x); }
__device__ int f39(int x) { return f38(x) + f38(x); }
__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  C[f39(1)] = A[f39(2)];
}
