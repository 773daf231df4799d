#include "simt/estimate/simulation.hpp"

#include "catch.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;

namespace {

constexpr Operation the_end = {.flow = WarpFlow::exit};

// Numbers that are easy to count with.
SmTimes plain_times() {
  SmTimes times;
  times.shared_latency = 20;
  times.l1_latency = 30;
  times.l2_latency = 200;
  times.dram_latency = 500;
  times.memory_interval = 1;
  times.memory_queue = 8;
  times.l1_lines = 1;
  times.barrier_arrival = 0;
  times.barrier = 10;
  times.fetch_interval = 1;
  times.copy = 50;
  times.block_start = 100;
  times.branch = 0;
  return times;
}

Operation arithmetic(int stall = 1) {
  return {.unit = UnitKind::fp32, .stall = static_cast<std::uint8_t>(stall)};
}

Operation load(int request, int barrier) {
  return {.unit = UnitKind::memory,
          .write_barrier = static_cast<std::uint8_t>(barrier),
          .request = request};
}

Operation waits_for(int barrier) {
  Operation op = arithmetic();
  op.wait_mask = static_cast<std::uint8_t>(1 << barrier);
  return op;
}

SmWork work_of(std::vector<Operation> operations, int warps = 1) {
  SmWork work;
  work.operations = std::move(operations);
  work.operations.push_back(the_end);
  work.warps = warps;
  return work;
}

SmWork repeated(const Operation& operation, int times, int warps = 1) {
  return work_of(std::vector<Operation>(static_cast<std::size_t>(times), operation), warps);
}

double cycles_of(const SmWork& work, const SmTimes& times = plain_times()) {
  const Simulated result = simulate(work, times);
  CHECK(result.end == Simulated::End::complete);
  return result.cycles;
}

}  // namespace

TEST_CASE("a scheduler issues an instruction per cycle, and four of them share the warps") {
  CHECK(cycles_of(repeated(arithmetic(), 100)) == 101);
  CHECK(cycles_of(repeated(arithmetic(), 100, 4)) == 101);
  CHECK(cycles_of(repeated(arithmetic(), 100, 8)) == 202);
  SmTimes half = plain_times();
  half.fp32_interval = 2;
  CHECK(cycles_of(repeated(arithmetic(), 100), half) == Approx(200).margin(2));
}

TEST_CASE("a warp waits for its stall counts, and other warps fill the cycles") {
  CHECK(cycles_of(repeated(arithmetic(5), 100)) == 501);
  CHECK(cycles_of(repeated(arithmetic(5), 100, 4 * 5)) == Approx(505).margin(5));
  CHECK(cycles_of(repeated(arithmetic(5), 100, 4 * 10)) == Approx(1010).margin(5));
}

TEST_CASE("a warp waits for the barrier of its load") {
  SmWork work = work_of({load(0, 2), waits_for(2)});
  work.requests = {{.wavefronts = 1}};
  CHECK(cycles_of(work) == Approx(20).margin(4));
  work.operations[1] = waits_for(3);  // of another one
  CHECK(cycles_of(work) < 25);
  work = work_of({load(0, 0), waits_for(0), arithmetic()});
  work.requests = {
      {.is_global = true, .wavefronts = 1, .lines = 1, .sectors = 4, .sectors_of_l2 = 4}};
  CHECK(cycles_of(work) == Approx(200).margin(10));
  work.requests[0].sectors_of_dram = 4;
  CHECK(cycles_of(work) > 500);
}

TEST_CASE("wavefronts of all warps go through one pipe") {
  SmWork work = repeated(load(0, 0), 50, 8);
  work.requests = {{.wavefronts = 1}};
  const double without = cycles_of(work);
  CHECK(without == Approx(50 * 8).margin(40));
  work.requests[0].wavefronts = 32;
  CHECK(cycles_of(work) == Approx(32 * 50 * 8).margin(60));
}

TEST_CASE("a bank of registers delivers one of them per cycle") {
  Operation op = arithmetic();
  op.bank_reads[0] = op.bank_reads[1] = 1;
  op.reads_without_reuse[0] = op.reads_without_reuse[1] = 1;
  CHECK(cycles_of(repeated(op, 100)) == 101);
  op.bank_reads[0] = op.reads_without_reuse[0] = 2;
  CHECK(cycles_of(repeated(op, 100)) == Approx(200).margin(2));

  // What the reuse cache holds is lost where another warp issues between.
  op.bank_reads[0] = 1;
  CHECK(cycles_of(repeated(op, 100)) == Approx(102).margin(2));
  Operation alternating = op;
  alternating.stall = 2;
  CHECK(cycles_of(repeated(alternating, 100, 8)) > 300);
}

TEST_CASE("a tensor core is busy with a product for its FMAs, and holds no other unit up") {
  SmTimes times = plain_times();
  times.mma_fmas[static_cast<std::size_t>(Product::fp16_fp32)] = 256;
  times.shallow_mma_fmas[static_cast<std::size_t>(Product::fp16_fp32)] = 128;
  const Operation product = {
      .unit = UnitKind::tensor, .product = Product::fp16_fp32, .fmas = 16 * 8 * 16};
  CHECK(tensor_cycles(product, times) == 8);
  CHECK(cycles_of(repeated(product, 100), times) == Approx(800).margin(8));
  CHECK(cycles_of(repeated(product, 100, 8), times) == Approx(1600).margin(8));
  Operation shallow = product;
  shallow.is_shallow = true, shallow.fmas /= 2;
  CHECK(cycles_of(repeated(shallow, 100), times) == Approx(800).margin(8));
  std::vector<Operation> mixed;
  for (int i = 0; i < 100; ++i) {
    mixed.push_back(product);
    for (int j = 0; j < 7; ++j) mixed.push_back(arithmetic());
  }
  CHECK(cycles_of(work_of(mixed), times) == Approx(800).margin(8));
}

TEST_CASE("what a product sets a barrier for waits until its last rows are there") {
  SmTimes times = plain_times();
  times.mma_fmas[static_cast<std::size_t>(Product::fp64)] = 16;
  Operation product = {
      .unit = UnitKind::tensor, .write_barrier = 1, .product = Product::fp64, .fmas = 8 * 8 * 4};
  Operation next = product;
  next.wait_mask = 2;
  CHECK(cycles_of(work_of({product, next, waits_for(1)}), times) == Approx(2 * 26).margin(4));
}

TEST_CASE("a block's warps wait for the last one at a barrier") {
  SmWork work = work_of({arithmetic(), {.flow = WarpFlow::block_barrier}, arithmetic()}, 8);
  // Half of the warps go a longer way.
  Operation branch = {.flow = WarpFlow::branch, .target = 2, .rarer = 0.5};
  branch.rarer_is_taken = true;
  branch.by_warp = true;
  branch.branch = 0;
  work.operations.insert(work.operations.begin(), branch);
  work.operations.insert(work.operations.begin() + 1, arithmetic(15));
  work.branches = 1;
  const double cycles = cycles_of(work);
  CHECK(cycles > 15 + 10);
  CHECK(cycles < 45);
}

TEST_CASE("a loop is left after as many iterations as were counted") {
  Operation back = {.flow = WarpFlow::branch, .target = 0, .rarer = 0.1};
  back.branch = 0;
  SmWork work = work_of({arithmetic(), back});
  work.branches = 1;
  CHECK(simulate(work, plain_times()).issued == 10 * 2 + 1);
  work.operations[1].rarer = 1.0 / 3;
  CHECK(simulate(work, plain_times()).issued == 3 * 2 + 1);
  work.operations[1].rarer = 0;  // never
  CHECK(simulate(work, plain_times()).end == Simulated::End::too_long);
}

TEST_CASE("blocks that find no room run after others") {
  SmWork work = repeated(arithmetic(4), 100, 4);
  const double one = cycles_of(work);
  work.blocks = work.resident = 3;
  CHECK(cycles_of(work) == Approx(one).margin(10));
  work.resident = 1;
  CHECK(cycles_of(work) == Approx(3 * one + 2 * 100).margin(10));
}

TEST_CASE("a wait for copies lets as many groups be pending as it says") {
  Operation copy = load(0, 7);
  copy.is_asynchronous = true;
  const Operation end = {.flow = WarpFlow::group_end};
  Operation wait = {.flow = WarpFlow::group_wait};
  SmWork work = work_of({copy, end, wait, arithmetic(), arithmetic(15)});
  work.requests = {{.is_global = true, .lines = 1, .sectors = 4, .sectors_of_l2 = 4}};
  CHECK(cycles_of(work) > 210 + plain_times().copy);
  work.operations[2].groups = 1;
  // The copy is on its way while the arithmetic goes on.
  CHECK(cycles_of(work) < 215);
}

TEST_CASE("more memory instructions than the queue has room for hold their warp back") {
  SmTimes times = plain_times();
  times.memory_queue = 1;
  SmWork work = repeated(load(0, 0), 10, 1);
  work.requests = {{.wavefronts = 32}};
  work.operations.insert(work.operations.end() - 1, 300, arithmetic());
  const double narrow = cycles_of(work, times);
  times.memory_queue = 16;
  CHECK(cycles_of(work, times) < narrow - 200);
}

TEST_CASE("warps that ask for sectors that are on their way wait for them, and fetch nothing") {
  SmTimes times = plain_times();
  times.l2_sectors = 0.1;  // 10 cycles each
  SmWork work = work_of({load(0, 0), waits_for(0)}, 8);
  work.requests = {{.is_global = true, .lines = 1, .sectors = 1, .sectors_of_l2 = 1}};
  const double each = cycles_of(work, times);
  work.requests[0].sectors_of_l2 = 1.0 / 8;
  work.requests[0].sharing_warps = 8;
  const double one = cycles_of(work, times);
  CHECK(each - one == Approx(70).margin(10));
  CHECK(one > 200);
  // What was fetched an iteration before is there.
  work.requests[0].missing = 0.5;
  CHECK(cycles_of(work, times) < 100);  // the first iteration misses nothing: the second would
}

TEST_CASE("a loop that is longer than the instruction cache is fetched as it goes") {
  constexpr int length = 400, iterations = 8;
  Operation back = arithmetic();
  back.flow = WarpFlow::branch;
  back.target = 0;
  back.branch = 0;
  back.rarer = 1.0 / iterations;
  SmWork work = work_of(std::vector<Operation>(length - 1, arithmetic()));
  work.operations.insert(work.operations.end() - 1, back);
  work.branches = 1;
  SmTimes times = plain_times();
  times.branch = 0;
  times.fetch_interval = 2;
  times.instruction_cache_bytes = length * 16;
  // The first iteration is fetched.
  CHECK(cycles_of(work, times) == Approx((iterations + 1) * length).margin(20));
  times.instruction_cache_bytes = (length - 1) * 16;
  const double one_warp = cycles_of(work, times);
  CHECK(one_warp == Approx(2 * iterations * length).margin(20));
  // A second warp of the scheduler uses what the first one had fetched.
  work.warps = 2 * times.schedulers;
  CHECK(cycles_of(work, times) == Approx(one_warp).margin(20));
}

TEST_CASE("the L1 cache answers loads in their order") {
  const auto with_hit_after = [](double missing) {
    SmWork work = work_of({load(0, 0), load(1, 1), waits_for(1)});
    work.requests = {{.is_global = true, .lines = 1, .sectors = 1, .sectors_of_l2 = missing},
                     {.is_global = true, .lines = 1, .sectors = 1}};
    return cycles_of(work);
  };
  CHECK(with_hit_after(1) ==
        Approx(with_hit_after(0) + plain_times().l2_latency - plain_times().l1_latency).margin(5));
}

TEST_CASE("a wait for an mbarrier lasts until the block's copies are there, one after the other") {
  Operation copy = load(0, 7);
  copy.is_asynchronous = true;
  Operation wait = arithmetic();
  wait.flow = WarpFlow::phase_wait;
  SmWork work = work_of({copy, copy, copy, copy, wait, wait});
  work.requests = {{.is_global = true, .is_bulk = true, .sectors_of_l2 = 1}};
  work.copies_per_wait = 2;
  SmTimes times = plain_times();
  times.bulk_copy_interval = 100;
  CHECK(cycles_of(work, times) == Approx(300 + times.l2_latency).margin(10));
  work.operations.erase(work.operations.end() - 2);  // one wait: two copies are enough to go on
  work.operations.insert(work.operations.end() - 1, 300, arithmetic());
  CHECK(cycles_of(work, times) == Approx(100 + times.l2_latency + 300).margin(10));
}

TEST_CASE("operations that are left out leave the ways as they were") {
  Operation back = arithmetic();
  back.flow = WarpFlow::branch;
  back.target = 1;
  back.branch = 0;
  back.rarer = 0.1;
  SmWork work = work_of({arithmetic(), arithmetic(), arithmetic(), arithmetic(), back});
  work.branches = 1;
  CHECK(simulate(work, plain_times()).issued == 1 + 10 * 4 + 1);
  CHECK(simulate(without(work, {1, 3}), plain_times()).issued == 1 + 10 * 2 + 1);
}

TEST_CASE("what some warps or some blocks do is done by that share of all of them") {
  Operation branch = {.flow = WarpFlow::branch, .target = 2, .rarer = 0.25, .branch = 0};
  branch.rarer_is_taken = false;  // the others skip what follows
  SmWork work = work_of({branch, arithmetic(10)});
  work.branches = 1;
  work.blocks = 16;  // of one warp
  work.resident = 2;
  for (const bool by_block : {false, true}) {
    work.operations[0].by_block = by_block;
    work.operations[0].by_warp = !by_block;
    CHECK(simulate(work, plain_times()).issued == 16 * 2 + 4);
  }
  work.warps = 4;  // all of a block, or one of each
  CHECK(simulate(work, plain_times()).issued == 4 * 16 * 2 + 4 * 4);
}

TEST_CASE(
    "a request waits longer, the more of its sectors are in the farther half of the L2 cache") {
  SmTimes times = plain_times();
  times.l2_far_latency = times.l2_latency + 300;
  SmWork work = work_of({load(0, 0), waits_for(0)});
  work.requests = {{.is_global = true, .lines = 1, .sectors = 4, .sectors_of_l2 = 4}};
  const double near = cycles_of(work, times);
  work.requests[0].far = 0.5;
  CHECK(cycles_of(work, times) == Approx(near + 150));
  work.requests[0].far = 1;
  CHECK(cycles_of(work, times) == Approx(near + 300));
}

TEST_CASE("the lines of a load come from the L2 cache one after the other") {
  SmTimes times = plain_times();
  SmWork work = work_of({load(0, 0), waits_for(0)});
  work.requests = {{.is_global = true, .lines = 8, .sectors = 16, .sectors_of_l2 = 16}};
  const double at_once = cycles_of(work, times);
  times.l2_line = 5;
  CHECK(cycles_of(work, times) == Approx(at_once + 7 * 5).margin(1));
  work.requests[0].sectors_of_l2 = 2;  // the L1 cache has the others
  CHECK(cycles_of(work, times) == Approx(at_once + 5).margin(8));
  work.requests[0].lines = 1;
  CHECK(cycles_of(work, times) <= at_once);
}

TEST_CASE("with lanes for half a warp, the memory pipe takes an instruction every second cycle") {
  SmWork work = work_of(std::vector<Operation>(50, load(0, 0)), 8);
  work.requests = {{}};
  SmTimes times = plain_times();
  const double every_cycle = cycles_of(work, times);
  times.pipe_interval = 2;
  CHECK(cycles_of(work, times) == Approx(every_cycle + 400).margin(10));
}
