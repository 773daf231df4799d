// cp.async: copies from global to shared memory that arrive when they are waited for, and not
// before. The data is taken when the copy starts and put into place as late as the program allows,
// so that a kernel that forgets to wait reads what was there before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/program.hpp"

namespace gemm_tutor::emulator {

struct PendingCopy {
  int lane = 0;
  std::uint32_t group = 0;    // of its lane, that it belongs to or will when that is committed
  std::uint32_t address = 0;  // in shared memory
  std::uint32_t bytes = 0;
  std::uint64_t number = 0;  // of all that its warp has started
  std::array<std::byte, 16> data{};
};

// An arrival on an mbarrier that happens when a lane's copies of before have arrived.
struct PendingArrival {
  std::uint32_t mbarrier = 0;  // its address
  int lane = 0;
  std::uint64_t copies = 0;  // that the warp had started by then
};

// cp.async.bulk: one thread's copy of any size, whose arrival an mbarrier counts in bytes.
struct PendingBulkCopy {
  std::uint32_t mbarrier = 0;  // its address
  int lane = 0;
  std::uint32_t address = 0;  // in shared memory
  std::vector<std::byte> data;
};

// Of one warp.
struct AsynchronousCopies {
  std::vector<PendingCopy> copies;
  std::vector<PendingBulkCopy> bulk_copies;
  std::vector<PendingArrival> arrivals;
  std::array<std::uint32_t, lanes> committed{};  // groups, by lane
  std::uint64_t started = 0;                     // copies
};

}  // namespace gemm_tutor::emulator
