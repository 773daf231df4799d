// What follows from measured times.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simt/gpu_spec.hpp"

namespace gemm_tutor::calibration {

// Which power of two a number of lanes that was measured to be 60.4 must be.
int nearest_power_of_two(double value);

// How many loads a scheduler issues before it waits for one to leave the queue: issued[i] is the
// cycle of load i + 1. When the queue is full each further load takes `cycles`.
int queue_length(const std::vector<double>& issued, double cycles);

// The middle of the pauses between two blocks on one SM. Of each block: its SM, when it began and
// ended there.
struct BlockTime {
  unsigned sm = 0;
  long long begin = 0, end = 0;
};
double median_pause(std::vector<BlockTime> blocks);

// A copy of what is known of the nearest GPU, with what the driver says and what was measured, and
// the source of each.
simt::GpuSpec calibrated(const simt::GpuSpec& driver, const simt::GpuSpec& nearest,
                         const std::map<std::string, double>& measured, int l2_bytes,
                         const std::string& date);

}  // namespace gemm_tutor::calibration
