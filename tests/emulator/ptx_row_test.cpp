// The kinds that warp instructions are counted by.
#include "simt/isa/ptx_row.hpp"

#include "catch.hpp"
#include "ptx_kernel.hpp"

using namespace gemm_tutor::simt;
using Kind = InstructionKind;

TEST_CASE("every instruction is of one kind") {
  const auto all_are = [](Kind kind, std::initializer_list<const char*> opcodes) {
    for (const char* opcode : opcodes) {
      INFO(opcode);
      CHECK(instruction_kind(opcode) == kind);
    }
  };
  all_are(Kind::ffma, {"fma.rn.f32", "fma.rz.f32", "fma.rn.ftz.f32"});
  all_are(Kind::floating_point,
          {"add.f32", "mul.rn.f32", "fma.rn.f64", "setp.gt.f32", "selp.f32", "max.f32", "neg.f32",
           "div.rn.f32", "fma.rn.f16x2", "add.bf16", "ex2.approx.ftz.f32", "fma.rn.f32x2"});
  all_are(Kind::integer,
          {"add.s32", "mad.lo.s32", "mul.wide.s32", "shl.b32", "setp.lt.s32", "selp.b32",
           "and.pred", "bfe.u32", "min.s32", "dp4a.s32.s32", "addc.cc.u32"});
  all_are(Kind::move, {"mov.u32", "mov.b64", "cvt.u64.u32", "cvt.rn.f32.s32", "cvta.to.global.u64",
                       "ld.param.u64"});
  all_are(Kind::memory, {"ld.global.nc.v4.f32", "st.shared.f32", "ld.local.f32", "ld.f32",
                         "prefetch.global.L2", "cp.async.cg.shared.global",
                         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"});
  all_are(Kind::control, {"bra", "bra.uni", "ret", "exit"});
  all_are(Kind::synchronisation,
          {"bar.sync", "barrier.sync", "bar.warp.sync", "membar.cta", "fence.acq_rel.gpu",
           "cp.async.commit_group", "cp.async.wait_group", "cp.async.mbarrier.arrive.shared.b64",
           "mbarrier.init.shared.b64", "mbarrier.try_wait.parity.shared.b64"});
  all_are(Kind::exchange, {"shfl.sync.bfly.b32", "vote.sync.ballot.b32", "match.any.sync.b32",
                           "activemask.b32", "redux.sync.add.s32", "elect.sync"});
}

TEST_CASE("warp instructions are counted by kind, as often as a warp executes them") {
  std::vector<float> out(64);
  const Result result = run_ptx(ptx_module("  mov.u32 %r0, %tid.x;\n"
                                           "  mov.u32 %r1, 0;\n"
                                           "  mov.f32 %f0, 0f3F800000;\n"
                                           "HEAD:\n"
                                           "  fma.rn.f32 %f0, %f0, %f0, %f0;\n"
                                           "  add.f32 %f0, %f0, %f0;\n"
                                           "  add.u32 %r1, %r1, 1;\n"
                                           "  setp.lt.u32 %p0, %r1, 5;\n"
                                           "  @%p0 bra HEAD;\n"
                                           "  bar.sync 0;\n"
                                           "  shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1;\n"
                                           "  mul.wide.u32 %rd0, %r0, 4;\n"
                                           "  add.s64 %rd0, %buffer0, %rd0;\n"
                                           "  @%p0 st.global.f32 [%rd0], %f0;\n"
                                           "  st.global.f32 [%rd0], %f0;\n",
                                           1),
                                {{1, 1, 1}, {64, 1, 1}, 0}, {buffer_of(out)});
  const auto count = [&](Kind kind) {
    return result.total.instructions[static_cast<std::size_t>(kind)];
  };
  CHECK(count(Kind::ffma) == 2 * 5);
  CHECK(count(Kind::floating_point) == 2 * 5);
  CHECK(count(Kind::integer) == 2 * (2 * 5 + 2));
  CHECK(count(Kind::move) == 2 * (3 + 1));     // and the address of the buffer
  CHECK(count(Kind::memory) == 2 * 2);         // one of them for no lane
  CHECK(count(Kind::control) == 2 * (5 + 1));  // and the return
  CHECK(count(Kind::synchronisation) == 2);
  CHECK(count(Kind::exchange) == 2);
  CHECK(result.total.warp_instructions() == 10 + 10 + 24 + 8 + 4 + 12 + 2 + 2);
  CHECK(result.total.global_store_requests == 2);
}
