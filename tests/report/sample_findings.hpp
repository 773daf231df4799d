// Findings as the emulator makes them, for what is shown of them.
#pragma once

#include <cstdint>
#include <string>

#include "simt/check/fault.hpp"

namespace gemm_tutor {

// "thread (1, 0, 0) of block (0, 0, 0) writes C[0][1], which thread (2, 0, 0) of block (0, 0, 0)
// wrote too".
inline simt::Finding sample_race(int line, std::uint64_t count = 1) {
  simt::FoundFault fault{
      .fault = simt::Fault::written_twice, .line = line, .count = count, .thread = {1, 0, 0}};
  fault.access = {.kind = simt::AccessKind::store,
                  .element = {.array = "C", .index = 1, .elements = 4, .extents = {2, 2}}};
  fault.other.thread = {2, 0, 0};
  return finding_of(fault);
}

// "thread (0, 0, 0) of block (0, 0, 0) reads tile[4], outside tile, which has 4 floats".
inline simt::Finding sample_outside(int line, const std::string& array = "tile",
                                    std::uint64_t count = 1) {
  simt::FoundFault fault{.fault = simt::Fault::outside, .line = line, .count = count};
  fault.access.element = {
      .space = simt::MemorySpace::shared, .array = array, .index = 4, .elements = 4};
  return finding_of(fault);
}

// "5 of the 4,096 elements of C that were checked were never written".
inline simt::Finding sample_unwritten(std::int64_t unwritten) {
  return simt::never_written("C", unwritten, 4096);
}

}  // namespace gemm_tutor
