// Vector clocks of a block's threads. For each pair of threads it has the shadow's clock up to
// which the other thread's accesses are ordered before this thread's next ones. It is needed only
// if threads synchronise with more than barriers of the whole block and of whole warps. For these
// two one clock each is enough.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simt/exec/program.hpp"

namespace gemm_tutor::simt {

// One clock per thread number that a mark can have; 0 for numbers without a thread.
using KnownClocks = std::vector<std::uint32_t>;

class ThreadOrder {
 public:
  explicit ThreadOrder(std::uint32_t warps);

  // Resets all clocks to 0.
  void start();

  // Release: merges the clocks of the warp's active lanes into `place`. The warp's lanes are
  // ordered among each other up to `sync_clock`, and their own accesses up to `clock`. The caller
  // must advance the clock afterwards.
  void release(std::uint32_t warp, std::uint32_t active, std::uint32_t sync_clock,
               std::uint32_t clock, KnownClocks& place) const;
  // Acquire: merges the clocks in `place` into those of the active lanes.
  void acquire(std::uint32_t warp, std::uint32_t active, const KnownClocks& place);
  // Orders the active lanes' earlier accesses before their later ones.
  void synchronise(std::uint32_t warp, std::uint32_t active, std::uint32_t clock);

  bool knows(std::uint32_t thread, std::uint32_t other, std::uint32_t clock) const {
    return (*lanes_[thread])[other] >= clock;
  }
  // The same for lanes of another warp, or of the thread's own.
  bool knows_lanes(std::uint32_t thread, std::uint32_t warp, std::uint32_t of_warp,
                   std::uint32_t clock) const;

  // Returns the clocks that all of the lanes have; null if they differ.
  const std::uint32_t* known_by_all(std::uint32_t warp, std::uint32_t active) const;

  // Calls `visit` for each stored clock.
  template <typename Visit>
  void for_each_clock(Visit visit) {
    for (const auto& row : rows()) {
      for (std::uint32_t& clock : *row) visit(clock);
    }
  }

 private:
  using Row = std::shared_ptr<KnownClocks>;

  void join(KnownClocks& clocks, const KnownClocks& more) const;
  std::vector<Row> rows() const;  // each shared row once

  std::uint32_t threads_;
  std::vector<Row> lanes_;  // per thread; lanes of a warp with equal clocks share a row
};

}  // namespace gemm_tutor::simt
