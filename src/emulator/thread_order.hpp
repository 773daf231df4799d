// Which accesses of which threads of a block come before what a thread does now: what each thread
// knows of each other thread is the shadow's clock up to which the other's accesses are ordered
// before its own. Only for programs in which threads synchronise otherwise than by barriers of the
// whole block and of whole warps: these two need no more than a clock each.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/program.hpp"

namespace gemm_tutor::emulator {

// By thread: a clock; 0 for numbers that no thread has, up to all that a mark may name.
using KnownClocks = std::vector<std::uint32_t>;

class ThreadOrder {
 public:
  explicit ThreadOrder(std::uint32_t warps);

  // Nobody knows anything.
  void start();

  // The active lanes of the warp, whose lanes know each other up to `sync_clock`, leave in `place`
  // all that they know, and what they have done until now, the clock. That must be advanced then.
  void release(std::uint32_t warp, std::uint32_t active, std::uint32_t sync_clock,
               std::uint32_t clock, KnownClocks& place) const;
  // They know what was left there.
  void acquire(std::uint32_t warp, std::uint32_t active, const KnownClocks& place);
  // The lanes know of each other.
  void synchronise(std::uint32_t warp, std::uint32_t active, std::uint32_t clock);

  bool knows(std::uint32_t thread, std::uint32_t other, std::uint32_t clock) const {
    return (*lanes_[thread])[other] >= clock;
  }
  // Of all threads of the other's warp.
  bool knows_warp(std::uint32_t thread, std::uint32_t warp, std::uint32_t clock) const;

  // What all of the lanes know; null where they know different things.
  const std::uint32_t* known_by_all(std::uint32_t warp, std::uint32_t active) const;

  // Visits each clock that is kept.
  template <typename Visit>
  void for_each_clock(Visit visit) {
    for (const auto& row : rows()) {
      for (std::uint32_t& clock : *row) visit(clock);
    }
  }

 private:
  using Row = std::shared_ptr<KnownClocks>;

  void join(KnownClocks& clocks, const KnownClocks& more) const;
  std::vector<Row> rows() const;  // each once

  std::uint32_t threads_;
  std::vector<Row> lanes_;  // of each thread; those of a warp that know the same share it
};

}  // namespace gemm_tutor::emulator
