// The sentence of each fault, made from its facts.
#include <set>

#include "catch.hpp"
#include "simt/check/fault.hpp"

namespace gemm_tutor::simt {
namespace {

using By = OtherAccess::By;

const Element in_matrix{.array = "A", .index = 256, .elements = 256, .extents = {16, 16}};
const Element in_vector{.array = "sums", .index = 12, .elements = 10};
const Element in_tile{
    .space = MemorySpace::shared, .array = "tile", .index = 3, .elements = 8, .extents = {4, 2}};

struct Case {
  FoundFault finding;
  std::string says;
};

FoundFault access(Fault fault, AccessKind kind, const Element& element, int bytes = 4) {
  FoundFault finding{.fault = fault, .thread = {1, 0, 0}, .block = {0, 2, 0}};
  finding.access = {kind, element, bytes};
  return finding;
}

FoundFault race(AccessKind kind, const OtherAccess& other) {
  FoundFault finding = access(Fault::race, kind, in_tile);
  finding.other = other;
  return finding;
}

FoundFault unwritten(const Gap& gap) {
  FoundFault finding = access(Fault::uninitialised, AccessKind::load, in_tile);
  finding.gap = gap;
  return finding;
}

FoundFault separated(bool between, bool around) {
  FoundFault finding = race(AccessKind::load, {.line = 12});
  finding.line = 15;
  finding.separation = Separation{12, 15, between, around};
  return finding;
}

FoundFault with_other(FoundFault finding) {
  finding.other.thread = {3, 0, 0};
  finding.other.block = {4, 0, 0};
  return finding;
}

FoundFault at_barrier(Fault fault, std::uint32_t threads) {
  FoundFault finding = access(fault, AccessKind::load, {});
  for (std::uint32_t x = 0; x < threads; ++x) finding.threads.push_back({x, 0, 0});
  return finding;
}

const std::string thread = "thread (1, 0, 0) of block (0, 2, 0) ";

std::vector<Case> cases() {
  std::vector<Case> result = {
      {access(Fault::outside, AccessKind::load, in_matrix),
       thread + "reads A[16][0], outside A, which is 16×16"},
      {access(Fault::outside, AccessKind::atomic, in_vector),
       thread + "updates sums[12], outside sums, which is 10 floats long"},
      {access(Fault::outside, AccessKind::copy_to, in_tile),
       thread + "copies to tile[1][1], outside tile, which is 4×2"},
      {access(Fault::outside, AccessKind::store,
              {.space = MemorySpace::local, .array = "values", .index = -1, .elements = 4}),
       thread + "writes values[-1], outside values, which has 4 floats"},
      {access(Fault::outside, AccessKind::load, {.address = 0x40}),
       thread + "reads address 0x40, outside any buffer"},
      {access(Fault::outside, AccessKind::load, {.space = MemorySpace::shared, .address = 0x40}),
       thread + "reads shared address 0x40, outside every array in shared memory"},
      {access(Fault::read_only, AccessKind::store, in_matrix),
       thread + "writes A[16][0], which is an input"},
      {access(Fault::wrong_space, AccessKind::load, in_matrix),
       thread + "reads A[16][0], which is in global memory; this instruction accesses shared "
                "memory alone"},
      {access(Fault::misaligned, AccessKind::copy_from, in_matrix, 16),
       thread + "copies from 16 bytes at A[16][0], which is not aligned to 16 bytes"},
      {access(Fault::uninitialised, AccessKind::load, in_tile),
       thread + "reads tile[1][1], which nothing has written"},
      {unwritten({4, 7, 8}), thread +
                                 "reads tile[1][1], which nothing has written; the block never "
                                 "writes rows 2 to 3 of tile"},
      {race(AccessKind::store, {.thread = {3, 0, 0}, .store = false}),
       thread + "writes tile[1][1], which thread (3, 0, 0) read with no __syncthreads() between"},
      {race(AccessKind::load, {.by = By::threads_of_several_warps}),
       thread + "reads tile[1][1], which threads of several warps wrote with no __syncthreads() "
                "between"},
      {race(AccessKind::load, {.by = By::threads_of_the_warp, .same_warp = true}),
       thread + "reads tile[1][1], which other threads of its warp wrote with no __syncwarp() or "
                "__syncthreads() between"},
      {access(Fault::race_with_copy, AccessKind::load, in_tile),
       thread + "reads tile[1][1], which an asynchronous copy that no thread has waited for is "
                "still filling"},
      {separated(true, false),
       thread + "reads tile[1][1], which thread (0, 0, 0) wrote at line 12 with no __syncthreads() "
                "between: put one between line 12 and line 15"},
      {separated(false, true),
       thread + "reads tile[1][1], which thread (0, 0, 0) wrote at line 12 with no __syncthreads() "
                "between: put one at the end of the loop, after line 15"},
      {separated(true, true),
       thread + "reads tile[1][1], which thread (0, 0, 0) wrote at line 12 with no __syncthreads() "
                "between: put one between line 12 and line 15, and one at the end of the loop, "
                "after line 15"},
      {with_other(access(Fault::simultaneous_write, AccessKind::store, in_tile)),
       thread + "and thread (3, 0, 0) write different values to tile[1][1] at the same time"},
      {with_other(access(Fault::equal_stores, AccessKind::store, in_tile)),
       thread + "and thread (3, 0, 0) write the same value to tile[1][1] in one instruction, which "
                "is no fault; one of them is enough"},
      {with_other(access(Fault::same_value, AccessKind::store, in_tile)),
       thread + "writes tile[1][1], where thread (3, 0, 0) wrote the same value with no order "
                "between them, which is no fault; one of them is enough"},
      {with_other(access(Fault::same_value, AccessKind::store, in_matrix)),
       thread + "writes A[16][0], where thread (3, 0, 0) of block (4, 0, 0) wrote the same value "
                "with no order between them, which is no fault; one of them is enough"},
      {with_other(access(Fault::order_by_matrices, AccessKind::store, in_tile)),
       thread + "writes tile[1][1], which thread (3, 0, 0) wrote; they are in order only because a "
                "warp's lanes wait for each other at a matrix instruction in between. PTX does not "
                "promise that memory keeps this order, and __syncwarp() does"},
      {access(Fault::array_alignment, AccessKind::load,
              {.space = MemorySpace::shared, .array = "tile", .address = 0x400}, 16384),
       "tile asks for an alignment of 16,384 bytes and begins at address 0x400: from compute "
       "capability 9.0 on, shared memory begins at 0x400, and alignments of more than 1,024 bytes "
       "hold only from there (up to 8.9 it begins at 0). A kernel that switches buffers by a bit "
       "of an address may then mix them up; let it flip the bit in an offset from the array's "
       "first element"},
      {with_other(access(Fault::written_twice, AccessKind::store, in_matrix)),
       thread + "writes A[16][0], which thread (3, 0, 0) of block (4, 0, 0) wrote too"},
      {with_other(access(Fault::race_of_blocks, AccessKind::load, in_matrix)),
       thread + "reads A[16][0], which thread (3, 0, 0) of block (4, 0, 0) writes too, and blocks "
                "run in any order"},
      {with_other(access(Fault::stale_read, AccessKind::load, in_matrix)),
       thread + "reads A[16][0] as memory that the kernel does not write, and thread (3, 0, 0) of "
                "block (4, 0, 0) has written it"},
      {at_barrier(Fault::divergent_barrier, 2),
       "__syncthreads() is reached by only some threads of a warp of block (0, 2, 0); missing are "
       "(0, 0, 0), (1, 0, 0)"},
      {at_barrier(Fault::missing_warps, 6),
       "block (0, 2, 0) waits at this __syncthreads() for threads that have returned: (0, 0, 0), "
       "(1, 0, 0), (2, 0, 0), (3, 0, 0) and 2 more"},
      {access(Fault::shared_barrier, AccessKind::load, {}),
       thread + "reaches barrier 0 of 0 threads, which other warps use too, with nothing that "
                "orders them: any of them may complete it"},
      {at_barrier(Fault::missing_lane, 1),
       thread + "is here without others that its mask names: (0, 0, 0)"},
      {at_barrier(Fault::part_of_a_warp, 0),
       thread + "is in a warp of fewer than 32 threads, and this instruction needs all 32"},
      {at_barrier(Fault::part_of_a_warp, 2),
       thread + "is here without others of its warp: (0, 0, 0), (1, 0, 0); all 32 threads must "
                "execute this instruction together"},
      {access(Fault::unset_fragment, AccessKind::load, {}),
       thread + "takes a part of A in D = A·B + C from a register that nothing has set: its "
                "fragment must be loaded before"},
      {with_other(access(Fault::returned_lane, AccessKind::load, {})),
       thread + "takes the value of thread (3, 0, 0), which has returned"},
      {access(Fault::end_of_body, AccessKind::load, {}),
       thread + "reaches the end of the code without a return: the compiler took this for "
                "unreachable"},
  };
  FoundFault different = access(Fault::different_barriers, AccessKind::load, {});
  different.other_warp = 1;
  different.other_line = 9;
  result.push_back(
      {different,
       "the warps of block (0, 2, 0) meet at different __syncthreads(): warp 0 here and warp "
       "1 at line 9; all are there, so that it is no fault"});
  FoundFault mask = access(Fault::not_in_mask, AccessKind::load, {});
  mask.mask = 0xffff;
  result.push_back({mask, thread + "is not in the mask 0x0000ffff that it gives itself"});
  FoundFault barrier = access(Fault::bad_barrier, AccessKind::load, {});
  barrier.barrier = 1;
  barrier.expected = 100;
  barrier.arrived = 64;
  result.push_back({barrier, thread +
                                 "reaches barrier 1 of 100 threads; a block has the barriers 0 to "
                                 "15, each for a multiple of 32 of its threads"});
  barrier.fault = Fault::barrier_counts;
  result.push_back(
      {barrier, thread + "reaches barrier 1 of 100 threads, at which others wait for 64"});
  barrier.fault = Fault::incomplete_barrier;
  result.push_back(
      {barrier, "block (0, 2, 0) waits at barrier 1 for 100 threads, of which only 64 arrive"});
  FoundFault calls = access(Fault::deep_calls, AccessKind::load, {});
  calls.instructions = 64;
  result.push_back(
      {calls, thread + "is in more than 64 calls at once, of functions that call themselves"});
  calls.fault = Fault::no_function;
  result.push_back({calls, thread + "calls through a pointer that points to no such function"});
  calls.fault = Fault::trap;
  result.push_back({calls, thread + "calls __trap(), which ends the kernel"});
  calls.fault = Fault::assertion;
  calls.assertion = "n > 0";
  result.push_back({calls, thread + "finds that `n > 0` does not hold"});
  result.push_back(
      {access(Fault::beyond_array, AccessKind::store,
              {.space = MemorySpace::local, .array = "sum", .index = 8, .elements = 8}),
       "a loop writes sum[8], outside sum, which has 8 floats: C++ leaves open what happens then"});
  FoundFault endless = access(Fault::endless, AccessKind::load, {});
  endless.instructions = 10'000;
  result.push_back({endless, thread + "is still in this loop after more than 10,000 instructions"});
  FoundFault unwritten = access(Fault::unwritten, AccessKind::load, {.array = "C"});
  unwritten.unwritten = 12;
  unwritten.elements = 4096;
  result.push_back(
      {unwritten, "12 of the 4,096 elements of C that were checked were never written"});
  return result;
}

}  // namespace

TEST_CASE("each fault is told in one sentence") {
  std::set<Fault> told;
  for (const Case& example : cases()) {
    CHECK(message(finding_of(example.finding)) == example.says);
    told.insert(example.finding.fault);
  }
  CHECK(told.size() == static_cast<std::size_t>(Fault::unwritten) + 1);
}

}  // namespace gemm_tutor::simt
