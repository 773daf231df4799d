#include "simt/estimate/estimator.hpp"

#include "catch.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;

namespace {

// One request of 32 lanes of 4 bytes each, `stride` bytes apart.
Access request(int ptx_line, std::uint64_t first, std::uint64_t stride, int warp = 0) {
  Access access;
  access.ptx_line = ptx_line;
  access.warp = warp;
  access.active = 0xffffffffu;
  access.buffer = 0;
  for (std::size_t lane = 0; lane < 32; ++lane) access.offsets[lane] = first + lane * stride;
  return access;
}

RequestTraffic of(const std::vector<std::vector<Access>>& blocks, int line,
                  std::int64_t l1_bytes = 1 << 16) {
  return traffic_of(blocks, l1_bytes, {}).at(line);
}

}  // namespace

TEST_CASE("a request costs its lines, its sectors and the banks of the L1 cache") {
  const RequestTraffic row = of({{request(1, 0, 4)}}, 1);
  CHECK(row.lines == 1);
  CHECK(row.sectors == 4);
  CHECK(row.wavefronts == 1);
  const RequestTraffic column = of({{request(1, 0, 4096)}}, 1);
  CHECK(column.lines == 32);
  CHECK(column.sectors == 32);
  CHECK(column.wavefronts == 32);
  const RequestTraffic odd_column = of({{request(1, 0, 4100)}}, 1);  // all banks
  CHECK(odd_column.lines == 32);
  CHECK(odd_column.wavefronts == 1);
  const RequestTraffic one = of({{request(1, 64, 0)}}, 1);
  CHECK(one.sectors == 1);
  CHECK(one.wavefronts == 1);
}

TEST_CASE("the L1 cache has what a block of the same SM asked for before") {
  CHECK(of({{request(1, 0, 4)}}, 1).from_l2 == 4);
  CHECK(of({{request(1, 0, 4), request(2, 0, 4)}}, 2).from_l2 == 0);
  CHECK(of({{request(1, 0, 4)}, {request(2, 0, 4)}}, 2).from_l2 == 0);
  CHECK(of({{request(1, 0, 4), request(1, 128, 4)}}, 1).from_l2 == 4);
  // A line has the sectors that were asked for, no others.
  CHECK(of({{request(1, 0, 0), request(2, 32, 0)}}, 2).from_l2 == 1);
  // One of two lines is all that this one holds.
  CHECK(of({{request(1, 0, 4), request(2, 128, 4), request(3, 0, 4)}}, 3, 128).from_l2 == 4);
  CHECK(of({{request(1, 0, 4), request(2, 128, 4), request(3, 0, 4)}}, 3, 256).from_l2 == 0);
}

TEST_CASE("stores, and copies of 16 bytes, do not use the L1 cache") {
  Access store = request(2, 0, 4);
  store.store = true;
  CHECK(of({{request(1, 0, 4), store}}, 2).from_l2 == 4);
  Access copy = request(2, 0, 16);
  copy.bytes = 16;
  copy.asynchronous = true;
  CHECK(of({{request(1, 0, 16), copy}}, 2).from_l2 == 16);
}

TEST_CASE("a part of what L2 is asked for comes from DRAM") {
  const MemoryTraffic traffic =
      traffic_of({{request(1, 0, 4), request(2, 0, 4)}}, 1 << 16, {{1, 0.5}, {2, 1.0}});
  CHECK(traffic.at(1).from_dram == 2);
  CHECK(traffic.at(2).from_dram == 0);  // L1 has it
}

TEST_CASE("warps take turns") {
  const std::vector<Access> order = interleaved(
      {request(1, 0, 4, 0), request(2, 0, 4, 0), request(3, 0, 4, 1), request(4, 0, 4, 1)});
  std::vector<int> lines;
  for (const Access& access : order) lines.push_back(access.ptx_line);
  CHECK(lines == std::vector<int>{1, 3, 2, 4});
}

TEST_CASE("how many warps ask for a sector that is missing, and how often one is") {
  // Four warps load one row each time, a new one every second iteration.
  std::vector<Access> requests;
  for (const std::uint64_t row : {0, 0, 1, 1, 2, 2}) {
    for (int warp = 0; warp < 4; ++warp) requests.push_back(request(1, 4096 * row, 4, warp));
  }
  const RequestTraffic shared = of({requests}, 1);
  CHECK(shared.sharing_warps == 4);
  CHECK(shared.missing == 0.5);
  CHECK(shared.from_l2 == 0.5);  // of 4 sectors, one of four warps and every second iteration
  const RequestTraffic own = of({{request(1, 0, 4, 0), request(1, 4096, 4, 1)}}, 1);
  CHECK(own.sharing_warps == 1);
  CHECK(own.missing == 1);
}
