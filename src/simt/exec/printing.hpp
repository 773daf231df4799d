// Collects the output of printf() in a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>

#include "simt/emulator.hpp"

namespace gemm_tutor::emulator {

// The lines of all workers, in the order of blocks and threads.
class Printing {
 public:
  // `block` and `thread` are numbers; x varies fastest.
  void add(std::uint64_t block, std::uint32_t thread, const Printed& printed);

  // Returns the first lines of the blocks up to `last`, and the number of lines that were left out.
  PrintedLines take(std::uint64_t last);

 private:
  static constexpr std::size_t most = 1'000;                              // lines that are kept
  using Place = std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>;  // block, thread, call
  std::mutex mutex_;
  std::map<Place, Printed> printed_;
  std::uint64_t calls_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace gemm_tutor::emulator
