#include "simt/ptx/control_flow.hpp"

#include <string>

#include "catch.hpp"

using namespace gemm_tutor::simt;

namespace {

// A kernel whose loop goes on while %r1 is less than %r2, which that statement makes.
bool is_by_data(const std::string& statement) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry f(.param .u64 p, .param .u32 n)\n{\n"
      ".reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<2>;\n"
      "ld.param.u64 %rd1, [p];\nmov.u32 %r1, 0;\n" +
      statement +
      "\n$L1:\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra $L1;\nret;\n}\n";
  return has_loop_by_data(ptx::parse(text, "").entries.front());
}

}  // namespace

TEST_CASE("a loop is by data where what decides its end was loaded from memory") {
  CHECK_FALSE(is_by_data("ld.param.u32 %r2, [n];"));
  CHECK_FALSE(is_by_data("mov.u32 %r2, %tid.x;"));
  CHECK_FALSE(is_by_data("mov.u32 %r2, 5;\nld.global.u32 %r3, [%rd1];"));
  CHECK(is_by_data("ld.global.u32 %r2, [%rd1];"));
  CHECK(is_by_data("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r3];"));
  CHECK_FALSE(is_by_data("movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r3;"));
  CHECK(is_by_data("ld.global.nc.u32 %r3, [%rd1];\nadd.s32 %r2, %r3, 1;"));
}
