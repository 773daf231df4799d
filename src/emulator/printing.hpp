// What a kernel prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>

#include "emulator/emulator.hpp"

namespace gemm_tutor::emulator {

// Gathered from all workers, in the order of blocks and threads.
class Printing {
 public:
  // `block` and `thread` are numbers, counted along x first.
  void add(std::uint64_t block, std::uint32_t thread, const Printed& printed);

  // Of blocks up to `last`: the first lines, and how many there were beyond them.
  PrintedLines take(std::uint64_t last);

 private:
  static constexpr std::size_t most = 1'000;                              // that are kept
  using Place = std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>;  // and the how many-th
  std::mutex mutex_;
  std::map<Place, Printed> printed_;
  std::uint64_t calls_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace gemm_tutor::emulator
