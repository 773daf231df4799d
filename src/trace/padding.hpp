// More floats in each row of a shared array, and the bank conflicts that are left then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "trace/trace.hpp"

namespace gemm_tutor {

struct Padding {
  std::int64_t floats = 0;  // more in a row
  std::uint32_t here = 0;   // conflicts of the request itself, with them
  // All conflicts that the counters count of what the warp does to the array, as it is and padded;
  // none where they do not count this request, or where not all that the warp does is known.
  struct InAll {
    std::uint64_t before = 0, after = 0;
    bool of_each_step = false;  // along K, of which there are several; else of the whole kernel
  };
  std::optional<InAll> in_all;
};

// Tries paddings by the rules of the counters. What it has worked out of a warp and an array it
// keeps, so one is for all requests of a trace, which must outlive it.
class Paddings {
 public:
  explicit Paddings(const Trace& trace) : trace_(trace) {}

  // The least padding with which this request has fewer conflicts, and all that its warp does to
  // the array in the whole trace the fewest; none where none helps both. Rows stay aligned to the
  // widest access. The array has two extents or more, and all active lanes lie in it.
  std::optional<Padding> best(const emulator::Access& access, const emulator::SharedArray& array);

 private:
  // What a warp does to an array: each request once, and how often.
  struct Request {
    const emulator::Access* access = nullptr;
    std::map<std::optional<std::int64_t>, std::uint64_t> times;  // by the step along K
  };
  struct Use {
    std::vector<Request> requests;
    int widest = 4;                              // bytes per lane
    std::map<std::int64_t, std::uint64_t> sums;  // all conflicts, by the padding
  };

  Use& use_of(const emulator::Access& access, const emulator::SharedArray& array);
  static std::uint64_t sum(Use& use, const emulator::SharedArray& array, std::int64_t padding);
  bool is_same_in_each_step(const Use& use, const emulator::SharedArray& array,
                            std::int64_t padding) const;

  const Trace& trace_;
  std::vector<std::optional<std::int64_t>> steps_;  // along K, for each access
  std::int64_t step_count_ = 0;                     // 0 while the steps are not worked out
  // By the warp, the array's place, and whether they are copies, whose conflicts are not counted.
  std::map<std::tuple<int, std::uint64_t, bool>, Use> uses_;
};

// Whether all active lanes of an access to shared memory do.
bool lies_in(const emulator::Access& access, const emulator::SharedArray& array);

}  // namespace gemm_tutor
