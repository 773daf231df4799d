// cp.async: asynchronous copies from global to shared memory. The emulator reads the data when the
// copy starts, and writes it as late as the program allows: when a thread waits for it. So a kernel
// that forgets to wait reads the old contents.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simt/exec/program.hpp"

namespace gemm_tutor::emulator {

struct PendingCopy {
  int lane = 0;
  std::uint32_t group = 0;    // the number of its commit group in the lane, which may be open
  std::uint32_t address = 0;  // in shared memory
  std::uint32_t bytes = 0;
  std::uint64_t number = 0;  // among all copies of its warp
  std::array<std::byte, 16> data{};
};

// An arrival on an mbarrier that takes place when the lane's earlier copies have arrived.
struct PendingArrival {
  std::uint32_t mbarrier = 0;  // its address
  int lane = 0;
  std::uint64_t copies = 0;  // the number that the warp had started before
};

// cp.async.bulk: one thread's copy of any size. An mbarrier counts the bytes that have arrived.
struct PendingBulkCopy {
  std::uint32_t mbarrier = 0;  // its address
  int lane = 0;
  std::uint32_t address = 0;  // in shared memory
  std::uint32_t bytes = 0;
  std::vector<std::byte> data;  // empty if the target is not in an array
};

// One warp's asynchronous copies.
struct AsynchronousCopies {
  std::vector<PendingCopy> copies;
  std::vector<PendingBulkCopy> bulk_copies;
  std::vector<PendingArrival> arrivals;
  std::array<std::uint32_t, lanes> committed{};  // number of commit groups per lane
  std::uint64_t started = 0;                     // number of copies
};

}  // namespace gemm_tutor::emulator
