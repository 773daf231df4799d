// A trace made by hand: A, B and C are 64×64, and shared memory holds tile[32][32].
#pragma once

#include <functional>
#include <optional>

#include "trace/picture.hpp"

namespace gemm_tutor {

inline constexpr std::uint32_t every_lane = 0xffffffff;

using OffsetOfLane = std::function<int(int lane)>;  // in bytes

struct Request {
  simt::MemorySpace space = simt::MemorySpace::global;
  bool store = false;
  int bytes = 4;
  std::uint32_t active = every_lane;
};

inline simt::Access access_of(const Request& request, const OffsetOfLane& offset) {
  simt::Access access;
  access.line = 2;
  access.space = request.space;
  access.store = request.store;
  access.bytes = request.bytes;
  access.active = request.active;
  if (request.space == simt::MemorySpace::global) access.buffer = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (request.active >> lane & 1) {
      access.offsets[static_cast<std::size_t>(lane)] =
          static_cast<std::uint64_t>(std::int64_t{offset(lane)});
    }
  }
  return access;
}

inline Trace sample_trace() {
  Trace trace;
  trace.name = "kernel";
  trace.kernel.file_name = "kernel.cu";
  trace.kernel.source = "__global__ void kernel() {\n  first;\n  second;\n}\n";
  trace.problem = {64, 64, 64};
  trace.launch = {{4, 2, 1}, {32, 2, 1}, 0};
  trace.block = {1, 0, 0};
  trace.matrices = {{"A", 64, 64}, {"B", 64, 64}, {"C", 64, 64}};
  trace.result.shared_arrays = {{{"tile", {32, 32}, 4}, 0, 4096}};
  return trace;
}

}  // namespace gemm_tutor
