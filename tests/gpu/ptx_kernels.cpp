#include "ptx_kernels.hpp"

namespace gemm_tutor::gpu {
namespace {

constexpr char ptx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry copy_a(.param .u64 A, .param .u64 B, .param .u64 C,
               .param .u32 M, .param .u32 N, .param .u32 K)
{
  .reg .pred %outside;
  .reg .b32 %i, %block, %threads, %m, %n, %count;
  .reg .f32 %value;
  .reg .b64 %a, %c, %offset;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %i, %tid.x;
  mad.lo.u32 %i, %block, %threads, %i;
  ld.param.u32 %m, [M];
  ld.param.u32 %n, [N];
  mul.lo.u32 %count, %m, %n;
  setp.ge.u32 %outside, %i, %count;
  @%outside ret;
  ld.param.u64 %a, [A];
  ld.param.u64 %c, [C];
  cvta.to.global.u64 %a, %a;
  cvta.to.global.u64 %c, %c;
  mul.wide.u32 %offset, %i, 4;
  add.u64 %a, %a, %offset;
  add.u64 %c, %c, %offset;
  ld.global.f32 %value, [%a];
  st.global.f32 [%c], %value;
  ret;
}

.visible .entry leave_c(.param .u64 A, .param .u64 B, .param .u64 C,
               .param .u32 M, .param .u32 N, .param .u32 K)
{
  ret;
}

.visible .entry write_nowhere(.param .u64 A, .param .u64 B, .param .u64 C,
               .param .u32 M, .param .u32 N, .param .u32 K)
{
  .reg .b64 %nowhere;
  mov.u64 %nowhere, 0;
  st.global.u32 [%nowhere], 0;
  ret;
}
)";

}  // namespace

DeviceKernel ptx_kernel(const char* name, const simt::Launch& launch) {
  return {ptx, name, launch};  // with the NUL that ends the text, for the driver needs it
}

}  // namespace gemm_tutor::gpu
