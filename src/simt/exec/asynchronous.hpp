// Copies and loads that go on while their warp runs, and the barriers in shared memory with which
// threads wait for them. decode_asynchronous.cpp makes their instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "simt/check/thread_order.hpp"
#include "simt/exec/program.hpp"

namespace gemm_tutor::simt {

// A lane's copy of up to 16 bytes from global to shared memory. The emulator reads the data when
// the copy starts, and writes it as late as the program allows: when a thread waits for it. So a
// kernel that forgets to wait reads the old contents.
struct PendingCopy {
  int lane = 0;
  std::uint32_t group = 0;    // the number of its commit group in the lane, which may be open
  std::uint32_t address = 0;  // in shared memory
  std::uint32_t bytes = 0;
  std::uint32_t source_bytes = 0;  // the rest is zeros
  std::uint64_t number = 0;        // among all copies of its warp
  std::uint64_t started_at = 0;    // the warp's half multiply-adds before
  std::array<std::byte, 16> data{};
};

// An arrival at such a barrier that takes place when the lane's earlier copies have arrived.
struct PendingArrival {
  std::uint32_t barrier = 0;  // its address
  int lane = 0;
  std::uint64_t copies = 0;  // the number that the warp had started before
};

// One thread's copy of any size. A barrier counts the bytes that have arrived.
struct PendingBulkCopy {
  std::uint32_t barrier = 0;  // its address
  int lane = 0;
  std::uint32_t address = 0;  // in shared memory
  std::uint32_t bytes = 0;
  std::uint64_t started_at = 0;
  std::vector<std::byte> data;  // empty if the target is not in an array
};

// What a warp has loaded into a register (register_allocation.hpp), and not used.
struct PendingLoad {
  std::uint64_t bytes = 0;       // of all lanes; 0 if there is nothing
  std::uint64_t started_at = 0;  // the warp's half multiply-adds before
  bool is_fragment = false;
};

// One warp's asynchronous copies, and its loads.
struct AsynchronousCopies {
  std::vector<PendingCopy> copies;
  std::vector<PendingBulkCopy> bulk_copies;
  std::vector<PendingArrival> arrivals;
  std::array<std::uint32_t, lanes> committed{};  // number of commit groups per lane
  std::uint64_t started = 0;                     // number of copies
  std::uint64_t conflicts = 0;                   // of banks, as of stores with the same targets
  std::vector<PendingLoad> loads;                // by the registers' numbers
  // The bytes of copies that have arrived, and of loads that were used, by the half multiply-adds
  // of the warp meanwhile.
  using BytesByWork = std::map<std::uint64_t, std::uint64_t>;
  BytesByWork copied_by_work, loaded_by_work, fragments_by_work;
};

// The clocks of the threads that have arrived in the current phase of a barrier, and in its
// completed phases.
struct PhaseKnowledge {
  KnownClocks arrived = {}, completed = {};
};

// What a block has on its way.
struct Asynchronous {
  std::vector<AsynchronousCopies> of_warps;
  std::map<std::uint32_t, PhaseKnowledge> phases;  // of each barrier, by address

  explicit Asynchronous(std::size_t warps) : of_warps(warps) {}
  void clear() {
    for (AsynchronousCopies& copies : of_warps) copies = {};
    phases.clear();
  }

  // The block's share of Result::copied_bytes_in_flight and the like, if a warp has so many half
  // multiply-adds.
  std::uint64_t bytes_in_flight(AsynchronousCopies::BytesByWork AsynchronousCopies::*which,
                                std::uint64_t half_multiply_adds) const;
};

// Returns the handlers of an instruction, by the name that its decoder gives it; null for others.
Handlers asynchronous_handlers(std::string_view name);

}  // namespace gemm_tutor::simt
