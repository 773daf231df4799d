// Padding of a shared array's rows, and the bank conflicts that remain with it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "course/lesson_run.hpp"

namespace gemm_tutor {

struct Padding {
  std::int64_t elements = 0;  // additional ones per row
  std::uint32_t here = 0;     // the request's conflicts with padding
  // The conflicts of all the warp's accesses to the array, without and with padding. Nothing if the
  // counters do not count this request, or if not all of the warp's accesses are known.
  struct InAll {
    std::uint64_t before = 0, after = 0;
    bool of_each_step =
        false;  // per step along K (there are several); otherwise of the whole kernel
  };
  std::optional<InAll> in_all;
};

// Tries paddings with the rules of the counters. It caches its results per warp and array, so use
// one object for all requests of a trace. The trace must outlive it.
class Paddings {
 public:
  explicit Paddings(const Trace& trace) : trace_(trace) {}

  // Returns the smallest padding that reduces this request's conflicts and minimizes those of all
  // the warp's accesses to the array. Nothing if no padding does both. Rows stay aligned to the
  // widest access. The array must have at least two extents, and all active lanes must be in it.
  std::optional<Padding> best(const simt::Access& access, const simt::SharedArray& array);

 private:
  // A warp's accesses to an array: each different request, and how often it occurs.
  struct Request {
    const simt::Access* access = nullptr;
    std::map<std::optional<std::int64_t>, std::uint64_t> times;  // by the step along K
  };
  struct Use {
    std::vector<Request> requests;
    int widest = 4;                              // bytes per lane
    std::map<std::int64_t, std::uint64_t> sums;  // all conflicts, by the padding
  };

  Use& use_of(const simt::Access& access, const simt::SharedArray& array);
  static std::uint64_t sum(Use& use, const simt::SharedArray& array, std::int64_t padding);
  bool is_same_in_each_step(const Use& use, const simt::SharedArray& array,
                            std::int64_t padding) const;

  const Trace& trace_;
  std::vector<std::optional<std::int64_t>> steps_;  // the step along K of each access
  std::int64_t step_count_ = 0;                     // 0 while not computed
  // By warp, the array's offset, and whether they are copies, whose conflicts are not counted.
  std::map<std::tuple<int, std::uint64_t, bool>, Use> uses_;
};

// True if all active lanes of an access to shared memory are in the array.
bool lies_in(const simt::Access& access, const simt::SharedArray& array);

}  // namespace gemm_tutor
