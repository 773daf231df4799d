#include "address_kernels.hpp"

namespace gemm_tutor::simt {

const std::string address_kernels = R"(
__device__ __forceinline__ unsigned at(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
extern "C" __global__ void one_array(unsigned* out) {
  __shared__ float s[64];
  out[0] = at(s);
  out[1] = at(s + 5);
}
extern "C" __global__ void of_each_width(unsigned* out) {
  __shared__ char c;
  __shared__ double d;
  __shared__ short h;
  __shared__ float f[5];
  __shared__ float4 q;
  out[0] = at(&c);
  out[1] = at(&d);
  out[2] = at(&h);
  out[3] = at(f);
  out[4] = at(&q);
}
extern "C" __global__ void after_a_small_one(unsigned* out) {
  __shared__ float small[5];
  __shared__ float __align__(16384) large[6144];
  out[0] = at(small);
  out[1] = at(large);
}
extern "C" __global__ void large_alignments(unsigned* out) {
  __shared__ float __align__(8192) a[2048];
  __shared__ float __align__(4096) b[1024];
  __shared__ float __align__(16384) c[1024];
  out[0] = at(a);
  out[1] = at(b);
  out[2] = at(c);
}
extern __shared__ float dynamic[];
extern "C" __global__ void only_dynamic(unsigned* out) { out[0] = at(dynamic); }
extern "C" __global__ void dynamic_after_static(unsigned* out) {
  __shared__ float x[3];
  __shared__ float __align__(128) y[32];
  out[0] = at(x);
  out[1] = at(y);
  out[2] = at(dynamic);
}
extern "C" __global__ void dynamic_after_an_odd_number(unsigned* out) {
  __shared__ float x[301];
  out[0] = at(x);
  out[1] = at(dynamic);
}
extern __shared__ float __align__(1024) aligned_dynamic[];
extern "C" __global__ void aligned_dynamic_after_static(unsigned* out) {
  __shared__ float x[3];
  __shared__ float __align__(128) y[32];
  out[0] = at(x);
  out[1] = at(y);
  out[2] = at(aligned_dynamic);
}
__device__ unsigned found;
__device__ __noinline__ void of_a_function() {
  __shared__ float inner[9];
  inner[threadIdx.x] = 1;
  found = at(inner) + (inner[0] == 0);
}
extern "C" __global__ void in_a_function(unsigned* out) {
  __shared__ float outer[5];
  out[0] = at(outer);
  of_a_function();
  out[1] = found;
}
)";

const std::vector<AddressKernel> address_kernel_table = {
    {"one_array", {0, 20}},
    {"of_each_width", {0, 8, 16, 20, 48}},
    {"after_a_small_one", {0, 16384}},
    {"large_alignments", {0, 8192, 16384}},
    {"only_dynamic", {0}},
    {"dynamic_after_static", {0, 128, 256}},
    {"dynamic_after_an_odd_number", {0, 1216}},
    {"aligned_dynamic_after_static", {0, 128, 1024}},
    {"in_a_function", {0, 20}}};

}  // namespace gemm_tutor::simt
